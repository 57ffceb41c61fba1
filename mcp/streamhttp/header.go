package streamhttp

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// header returns the header of a message, beside what all have.
func (c *conn) header(req *jsonrpc.Request) (http.Header, error) {
	h := make(http.Header, 8)
	m := &req.Mirror
	setRevision(h, m.Revision)
	if m.Session {
		if req.Method != "initialize" {
			c.mu.Lock()
			if c.session != "" {
				h[sessionHeader] = []string{c.session}
			}
			c.mu.Unlock()
		}
		return h, nil
	}
	if req.Method != "" {
		h["Mcp-Method"] = []string{encodeValue(req.Method)}
	}
	if m.Name != "" {
		h["Mcp-Name"] = []string{encodeValue(m.Name)}
	}
	if req.Method == "tools/call" {
		c.mu.Lock()
		bindings := c.tools[m.Name]
		c.mu.Unlock()
		return h, setParams(h, bindings, req.Params)
	}
	return h, nil
}

func setRevision(h http.Header, revision string) {
	if revision != "" {
		h["Mcp-Protocol-Version"] = []string{revision}
	}
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
