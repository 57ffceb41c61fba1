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
	const start = `{"time":"2026-11-23T17:13:36Z","dir":"send",`
	dimensions := append(growth.In(1, growth.JSON()...), growth.In(0,
		growth.Beside("requests", "", start+`"message":{"jsonrpc":"2.0","id":"00000000","method":"m"}}`+"\n", ""),
		growth.Beside("texts", "", start+`"message":"00000000"}`+"\n", ""))...)
	growth.Test(t, &growth.Reader{Name: "traces", Base: "\x000", Dimensions: dimensions,
		Limits: []string{ErrNeither.Error()}, // a trace has what is nested deeper as text
		Prepare: func(input string) func() error {
			lines, value, _ := strings.Cut(input, "\x00")
			return func() error {
				var v Viewer
				r := NewReader(strings.NewReader(lines + start + `"message":{"jsonrpc":"2.0","method":"last","params":{"name":` + value + "}}}\n"))
				for {
					e, err := r.Next()
					if errors.Is(err, recording.ErrTruncated) {
						return nil
					} else if err != nil {
						return err
					}
					l := v.Describe(e)
					_, _ = l.Text(), l.JSON()
				}
			}
		}})
}
