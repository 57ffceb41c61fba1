package compat

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// server is what a server says about itself.
type server struct {
	version      string // of the protocol
	info         *value // name, version and title
	instructions *value
	capabilities *value
}

// ProtocolVersion returns the protocol version in which the server was listed.
func (k *Catalog) ProtocolVersion() string { return k.server.version }

// Server returns the name and the version of the server, on one line.
func (k *Catalog) Server() string {
	info := k.server.info
	return display.EscapeName(diag.Cut(strings.TrimSpace(info.member("name").string()+" "+info.member("version").string()), maxName))
}

// isModern reports whether a protocol version belongs to the modern era.
func isModern(version string) bool { return version >= mcp.ProtocolVersion20260728 }

// compareServers compares what the servers say about themselves.
func (r *report) compareServers(old, new *Catalog) {
	c := itemComparer{r, "server"}
	a, b := &old.server, &new.server
	was, is := text(a.version), text(b.version)
	switch {
	case a.version == b.version:
	case a.version == "" || b.version == "":
		c.add(Unknown, "protocol version", "was not recorded", was, is)
	case isModern(a.version) != isModern(b.version):
		c.add(Unknown, "protocol version", "the era changed: callers that speak one era only are lost", was, is)
	case a.version > b.version:
		c.add(Unknown, "protocol version", "is older than before", was, is)
	default:
		c.add(Noted, "protocol version", "is newer than before", was, is)
	}
	for _, key := range unionKeys(a.info, b.info) {
		if x, y := a.info.member(key), b.info.member(key); !same(x, y) {
			c.add(Noted, quoteKey(key), "changed", x, y)
		}
	}
	if !same(a.instructions, b.instructions) {
		c.add(Noted, "instructions", "the instructions for the model changed", a.instructions, b.instructions)
	}
	if x, y := old.declared, new.declared; x != nil && y != nil && !same(x, y) && isModern(a.version) == isModern(b.version) {
		c.add(Unknown, "", "the catalogs were listed by clients with different capabilities, and a server may offer them different tools", x, y)
	}
	c.compareCapabilities("capabilities", a.capabilities, b.capabilities, 0)
}

// compareCapabilities compares two objects of capabilities. What is false is absent.
func (c itemComparer) compareCapabilities(path string, old, new *value, depth int) {
	const deepest = 4
	for _, key := range unionKeys(old, new) {
		a, b := old.member(key), new.member(key)
		at := join(path, key)
		switch {
		case same(a, b) || isAbsent(a) && isAbsent(b):
		case isAbsent(a):
			c.add(OK, at, "the server gained a capability", a, b)
		case isAbsent(b):
			c.add(Unknown, at, "the server lost a capability", a, b)
		case a.isObject() && b.isObject() && depth < deepest:
			c.compareCapabilities(at, a, b, depth+1)
		default:
			c.add(Unknown, at, "a capability changed", a, b)
		}
	}
}

func isAbsent(v *value) bool { return v == nil || v.is("false") || v.kind == wire.Null }

// text returns a string as a value, or nil for an empty one.
func text(s string) *value {
	if s == "" {
		return nil
	}
	return must(string(wire.AppendString(nil, s)))
}
