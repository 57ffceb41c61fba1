package host

import (
	"strings"
)

// A Naming is a scheme for the names of tools.
type Naming uint8

// The schemes.
const (
	MCPServerTool Naming = iota // mcp__server__tool
	ServerTool                  // server__tool
	MCPUnderscore               // mcp_server_tool
)

const (
	// maxName is the maximum length that model providers accept.
	maxName = 64

	// hashLen is the length of the hash that a name may end with.
	hashLen = 9
)

// An origin identifies a tool by its server's name in the settings and its own
// name in the server.
type origin struct{ server, tool string }

// names maps tools to their names and back. A tool keeps its name while it
// exists, so that a permission for one tool never applies to another. The maps
// must be initialized.
type names struct {
	naming  Naming
	given   map[origin]string
	origins map[string]origin
}

// name returns the name of a tool.
func (n *names) name(o origin) string { return n.nameAs(o, o.tool) }

// nameAs is name for a tool that the settings may rename.
func (n *names) nameAs(o origin, tool string) string {
	if name, ok := n.given[o]; ok {
		return name
	}
	name := n.naming.Name(o.server, tool)
	for i := uint32(0); ; i++ {
		if _, taken := n.origins[name]; !taken {
			break
		}
		name = n.naming.hashed(o, i)
	}
	n.given[o], n.origins[name] = name, o
	return name
}

// forget frees the name of a tool, which is about to have another one.
func (n *names) forget(o origin) {
	if name, ok := n.given[o]; ok {
		delete(n.origins, name)
		delete(n.given, o)
	}
}

// release frees the names of a server's tools that are no longer used.
//
//go:noinline
func (n *names) release(server string, used func(tool string) bool) {
	for o, name := range n.given {
		if o.server == server && !used(o.tool) {
			delete(n.given, o)
			delete(n.origins, name)
		}
	}
}

// Name returns the name of a tool. It matches ^[a-zA-Z0-9_-]{1,64}$. If
// characters had to be replaced, or if it is ambiguous where the server's name
// ends, the name ends with 8 hexadecimal digits of a hash of both names. A name
// cannot be parsed; use Host.Tool.
func (n Naming) Name(server, tool string) string {
	full := n.format(server, tool)
	name := replaceInvalid(full)
	ambiguous := n != MCPUnderscore && (strings.Contains(server, "__") || strings.HasSuffix(server, "_"))
	if name == full && len(name) <= maxName && !ambiguous && server != "" && tool != "" {
		return name
	}
	return n.hashed(origin{server, tool}, 0)
}

//go:noinline
func (n Naming) format(server, tool string) string {
	switch n {
	case ServerTool:
		return server + "__" + tool
	case MCPUnderscore:
		return "mcp_" + server + "_" + tool
	}
	return "mcp__" + server + "__" + tool
}

// replaceInvalid replaces each character that a provider rejects with an
// underscore.
//
//go:noinline
func replaceInvalid(s string) string {
	b := make([]byte, 0, len(s))
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

// hashed returns a name that ends with a hash.
func (n Naming) hashed(o origin, salt uint32) string {
	const digits = "0123456789abcdef"
	h, suffix := hash(o, salt), []byte("_........")
	for i := range hashLen - 1 {
		suffix[hashLen-1-i] = digits[h>>(4*i)&0xf]
	}
	name := replaceInvalid(n.format(o.server, o.tool))
	return name[:min(len(name), maxName-hashLen)] + string(suffix)
}

// hash is FNV-1a. It need not resist deliberate collisions: names assigns a
// name to one tool only.
func hash(o origin, salt uint32) uint32 {
	h := uint32(2166136261) ^ salt
	for _, s := range [...]string{o.server, "\x00", o.tool} {
		for i := range len(s) {
			h = (h ^ uint32(s[i])) * 16777619
		}
	}
	return h
}
