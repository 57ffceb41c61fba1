package host

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A Naming returns the name of a tool for models. server is the server's name in the
// settings, and tool the tool's own name. Naming(server, "") is how the names of a
// server begin whose tools the host does not know yet; see [Host.Execute].
//
// If another tool has the name, or it does not match ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$, the
// host replaces invalid characters and the end of the name by a hash of both names. If the
// name is empty, the host uses MCPServerTool.
type Naming func(server, tool string) string

// MCPServerTool is the [Naming] mcp__server__tool.
//
// The names of this function, [ServerTool], [MCPUnderscore] and [Underscore] match
// ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$. A name ends with 12 hexadecimal digits of a hash of
// both names if characters had to be replaced, if it is ambiguous where the server's name
// ends, or if the tool's own name ends as a hash does. Names without a hash are therefore
// different for different tools, and no server can choose the name of another server's
// tool. A name cannot be parsed; use Host.Tool.
func MCPServerTool(server, tool string) string { return mcpServerTool.name(server, tool) }

// ServerTool is the [Naming] server__tool. Its names are as of [MCPServerTool].
func ServerTool(server, tool string) string { return serverTool.name(server, tool) }

// MCPUnderscore is the [Naming] mcp_server_tool. Its names are as of [MCPServerTool].
func MCPUnderscore(server, tool string) string { return mcpUnderscore.name(server, tool) }

// Underscore is the [Naming] server_tool. Its names are as of [MCPServerTool].
func Underscore(server, tool string) string { return underscore.name(server, tool) }

// A scheme is what precedes the server's name, and what separates it from the tool's.
type scheme struct{ prefix, separator string }

var (
	mcpServerTool = scheme{"mcp__", "__"}
	serverTool    = scheme{"", "__"}
	mcpUnderscore = scheme{"mcp_", "_"}
	underscore    = scheme{"", "_"}
)

const (
	// maxName is the maximum length that model providers accept.
	maxName = 64

	// hashLen is the length of an underscore and the hash that a name may end
	// with: 4 digits of the server's name and 8 of both names.
	hashLen = 13
)

// An origin identifies a tool by its server's name in the settings and its own
// name in the server.
type origin struct{ server, tool string }

// names maps tools to their names and back. A tool keeps its name while it
// exists, so that a permission for one tool never applies to another. The maps
// must be initialized.
type names struct {
	naming  Naming // does not panic
	given   map[origin]string
	origins map[string]origin
}

func (n *names) name(o origin) string { return n.nameAs(o, o.tool) }

// nameAs is name for a tool that the settings may rename.
func (n *names) nameAs(o origin, tool string) string {
	if name, ok := n.given[o]; ok {
		return name
	}
	name := n.propose(o, tool)
	for i := uint32(0); ; i++ {
		if _, taken := n.origins[name]; !taken {
			break
		}
		name = hashed(withoutHash(name), o, i)
	}
	n.given[o], n.origins[name] = name, o
	return name
}

// propose returns a valid name for a tool.
func (n *names) propose(o origin, tool string) string {
	full := cmp.Or(n.naming(o.server, tool), MCPServerTool(o.server, tool))
	if name := replaceInvalid(full); name != full || len(name) > maxName {
		return hashed(name, o, 0)
	}
	return full
}

// prefix returns how the names of a server's tools begin.
func (n *names) prefix(server string) string {
	return withoutHash(replaceInvalid(n.naming(server, "")))
}

// forget frees the name of a tool, which is about to have another one.
func (n *names) forget(o origin) {
	if name, ok := n.given[o]; ok {
		delete(n.origins, name)
		delete(n.given, o)
	}
}

// release frees the names of a server's tools that are no longer used.
func (n *names) release(server string, used func(tool string) bool) {
	for o, name := range n.given {
		if o.server == server && !used(o.tool) {
			delete(n.given, o)
			delete(n.origins, name)
		}
	}
}

func (c *scheme) name(server, tool string) string {
	full := c.prefix + server + c.separator + tool
	name := replaceInvalid(full)
	if name == full && len(name) <= maxName && server != "" && tool != "" && !c.ambiguous(server) && !endsWithHash(name) {
		return name
	}
	return hashed(name, origin{server, tool}, 0)
}

// ambiguous reports whether the first separator after a server's name could be
// taken for a part of it, so that another server's tool could have the same name.
// The rule regards one server only: with any other, a name would depend on the
// order in which servers connect.
func (c *scheme) ambiguous(server string) bool {
	return strings.Index(server+c.separator, c.separator) < len(server)
}

// endsWithHash reports whether a name ends as those that hashed returns.
func endsWithHash(name string) bool {
	at := len(name) - hashLen
	for i := at + 1; at >= 0 && i < len(name); i++ {
		if strings.IndexByte(hexDigits, name[i]) < 0 {
			return false
		}
	}
	return at >= 0 && name[at] == '_'
}

// withoutHash returns what precedes the hash of a name, or would precede it.
func withoutHash(name string) string {
	if endsWithHash(name) {
		name = name[:len(name)-hashLen]
	}
	return name[:min(len(name), maxName-hashLen)]
}

// replaceInvalid replaces each character that a provider rejects with an
// underscore. Gemini rejects names that begin with a digit or a dash.
func replaceInvalid(s string) string {
	b := make([]byte, 0, len(s)+1)
	if s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') {
		b = append(b, '_')
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
			b = append(b, byte(r))
		default:
			b = append(b, '_')
		}
	}
	return string(b)
}

const hexDigits = "0123456789abcdef"

// hashed returns a name that begins as name and ends with a hash. A server chooses the
// names of its tools, but not the digits of its own name.
func hashed(name string, o origin, salt uint32) string {
	h, suffix := uint64(hash(o.server, 0)&0xffff)<<32|uint64(hash(o.server+"\x00"+o.tool, salt)), [hashLen]byte{'_'}
	for i := range hashLen - 1 {
		suffix[hashLen-1-i] = hexDigits[h>>(4*i)&0xf]
	}
	return name[:min(len(name), maxName-hashLen)] + string(suffix[:])
}

// hash is FNV-1a. It need not resist deliberate collisions: a server can only
// collide with itself, and names assigns a name to one tool only.
func hash(s string, salt uint32) uint32 {
	h := uint32(2166136261) ^ salt
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// overrideLocked applies an override of the settings to a new tool.
func (t *Tool) overrideLocked(o *config.Override) {
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
