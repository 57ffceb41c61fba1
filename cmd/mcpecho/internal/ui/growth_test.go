package ui

import (
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
