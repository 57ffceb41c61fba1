package view

import (
	"io"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
	"github.com/stdmcp/stdmcp/internal/recording"
)

// The input is the entries of a recording, each after as many spaces as it is longer in the
// file, and a value in the last one.
func TestGrowthOfViews(t *testing.T) {
	t.Run("all", func(t *testing.T) { testGrowth(t, Filter{}) })
	t.Run("filtered", func(t *testing.T) { testGrowth(t, Filter{Method: "*", Tool: "*", Errors: true}) })
}

func testGrowth(t *testing.T, filter Filter) {
	const start = "                                                  "
	dimensions := append(growth.In(1, growth.JSON()...), growth.In(0,
		growth.Beside("requests", "", start+`>{"jsonrpc":"2.0","id":"00000000","method":"m"}`+"\n", ""),
		growth.Beside("responses", "", start+`>{"jsonrpc":"2.0","id":"00000000","result":{}}`+"\n", ""),
		growth.Beside("batches", "", start+`>[{"jsonrpc":"2.0","id":"00000000","method":"m"}]`+"\n", ""),
		growth.Beside("exchanges", "", start+"#406\n", ""),
		growth.Beside("ends", "", start+"!00000000\n", ""),
		growth.Beside("texts", "", start+"~00000000\n", ""))...)
	growth.Test(t, &growth.Reader{Name: "views", Base: "\x000", Dimensions: dimensions,
		Bytes: 48, Reason: "a batch of one short request is two lines, and the request is remembered",
		Prepare: func(input string) func() error {
			lines, value, _ := strings.Cut(input, "\x00")
			file := recorded(strings.Split(strings.ReplaceAll(lines, start, "")+`>{"jsonrpc":"2.0","method":"last","params":{"name":`+value+`}}`, "\n")...)
			return func() error {
				v, r := Viewer{Filter: filter}, recording.NewReader(strings.NewReader(file))
				for {
					e, err := r.Next()
					if err == io.EOF {
						for _, l := range v.End("") {
							_, _ = l.Text(80, plain), l.JSON()
						}
						return nil
					} else if err != nil {
						return err
					}
					for _, l := range v.Describe(&e) {
						_, _ = l.Text(80, plain), l.JSON()
					}
				}
			}
		}})
}
