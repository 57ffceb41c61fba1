package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// The input is the name of a tool, its description, a value in its schema, other
// tools, and a query.
func TestGrowth(t *testing.T) {
	const name, description, schema, others, query = 0, 1, 2, 3, 4
	around := func(part int, name, before, text, after string) growth.Dimension {
		return growth.In(part, growth.Beside(name, before, text, after))[0]
	}
	dimensions := []growth.Dimension{
		around(name, "length of the name", "", "n", ""),
		around(name, "characters of the name", "", "é_", ""),
		around(description, "words", "", "w00000000 ", ""),
		around(description, "the same word", "", "word ", ""),
		around(description, "length of a word", "", "w", ""),
		around(description, "capitals", "", "aB", ""),
		around(description, "dense scripts", "", "語", ""),
		around(others, "tools", "", `{"name":"t00000000","inputSchema":{}},`, ""),
		around(query, "words of the query", "", "w00000000 ", ""),
		around(query, "letters of the query", "", "ww ", ""),
		around(query, "globs of the query", "", "*n* ", ""),
	}
	s := &server{name: "server", cfg: &config.Server{Name: "server"}}
	prepare := func(read func(tools []*mcp.Tool, text []byte, query string) error) func(input string) func() error {
		return func(input string) func() error {
			parts := strings.Split(input, "\x00")
			text := []byte(`{"tools":[` + parts[others] + `{"name":"` + parts[name] + `","description":"` + parts[description] +
				`","inputSchema":{"type":"object","properties":{"p":` + parts[schema] + `}}}]}`)
			var list mcp.ListToolsResult
			err := list.UnmarshalJSON(text)
			return func() error {
				if err != nil {
					return err
				}
				return read(list.Tools, text, parts[query])
			}
		}
	}
	nested := []string{"nested deeper than 128"}
	dimensions = append(dimensions, around(schema, "arguments", "", `0,"a00000000":`, ""), around(schema, "a long argument", `0,"`, "a", `":`))
	growth.Test(t, &growth.Reader{Name: "search", Base: "n\x00d\x000\x00\x00q", Dimensions: dimensions,
		Prepare: prepare(func(list []*mcp.Tool, _ []byte, query string) error {
			var tools []*Tool
			for _, def := range list {
				tools = append(tools, &Tool{server: s, def: def, name: def.Name})
			}
			x := newSearchIndex(tools)
			globs, rest := splitGlobs(query[:min(len(query), maxQuery)])
			x.rank(rest)
			for _, tool := range tools {
				matchesAll(globs, tool)
			}
			return nil
		})})
	dimensions = append(dimensions[:1:1], dimensions[7])
	growth.Test(t, &growth.Reader{Name: "names of tools", Base: "n\x00d\x000\x00\x00q", Dimensions: dimensions,
		Prepare: prepare(func(list []*mcp.Tool, _ []byte, _ string) error {
			n := names{naming: MCPServerTool, given: make(map[origin]string), origins: make(map[string]origin)}
			for _, def := range list {
				n.name(origin{"server", def.Name})
			}
			return nil
		})})
	dimensions = append(dimensions, growth.In(schema, growth.JSON()...)...)
	growth.Test(t, &growth.Reader{Name: "catalog", Base: "n\x00d\x000\x00\x00q", Limits: nested, Dimensions: dimensions,
		Prepare: prepare(func(_ []*mcp.Tool, text []byte, _ string) error {
			l, err := readListing([]byte(`{"tools":` + string(text) + `,"pinned":["a",` + string(text) + `]}`))
			if err == nil && len(l.tools) == 0 {
				err = errors.New("no tools")
			}
			return err
		})})
	growth.Test(t, &growth.Reader{Name: "differences of pins", Base: "n\x00d\x000\x00\x00q", Limits: nested, Dimensions: dimensions,
		Bytes: 64, Reason: "the name is the title, too, and each definition is written as JSON and then in the canonical form",
		Prepare: prepare(func(list []*mcp.Tool, _ []byte, _ string) error {
			after := *list[len(list)-1]
			c := &ToolChange{Before: &mcp.Tool{Name: after.Name, InputSchema: mcp.RawMessage(`{}`)}, After: &after}
			changedFields(c.Before, c.After)
			if c.Diff() == "" {
				return errors.New("no difference")
			}
			return nil
		})})

	// The input is the key of an entry, its pins, one more pin and other entries.
	dimensions = append(growth.In(0, growth.Beside("length of a key", "", "k", "")), growth.In(1, growth.Beside("pins", "", `"p00000000",0,`, ""))...)
	dimensions = append(append(dimensions, growth.In(2, growth.JSON()...)...), growth.In(3,
		growth.Beside("entries", "", `{"key":"e00000000","said":{"pinned":["a",0]}},`, ""), growth.Beside("entries without pins", "", `{"key":"f00000000"},`, ""))...)
	growth.Test(t, &growth.Reader{Name: "entries of the catalog", Base: "k\x00\x00{}\x00", Limits: []string{errCatalog.Error()}, Flat: true,
		Dimensions: dimensions, Bytes: 80, Reason: "each entry is read for its pins, which are members of a map",
		Prepare: func(input string) func() error {
			parts := strings.Split(input, "\x00")
			text := []byte(`{"version":1,"servers":[` + parts[3] + `{"key":"` + parts[0] + `","said":{"pinned":[` + parts[1] + `"p",` + parts[2] + `]}}]}`)
			return func() error {
				entries, err := readCatalog(text)
				if err == nil && entryOf(entries, `"`+parts[0]+`"`) < 0 {
					err = errors.New("no such entry")
				}
				makeRoom(entries, len(text)/2)
				return err
			}
		}})
}
