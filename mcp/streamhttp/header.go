package streamhttp

import (
	"encoding/base64"
	"maps"
	"net/http"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxHeaders is how many headers are kept for messages to come.
const maxHeaders = 64

// A headerKey is what the header of a message depends on.
type headerKey struct {
	revision, session, method, name string

	again bool // the message may be sent twice
}

// header returns a new header.
func (k headerKey) header() http.Header {
	h := make(http.Header, 8)
	set := func(name, value string) {
		if value != "" {
			h[name] = []string{value}
		}
	}
	set(revisionHeader, k.revision)
	set(sessionHeader, k.session)
	set("Mcp-Method", encodeValue(k.method))
	set("Mcp-Name", encodeValue(k.name))
	if k.again {
		httpx.AllowRepeat(h)
	}
	return h
}

// header returns the header of a message, beside what Options.Header has. It
// must not be changed, as other messages have the same.
func (c *conn) header(req *jsonrpc.Request) (http.Header, error) {
	m := &req.Mirror
	k := headerKey{revision: m.ProtocolVersion, again: httpx.MayRepeat(req.Method)}
	if !m.Session {
		k.method, k.name = req.Method, m.Name
	}
	c.mu.Lock()
	if m.Session && req.Method != "initialize" {
		k.session = c.usable().id
		if c.opening != nil && req.Method == "notifications/initialized" {
			k.session = c.opening.id
		}
	}
	h := c.headers[k]
	if h == nil {
		if len(c.headers) == maxHeaders {
			clear(c.headers)
		}
		h = k.header()
		h["Content-Type"] = []string{typeJSON}
		h["Accept"] = []string{typeJSON + ", " + eventStream}
		c.headers[k] = h
	}
	bindings := c.tools[m.Name]
	c.mu.Unlock()
	if k.method != "tools/call" || bindings == nil {
		return h, nil
	}
	h = maps.Clone(h)
	return h, setParams(h, bindings, req.Params)
}

const base64Prefix, base64Suffix = "=?base64?", "?="

// encodeValue returns s as it can stand in a header: as it is, or in base64
// where it could be taken for something else or not be sent (2026-07-28:
// Streamable HTTP, value encoding). A tab may be sent, but not all think so.
func encodeValue(s string) string {
	plain := strings.Trim(s, " ") == s && !(strings.HasPrefix(s, base64Prefix) && strings.HasSuffix(s, base64Suffix))
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(s)) + base64Suffix
}
