package streamhttp

import (
	"encoding/base64"
	"maps"
	"net/http"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxHeaders is how many headers are kept for later messages.
const maxHeaders = 64

// A headerKey holds everything that the header of a message depends on.
type headerKey struct {
	version, session, method, name string

	repeatable bool // the client may send the message twice
}

func (k headerKey) header() http.Header {
	h := make(http.Header, 8)
	set := func(name, value string) {
		if value != "" {
			h[name] = []string{value}
		}
	}
	set(versionHeader, k.version)
	set(sessionHeader, k.session)
	set("Mcp-Method", encodeValue(k.method))
	set("Mcp-Name", encodeValue(k.name))
	if k.repeatable {
		httpx.AllowRepeat(h)
	}
	httpx.AcceptGzip(h)
	return h
}

// header returns the header of a message, without that of the Options. The caller
// must not change it, as messages share it.
func (c *conn) header(req *jsonrpc.Request) (http.Header, error) {
	about := &req.HTTP
	k := headerKey{version: about.ProtocolVersion, repeatable: about.Repeatable}
	var bindings []binding
	c.mu.Lock()
	switch about.Session {
	case jsonrpc.NoSession:
		k.method, k.name = req.Method, about.Name
		if t := c.bindings[about.Binding]; t != nil {
			bindings = t.all
		}
	case jsonrpc.BeginsSession:
		k.session = c.lastSessionLocked().id
	case jsonrpc.InSession:
		k.session = c.currentSessionLocked().id
	}
	h := c.headers[k]
	if h == nil {
		if len(c.headers) == maxHeaders {
			clear(c.headers)
		}
		k.name = strings.Clone(k.name) // which may be a part of a message
		h = k.header()
		h["Content-Type"] = []string{typeJSON}
		h["Accept"] = []string{typeJSON + ", " + eventStream}
		if len(k.name) <= maxHeaderName {
			c.headers[k] = h
		}
	}
	c.mu.Unlock()
	if bindings == nil {
		return h, nil
	}
	h = maps.Clone(h)
	return h, setParams(h, bindings, req.Params)
}

const base64Prefix, base64Suffix = "=?base64?", "?="

// encodeValue returns s as a header value: as it is, or in base64 if it would be
// ambiguous or invalid (Streamable HTTP, value encoding). A tab is valid, but not
// all servers accept it.
func encodeValue(s string) string {
	asIs := !strings.HasPrefix(s, " ") && !strings.HasSuffix(s, " ") && !(strings.HasPrefix(s, base64Prefix) && strings.HasSuffix(s, base64Suffix))
	for i := 0; asIs && i < len(s); i++ {
		asIs = s[i] >= ' ' && s[i] < 0x7f
	}
	if asIs {
		return s
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(s)) + base64Suffix
}
