package growth_test

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

type tool string

func (tool) Name() string                  { return "t" }
func (tool) Description() string           { return "d" }
func (s tool) InputSchema() mcp.RawMessage { return mcp.RawMessage(s) }

func TestGrowthOfProviders(t *testing.T) {
	prepare := func(define schema.Definer) func(input string) func() error {
		return func(input string) func() error {
			s, defs, _ := strings.Cut(input, "\x00")
			text := tool(growth.Schema(s, defs))
			return func() error { _, err := define(text); return err }
		}
	}
	limits := []string{"too complex", "nested deeper", "more than 512 members"}
	const base = `{"type":"object"}` + "\x00"
	dimensions := append(growth.Schemas(), growth.In(0,
		growth.Around("members of all parts", `{"allOf":[`, `{"properties":{"p00000000":{}}},`, ``, `]}`),
		growth.Around("required of a variant", `{"anyOf":[{"required":["other"]},{"required":[`, `"p00000000",`, `"last"]},`, `]}`),
	)...)
	const reason = "an empty schema of 3 bytes is a node of 80 bytes; the nodes and what is rewritten are limited"
	growth.Test(t, &growth.Reader{Name: "schemas of OpenAI", Base: base, Limits: limits, Dimensions: dimensions,
		Bytes: 64, Reason: reason, Prepare: prepare(schema.OpenAI)})
	growth.Test(t, &growth.Reader{Name: "schemas of Gemini", Base: base, Limits: limits, Dimensions: dimensions,
		Bytes: 64, Budget: 8 << 20, Reason: reason, Prepare: prepare(schema.Gemini)})
}
