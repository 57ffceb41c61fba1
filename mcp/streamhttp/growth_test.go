package streamhttp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
)

// The input is the properties of a schema, and the arguments.
func TestGrowth(t *testing.T) {
	around := func(part int, name, before, text, after string) growth.Dimension {
		return growth.In(part, growth.Beside(name, before, text, after))[0]
	}
	growth.Test(t, &growth.Reader{Name: "headers of parameters", Base: "\x00", Flat: true,
		Limits: []string{"more than"},
		Dimensions: []growth.Dimension{
			around(0, "parameters", "", `"p00000000":{"type":"string","x-mcp-header":"H00000000"},`, ""),
			around(0, "properties", "", `"q00000000":{},`, ""),
			around(0, "length of a header", `"h":{"type":"string","x-mcp-header":"`, "H", `"},`),
			around(0, "length of a name", `"`, "n", `":{"type":"string","x-mcp-header":"N"},`),
			around(1, "arguments", "", `"p00000000":"v",`, ""),
			around(1, "length of an argument", `"p00000000":"`, "v", `",`),
			around(1, "characters to encode", `"p00000001":"`, "é", `",`),
		},
		Prepare: func(input string) func() error {
			properties, args, _ := strings.Cut(input, "\x00")
			text := []byte(schema(properties + `"a":{"type":"string","x-mcp-header":"A"}`))
			message := []byte(`{"arguments":{` + args + `"a":"x"}}`)
			return func() error {
				bindings, err := findBindings(text)
				if err != nil {
					return err
				}
				return setParams(http.Header{}, bindings, message)
			}
		}})
}
