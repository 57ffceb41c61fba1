package view

import (
	"errors"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
	"github.com/stdmcp/stdmcp/internal/recording"
)

// The input is the lines of a trace and a value in the last one.
func TestGrowthOfTraces(t *testing.T) {
	t.Run("all", func(t *testing.T) { testGrowth(t, Filter{}) })
	t.Run("filtered", func(t *testing.T) { testGrowth(t, Filter{Method: "*", Tool: "*", Errors: true}) })
}

func testGrowth(t *testing.T, filter Filter) {
	const start = `{"time":"2026-11-23T17:13:36Z","dir":"send",`
	dimensions := append(growth.In(1, growth.JSON()...), growth.In(0,
		growth.Beside("requests", "", start+`"message":{"jsonrpc":"2.0","id":"00000000","method":"m"}}`+"\n", ""),
		growth.Beside("responses", "", start+`"message":{"jsonrpc":"2.0","id":"00000000","result":{}}}`+"\n", ""),
		growth.Beside("batches", "", start+`"message":[{"jsonrpc":"2.0","id":"00000000","method":"m"}]}`+"\n", ""),
		growth.Beside("exchanges", "", start+`"http":{"exchange":100000000,"status":406,"headers":{}}}`+"\n", ""),
		growth.Beside("ends", "", start+`"connection":2,"end":"00000000"}`+"\n", ""),
		growth.Beside("texts", "", start+`"message":"00000000"}`+"\n", ""))...)
	growth.Test(t, &growth.Reader{Name: "traces", Base: "\x000", Dimensions: dimensions,
		Limits: []string{ErrNeither.Error()}, // a trace has what is nested deeper as text
		Bytes:  48, Reason: "a batch of one short request is two lines, and the request is remembered",
		Prepare: func(input string) func() error {
			lines, value, _ := strings.Cut(input, "\x00")
			return func() error {
				v := Viewer{Filter: filter}
				r := NewReader(strings.NewReader(lines + start + `"message":{"jsonrpc":"2.0","method":"last","params":{"name":` + value + "}}}\n"))
				for {
					e, err := r.Next()
					if errors.Is(err, recording.ErrTruncated) {
						for _, l := range v.End(r.Missing()) {
							_, _ = l.Text(80, plain), l.JSON()
						}
						return nil
					} else if err != nil {
						return err
					}
					for _, l := range v.Describe(e) {
						_, _ = l.Text(80, plain), l.JSON()
					}
				}
			}
		}})
}
