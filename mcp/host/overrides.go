package host

import (
	"errors"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// override applies an override of the settings to a new tool. The caller holds mu
// of the host.
func (t *Tool) override(o *config.Override) {
	if t.over = o; o == nil {
		return
	}
	if o.Description != "" {
		def := *t.def
		def.Description = o.Description
		t.description = t.host.describe(t.server.name, &def)
	}
	if len(o.Arguments)+len(o.Properties)+len(o.Omit) > 0 {
		t.schema = narrow(t.def.InputSchema, o)
	}
}

// nameInServer returns the tool's name, or the one that replaces it.
func (t *Tool) nameInServer() string {
	if t.over != nil && t.over.Name != "" {
		return t.over.Name
	}
	return t.def.Name
}

// hides reports whether models do not see an argument.
//
//go:noinline
func hides(o *config.Override, argument string) bool {
	_, fixed := o.Arguments[argument]
	return fixed || slices.Contains(o.Omit, argument)
}

// narrow returns the schema of the arguments that models see. A schema that cannot
// be read remains as it is.
func narrow(schema mcp.RawMessage, o *config.Override) mcp.RawMessage {
	if len(schema) == 0 {
		return nil
	}
	r, b := wire.NewReader(schema), []byte{'{'}
	for r.Object(); r.More(); {
		key := string(r.Key())
		b = wire.AppendKey(b, key)
		switch {
		case key == "properties" && r.Kind() == wire.Object:
			b = append(b, '{')
			for r.Object(); r.More(); {
				name := string(r.Key())
				value := r.Raw()
				if hides(o, name) {
					continue
				}
				if by := o.Properties[name]; by != nil {
					value = by
				}
				b = wire.AppendLine(wire.AppendKey(b, name), value)
			}
			b = append(b, '}')
		case key == "required" && r.Kind() == wire.Array:
			b = append(b, '[')
			for r.Array(); r.More(); {
				if name := r.String(); !hides(o, name) {
					b = wire.AppendString(wire.AppendComma(b), name)
				}
			}
			b = append(b, ']')
		default:
			b = wire.AppendLine(b, r.Raw())
		}
	}
	if r.End() != nil {
		return nil
	}
	return append(b, '}')
}

// overridden returns the arguments to send for those of a model. The error is an
// *argumentsError.
func (t *Tool) overridden(args mcp.RawMessage) (mcp.RawMessage, error) {
	o := t.over
	if o == nil || len(o.Arguments)+len(o.Properties)+len(o.Omit) == 0 {
		return args, nil
	}
	b := []byte{'{'}
	r := wire.NewReader(orObject(args))
	for r.Object(); r.More(); {
		name := string(r.Key())
		value := r.Raw()
		if _, fixed := o.Arguments[name]; fixed {
			continue
		}
		if slices.Contains(o.Omit, name) {
			return nil, argumentsError(errors.New(wire.Quote(name) + " is not available; leave it out"))
		}
		if by := o.Properties[name]; by != nil {
			if allowed := allowedValues(by); allowed != nil && !slices.Contains(allowed, string(wire.AppendCompact(nil, value))) {
				return nil, argumentsError(errors.New(wire.Quote(name) + " must be " + strings.Join(allowed, " or ")))
			}
		}
		b = append(wire.AppendKey(b, name), value...)
	}
	if err := r.End(); err != nil {
		return nil, argumentsError(err)
	}
	for _, name := range wire.SortedKeys(o.Arguments) {
		b = wire.AppendLine(wire.AppendKey(b, name), o.Arguments[name])
	}
	return append(b, '}'), nil
}

// allowedValues returns the values that enum or const of a schema allow, as
// compact JSON, or nil if it has neither.
func allowedValues(schema mcp.RawMessage) (values []string) {
	r := wire.NewReader(schema)
	for r.Object(); r.More(); {
		switch key := string(r.Key()); {
		case key == "const":
			values = append(values, string(wire.AppendCompact(nil, r.Raw())))
		case key == "enum" && r.Kind() == wire.Array:
			for r.Array(); r.More(); {
				values = append(values, string(wire.AppendCompact(nil, r.Raw())))
			}
		default:
			r.Skip()
		}
	}
	return values
}
