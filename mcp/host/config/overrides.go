package config

import (
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
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

// Equal reports whether o and p change the same.
func (o *Override) Equal(p *Override) bool {
	if o == nil || p == nil {
		return o == p
	}
	return o.Name == p.Name && o.Description == p.Description && sameMap(o.Arguments, p.Arguments) &&
		sameMap(o.Properties, p.Properties) && same(o.Omit, p.Omit) && o.MaxResultText == p.MaxResultText
}

func sameOverrides(a, b map[string]*Override) bool {
	for tool, o := range a {
		if p, ok := b[tool]; !ok || !o.Equal(p) {
			return false
		}
	}
	return len(a) == len(b)
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
		return each("overrides."+tool.key, tool.value, func(m *member) (err error) {
			switch m.key {
			case "name":
				return read(&o.Name, m.value)
			case "description":
				return read(&o.Description, m.value)
			case "omit":
				return read(&o.Omit, m.value)
			case "maxResultText":
				return read(&o.MaxResultText, m.value)
			case "arguments":
				o.Arguments, err = readRaw(m.value)
			case "properties":
				o.Properties, err = readRaw(m.value)
			default:
				err = errUnknown
			}
			return err
		})
	})
}

func readRaw(value []byte) (map[string]mcp.RawMessage, error) {
	list, err := object("", value, 0)
	values := make(map[string]mcp.RawMessage, len(list))
	for _, m := range list {
		values[m.key] = mcp.RawMessage(m.value)
	}
	return values, err
}

// overrides writes what readOverrides reads.
func (w *jsonWriter) overrides(all map[string]*Override) {
	if len(all) == 0 {
		return
	}
	w.b = append(wire.AppendKey(w.b, "overrides"), '{')
	for _, tool := range wire.SortedKeys(all) {
		o := all[tool]
		if o == nil {
			continue
		}
		w.b = append(wire.AppendKey(w.b, tool), '{')
		w.text("name", o.Name)
		w.text("description", o.Description)
		w.list("omit", o.Omit)
		if o.MaxResultText != 0 {
			w.b = append(wire.AppendKey(w.b, "maxResultText"), strconv.Itoa(o.MaxResultText)...)
		}
		w.raw("arguments", o.Arguments)
		w.raw("properties", o.Properties)
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, '}')
}

func (w *jsonWriter) raw(key string, values map[string]mcp.RawMessage) {
	if len(values) == 0 {
		return
	}
	w.b = append(wire.AppendKey(w.b, key), '{')
	for _, name := range wire.SortedKeys(values) {
		w.b = wire.AppendLine(wire.AppendKey(w.b, name), values[name])
	}
	w.b = append(w.b, '}')
}
