package jsonschema

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
	"github.com/stdmcp/stdmcp/mcp"
)

// The input is a schema, the members of its $defs, and a value.
func TestGrowth(t *testing.T) {
	value := growth.JSON()
	dimensions := append(growth.Schemas(), growth.In(0,
		growth.Around("ids", `{"allOf":[`, `{"$id":"https://h/00000000"},`, ``, `]}`),
		growth.Around("anchors", `{"allOf":[`, `{"$anchor":"a00000000"},`, ``, `]}`),
		growth.Dimension{Name: "references below an id", Grow: func(n int, inner string) string {
			return `{"allOf":[{"$id":"https://h/` + strings.Repeat("i", n/2) + `/","allOf":[` +
				growth.Numbered(n/2, `{"$ref":"x"},`) + `{"$id":"x"}]},` + inner + `]}`
		}},
		growth.Around("length of a type", `{"items":{"not":{"type":"`, "t", `"}},"allOf":[`, `]}`),
		growth.Around("types", `{"items":{"type":[`, `"t00000000",`, `"array","object","string","number"]},"allOf":[`, `]}`),
		growth.Around("digits of a limit", `{"items":{"maximum":1`, "0", `},"allOf":[`, `]}`),
		growth.Around("length of a pattern", `{"items":{"pattern":"^`, "s", `"},"allOf":[`, `]}`),
		growth.Around("patterns", `{"items":{"allOf":[`, `{"not":{"pattern":"^t00000000"}},`, `{}]},"allOf":[`, `]}`),
		growth.Around("patterns of names", `{"patternProperties":{`, `"^p00000000":{},`, `"":`, `}}`),
		growth.Around("lengths", `{"items":{"allOf":[`, `{"maxLength":99999999},`, `{}]},"allOf":[`, `]}`),
		growth.Around("limits", `{"items":{"allOf":[`, `{"not":{"maximum":0}},`, `{}]},"allOf":[`, `]}`),
		growth.Around("multiples", `{"items":{"allOf":[`, `{"multipleOf":1},`, `{}]},"allOf":[`, `]}`),
		growth.Around("misfits", `{"items":{"allOf":[`, `{"not":{"enum":[1]}},`, `{}]},"allOf":[`, `]}`),
		growth.Around("unevaluated", `{"allOf":[`, `{"unevaluatedProperties":{},"unevaluatedItems":{}},`, ``, `]}`),
		growth.Around("nested unevaluated", `{"unevaluatedItems":{},"description":"`, "d", `","allOf":[`, `]}`),
		growth.Around("names of properties", `{"allOf":[`, `{"propertyNames":{"maxLength":99999999},"additionalProperties":{}},`, ``, `]}`),
		growth.Around("constants", `{"allOf":[{"not":{"const":[`, `"s00000000",`, `0]}},`, `]}`),
	)...)
	dimensions = append(dimensions, growth.In(2, value...)...)
	dimensions = append(dimensions, growth.In(2,
		growth.Around("strings", `[`, `"s00000000",`, ``, `]`),
		growth.Dimension{Name: "strings that differ at the end", Grow: func(n int, inner string) string {
			s := strings.Repeat("s", n/2)
			return `["` + s + `1","` + s + `2",` + inner + `]`
		}},
		growth.Around("numbers", `[`, `100000000,`, ``, `]`),
	)...)
	steps := 0
	dimensions = append(dimensions, growth.Dimension{Name: "a string below lengths", Grow: func(n int, inner string) string {
		parts := strings.Split(inner, "\x00")
		parts[0] = `{"items":{"allOf":[` + growth.Numbered(n/2, `{"maxLength":99999999},`) + `{}]},"allOf":[` + parts[0] + `]}`
		parts[2] = `["` + strings.Repeat("s", n/2) + `",` + parts[2] + `]`
		return strings.Join(parts, "\x00")
	}})
	growth.Test(t, &growth.Reader{Name: "jsonschema", Dimensions: dimensions,
		Base:   `{"uniqueItems":true,"items":{"uniqueItems":true}}` + "\x00\x000",
		Limits: []string{"levels", "more than 8192", "nested deeper", "more than " + strconv.Itoa(maxSubschemas) + " subschemas", "instructions"},
		Bytes:  200, Reason: "an empty schema of 3 bytes is a node of 300 bytes, and a pattern of 20 a program of 3 KB; their numbers are limited",
		Steps: func() int { return steps },
		Prepare: func(input string) func() error {
			parts := strings.Split(input, "\x00")
			schema, value := mcp.RawMessage(growth.Schema(parts[0], parts[1])), mcp.RawMessage(parts[2])
			return func() error {
				c, v := newCompiler(context.Background()), &checker{budget: newBudget(context.Background(), "validating the value")}
				compiled, err := c.compileRoot(schema)
				if err == nil {
					err = compiled.validate(v, value)
				}
				steps = 2*maxSteps*perStep - c.left - v.left
				if misfit := (*Error)(nil); errors.As(err, &misfit) {
					err = nil // the value was validated
				}
				return err
			}
		}})
}
