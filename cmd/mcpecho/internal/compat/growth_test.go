package compat

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
)

func TestGrowth(t *testing.T) {
	limits := []string{"nested deeper", "more than 512 members"}
	const reason = "an empty schema of 3 bytes is a value of 170, in a slice that doubles, once for each version; and each may have a change, up to a limit"
	prepare := func(change func(string) string) func(string) func() error {
		return func(both string) func() error {
			s, defs, _ := strings.Cut(both, "\x00")
			old := growth.Schema(s, defs)
			new := change(old)
			return func() error {
				a, err := parse([]byte(old))
				if err != nil {
					return err
				}
				b, err := parse([]byte(new))
				if err != nil {
					return err
				}
				for _, side := range [...]side{input, output} {
					r := &report{}
					compareSchemas(r, "tool", side, a, b)
				}
				return nil
			}
		}
	}
	const base = `{"type":"object"}` + "\x00"
	growth.Test(t, &growth.Reader{Name: "compared schemas", Base: base, Limits: limits, Dimensions: growth.Schemas(), Bytes: 600, Budget: 8 << 20, Reason: reason,
		Prepare: prepare(func(s string) string { return strings.TrimSuffix(s, "}") + `,"minProperties":3}` })})
	growth.Test(t, &growth.Reader{Name: "schemas that differ everywhere", Base: base, Limits: append(limits, "is longer than 1 MiB"), Dimensions: growth.Schemas(), Bytes: 600, Budget: 8 << 20, Reason: reason,
		Prepare: prepare(strings.NewReplacer("{}", `{"maxLength":5}`, "description", "title", "type", "const", "e0", "f0", "p0", "q0", "#/$defs", "#//$defs").Replace)})
}
