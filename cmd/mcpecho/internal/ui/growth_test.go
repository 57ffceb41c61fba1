package ui

import (
	"errors"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
)

func TestGrowthOfForms(t *testing.T) {
	var f *former
	growth.Test(t, &growth.Reader{Name: "forms", Base: `{"type":"object"}` + "\x00", Dimensions: growth.Schemas(),
		Steps:  func() int { return f.read },
		Budget: 16 << 20, Reason: "a form has at most 1000 fields and 20,000 options, each of which is copied as slices double",
		Prepare: func(both string) func() error {
			s, defs, _ := strings.Cut(both, "\x00")
			text := []byte(growth.Schema(s, defs))
			return func() error {
				f = &former{root: text}
				f.field("", text, 0)
				return nil
			}
		}})
}

// The input is messages, one a line, and a value in the last one.
func TestGrowthOfTraffic(t *testing.T) {
	dimensions := append(growth.In(1, growth.JSON()...), growth.In(0,
		growth.Beside("requests", "", `{"jsonrpc":"2.0","id":"00000000","method":"m"}`+"\n", ""),
		growth.Beside("responses", "", `{"jsonrpc":"2.0","id":"00000000","result":{}}`+"\n", ""),
		growth.Beside("texts", "", "00000000\n", ""))...)
	growth.Test(t, &growth.Reader{Name: "traffic", Base: "\x000", Dimensions: dimensions,
		Bytes: 80, Reason: "an entry costs 512 bytes beside its message",
		Prepare: func(input string) func() error {
			lines, value, _ := strings.Cut(input, "\x00")
			return func() error {
				r := ring{limit: ringBytes}
				for line := range strings.Lines(lines + `{"jsonrpc":"2.0","id":1,"method":"last","params":{"name":` + strings.ReplaceAll(value, "\n", " ") + "}}\n") {
					r.message(1, false, []byte(line))
				}
				if r.size > r.limit || len(r.pending) > maxPending {
					return errors.New("more than the ring may hold")
				}
				return nil
			}
		}})
}
