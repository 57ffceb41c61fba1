package streamhttp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestResponsesOfPublicReports has what servers and gateways respond to notifications, to
// requests and to the request for the stream of a session, according to the trackers of
// clients for Java, Kotlin, Swift, C# and PHP that refuse it.
func TestResponsesOfPublicReports(t *testing.T) {
	write := func(status int, contentType, body string) func(w http.ResponseWriter, id string) {
		return func(w http.ResponseWriter, id string) {
			w.Header()["Content-Type"] = nil
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "$id", id))
		}
	}
	const result = `{"jsonrpc":"2.0","id":$id,"result":` + done + `}`
	for _, tt := range []struct {
		to   string // a notification, a call or GET
		with func(w http.ResponseWriter, id string)
	}{
		{"note", write(200, "", "")},                                                                       // helidon-mcp#175
		{"note", write(202, "text/plain; charset=utf-8", "Accepted")},                                      // java-sdk#748
		{"note", write(200, "application/json", "{}")},                                                     // java-sdk#413
		{"note", write(202, "application/json", "null")},                                                   // java-sdk#757
		{"note", write(200, "application/json", "")},                                                       // revv#145
		{"note", write(200, "application/json", `{"jsonrpc":"2.0","id":null}`)},                            // oramacore#335
		{"note", write(200, "application/json", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)}, // chimp#53
		{"note", write(200, "text/event-stream", "data:\n\n")},                                             // java-sdk#586
		{"note", write(200, "text/event-stream", "event: message\ndata: {}\n\n")},                          // metorial-platform#509
		{"note", write(200, "application/json", `{"jsonrpc":"2.0","result":{}}`)},                          // shenyu#6834
		{"note", write(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)},         // shenyu#6834, of an earlier request
		{"note", write(200, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`)},
		{"get", write(200, "text/event-stream", "")},               // kotlin-sdk#715
		{"get", write(404, "text/html", "<html>not found</html>")}, // docs-mcp-server#312
		{"get", write(409, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Conflict"}}`)},
		{"get", write(502, "text/html", "<html>bad gateway</html>")}, // conductai#1744
		{"get", write(200, "application/json", `{"status":"ok"}`)},
		{"call", write(200, "text/event-stream", "data: "+result+"\nevent: message\n\n")},                                                                     // kotlin-sdk#100
		{"call", write(200, "text/event-stream", "event: message\r\ndata: "+result+"\r\n\r\n")},                                                               // agent-deck#117
		{"call", write(200, "text/event-stream", ": ping\n\ndata:\n\ndata: "+result+"\n\n")},                                                                  // SSE comments and empty data
		{"call", write(200, "text/event-stream", `data: {"jsonrpc":"2.0","method":"data","params":{"content":{"type":"ready"}}}`+"\n\ndata: "+result+"\n\n")}, // modelcontextprotocol#629
		{"call", write(200, "text/event-stream", `data: {"jsonrpc":"2.0","method":"notifications/progress","params":[]}`+"\n\ndata: "+result+"\n\n")},
		{"call", write(200, "application/json; charset=utf-8", "\ufeff"+result)},
		{"call", write(200, "application/json", `{"jsonrpc":"2.0","id":$id,"result":`+done+`,"error":null,"method":null}`)}, // Wazuh-MCP-Server#59
		{"call", write(200, "application/json", `{"jsonrpc":"2.0","id":"$id","result":`+done+`}`)},                          // WxMCPServer#17
		{"call", write(200, "application/json", `{"jsonrpc":"2.0","id":$id.0,"result":`+done+`}`)},
		{"call", write(201, "application/json", result)},
		{"ping", write(200, "application/json", "{}")},                                     // envoy#42456
		{"ping", write(200, "application/json", `{"jsonrpc":"2.0","id":$id,"result":[]}`)}, // bricks-mcp#45
	} {
		name := tt.to + " "
		t.Run(name, func(t *testing.T) {
			s := &server{session: "s"}
			s.post = func(w http.ResponseWriter, r *request) bool {
				switch {
				case tt.to == "note" && r.ID == nil && r.Method != "", tt.to == "call" && r.Method == "tools/call", tt.to == r.Method:
					tt.with(w, string(r.ID))
					return true
				}
				return false
			}
			if tt.to == "get" {
				s.get = func(w http.ResponseWriter, _ *http.Request) { tt.with(w, "") }
			}
			c := s.open(t, nil, &mcp.Options{Trace: &mcp.Trace{Odd: func(_ context.Context, reason error, _ []byte) { t.Log("odd:", reason) }}})
			callTool(t, c, "x")
			callTool(t, c, "x")
			if err := c.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestErrorsOfPublicReports: an error outside of a JSON-RPC response has its text.
func TestErrorsOfPublicReports(t *testing.T) {
	stack := strings.Repeat(`{"className":"io.modelcontextprotocol.server.Servlet","lineNumber":264},`, 100)
	for _, tt := range []struct {
		status           int
		contentType      string
		body, want, lack string
	}{
		{200, "text/event-stream", `event: error` + "\n" + `data: {"jsonrpc":"2.0","id":$id,"error":{"code":-32000,"message":"quota exceeded"}}` + "\n\n", "quota exceeded (code -32000)", "stream"}, // python-sdk#1514
		{400, "application/json", `{"cause":null,"stackTrace":[` + stack + `{}],"jsonRpcError":{"code":-32602,"message":"no such city","data":null}}`, "no such city", "stackTrace"},                 // java-sdk#955
		{200, "text/event-stream", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\n\x4b", "the server compresses the stream without Content-Encoding", "before the result"},                               // puppyone#1319
	} {
		s := &server{session: "s"}
		s.post = func(w http.ResponseWriter, r *request) bool {
			if r.Method == "tools/call" {
				w.Header().Set("Content-Type", tt.contentType)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, strings.ReplaceAll(tt.body, "$id", string(r.ID)))
			}
			return r.Method == "tools/call"
		}
		_, err := s.open(t, nil, nil).CallTool(t.Context(), "x", nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), tt.lack) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}
