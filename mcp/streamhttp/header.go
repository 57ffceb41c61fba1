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
	c.mu.Lock()
	if m.Revision != "" {
		if c.revisionValue[0] != m.Revision {
			c.revisionValue = []string{m.Revision}
		}
		h[revisionHeader] = c.revisionValue
	}
	if m.Session && req.Method != "initialize" && c.session != nil {
		h[sessionHeader] = c.session
	}
	bindings := c.tools[m.Name]
	c.mu.Unlock()
	if m.Session {
		return h, nil
	}
	if req.Method == "tools/call" {
		h["Mcp-Method"] = methodCall
	} else if req.Method != "" {
		h["Mcp-Method"] = []string{encodeValue(req.Method)}
	}
	if m.Name != "" {
		h["Mcp-Name"] = []string{encodeValue(m.Name)}
	}
	if req.Method == "tools/call" {
		return h, setParams(h, bindings, req.Params)
	}
	return h, nil
}

// sessionHeader returns the header of what belongs to the session.
func (c *conn) sessionHeader() http.Header {
	c.mu.Lock()
	mirror := jsonrpc.Mirror{Session: true, Revision: c.revision}
	c.mu.Unlock()
	h, _ := c.header(&jsonrpc.Request{Mirror: mirror})
	return h
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
