package mcp_test

import (
	"bufio"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestShapesOfPublicReports has what servers of other languages send, according to the
// trackers of clients that refuse it. Many are in PHP, R and Perl, which encode an empty
// object as [].
func TestShapesOfPublicReports(t *testing.T) {
	const (
		initialize = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		tools      = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
		call       = `{"content":[{"type":"text","text":"hi"}]}`
	)
	for _, tt := range []struct{ method, sends, want string }{
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":[],"serverInfo":{"name":"x","version":"1"}}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":[],"resources":[],"prompts":[],"logging":[]},"serverInfo":{"name":"x","version":"1"}}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":[{"name":"t"}]},"serverInfo":{"name":"x","version":"1"}}`, "hi"},
		{"initialize", `{"protocolVersion":"2024-11-05","capabilities":{"tools":{"list":true,"call":true}},"serverInfo":{"name":"x","version":"1"}}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":true},"serverInfo":{"name":"x","version":"1"}}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"experimental":{"hello":true}},"serverInfo":{"name":"x","version":"1"}}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"experimental":[]},"serverInfo":{"name":"x","version":"1"},"_meta":[]}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":null,"serverInfo":null,"instructions":null}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","serverInfo":{"name":"x","version":1.5}}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":"true"}},"serverInfo":[]}`, "hi"},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":null}},"serverInfo":"x"}`, "hi"},
		{"tools/list", `{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":null,"_meta":null}`, "hi"},
		{"tools/list", `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":[],"required":[]}}],"_meta":[]}`, "hi"},
		{"tools/list", `{"tools":[{"name":"t","inputSchema":[],"annotations":[],"_meta":[]}]}`, "hi"},
		{"tools/list", `{"tools":[{"name":"t","title":null,"description":null,"icons":null,"annotations":null,"outputSchema":null,"inputSchema":null}]}`, "hi"},
		{"tools/list", `{"tools":[{"name":"t","description":7,"inputSchema":{"type":"object"},"outputSchema":[]}]}`, "hi"},
		{"tools/call", `{"content":[{"type":"text","text":"hi","annotations":[],"_meta":[]}],"_meta":[],"isError":null}`, "hi"},
		{"tools/call", `{"content":[{"type":"text","text":"hi"}],"isError":"False","structuredContent":null}`, "hi"},
		{"tools/call", `{"content":[{"type":"text","text":"hi"}],"structuredContent":[]}`, "hi"},
		{"tools/call", `{"content":[{"type":"text","text":"hi"}],"structuredContent":[{"id":1}]}`, "hi"},
		{"tools/call", `{"content":[]}`, ""},
	} {
		t.Run("", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				go func() { // ends with the pipe
					defer theirs.Close()
					for lines := bufio.NewScanner(theirs); lines.Scan(); {
						id, method := wire.Lookup(lines.Bytes(), "id"), string(wire.Lookup(lines.Bytes(), "method"))
						if id == nil {
							continue
						}
						result := map[string]string{"initialize": initialize, "tools/list": tools, "tools/call": call}[strings.Trim(method, `"`)]
						switch {
						case method == `"`+tt.method+`"`:
							result = tt.sends
						case result == "":
							_, _ = theirs.Write([]byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"error":{"code":-32601,"message":"Method not found","data":[]}}` + "\n"))
							continue
						}
						_, _ = theirs.Write([]byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `,"error":null}` + "\n"))
					}
				}()
				c, err := mcp.Connect(t.Context(), stdio.Stream(ours), nil)
				if err != nil {
					t.Errorf("%s: %v", tt.sends, err)
					return
				}
				defer c.Close()
				list, err := c.ListTools(t.Context())
				if err != nil || len(list) != 1 {
					t.Errorf("%s: %d tools, %v", tt.sends, len(list), err)
				}
				res, err := c.CallTool(t.Context(), "t", nil)
				if err != nil || res.IsError || res.Text() != tt.want {
					t.Errorf("%s: %+v, %v", tt.sends, res, errors.Unwrap(err))
				}
			})
		})
	}
}
