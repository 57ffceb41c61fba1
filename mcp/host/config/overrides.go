package config

import (
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp"
)

// An Override changes what models see of a tool and what they may send. Zero fields
// change nothing.
type Override struct {
	Name        string // in place of the tool's name
	Description string

	// Arguments are always sent with these values. Models do not see them, and what
	// they send in their place is ignored.
	Arguments map[string]mcp.RawMessage

	// Properties replace the schemas of arguments, to narrow them. The host checks
	// their enum and const, and leaves the rest to the server.
	Properties map[string]mcp.RawMessage

	// Omit lists arguments that models neither see nor may send.
	Omit []string

	MaxResultText int // bytes of a result for a model; 0 means the server's, negative no limit
}

// publicOverrides returns overrides without the values of arguments, which may be
// secret.
func publicOverrides(all map[string]*Override) map[string]*Override {
	if len(all) == 0 {
		return all
	}
	public := make(map[string]*Override, len(all))
	for tool, o := range all {
		if o != nil && o.Arguments != nil {
			own := *o
			own.Arguments = make(map[string]mcp.RawMessage, len(o.Arguments))
			for name := range o.Arguments {
				own.Arguments[name] = mcp.RawMessage(`"` + diag.Mask + `"`)
			}
			o = &own
		}
		public[tool] = o
	}
	return public
}

// readOverrides reads an object of overrides by the names of tools.
func (e *entry) readOverrides(value []byte) error {
	e.Overrides = make(map[string]*Override)
	return each("overrides", value, func(tool *member) error {
		o := &Override{}
		e.Overrides[tool.key] = o
		return readAll("overrides."+tool.key, tool.value, o.settings())
	})
}
