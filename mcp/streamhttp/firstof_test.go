package streamhttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestFirstOfFindsTheOlderTransport has servers of 2024-11-05, which refuse a
// POST to the URL of their stream in several ways.
func TestFirstOfFindsTheOlderTransport(t *testing.T) {
	for _, status := range []int{400, 404, 405, 406, 415} {
		answers := make(chan string, 10)
		over := make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == "GET":
				events(w, "event: endpoint\ndata: /messages\n\n")
				for {
					select {
					case a := <-answers:
						send(w, "data: "+a+"\n\n")
					case <-over:
						return
					case <-r.Context().Done():
						return
					}
				}
			case r.URL.Path == "/messages":
				body, _ := io.ReadAll(r.Body)
				m, _ := jsonrpc.Parse(body)
				switch m.Method {
				case "initialize":
					answers <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}`, m.ID)
				case "tools/call":
					answers <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, done)
				case "server/discover":
					// As servers do that speak 2026-07-28 elsewhere.
					answers <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"no Mcp-Method"}}`, m.ID)
				}
				w.WriteHeader(http.StatusAccepted)
			default:
				http.Error(w, "no", status)
			}
		}))
		c, err := mcp.Connect(within(t, callTimeout), mcp.FirstOf(streamhttp.New(s.URL, nil), sse.New(s.URL, nil)), nil)
		if err != nil {
			t.Errorf("%d: %v", status, err)
		} else {
			if c.Server().Name != "old" {
				t.Errorf("%+v", c.Server())
			}
			callTool(t, c, "x")
			c.Close()
		}
		close(over)
		s.Close()
	}
}

// TestFirstOfStays has servers of the first kind that fail or refuse. The
// second transport is not tried.
func TestFirstOfStays(t *testing.T) {
	refuse := func(status, code int, data string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			m, _ := jsonrpc.Parse(body)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, m.ID, code, data)
		}
	}
	for name, post := range map[string]func(http.ResponseWriter, *http.Request){
		"401":      func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) },
		"403":      func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) },
		"500":      func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) },
		"503":      func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) },
		"web page": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>") },
		"reset":    func(w http.ResponseWriter, r *http.Request) { reset(w) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com", http.StatusTemporaryRedirect)
		},
		"silent":                    func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
		"no common version":         refuse(400, -32022, `,"data":{"supported":["2099-01-01"]}`),
		"missing capability":        refuse(400, -32021, ""),
		"header mismatch":           refuse(400, -32020, ""),
		"no such method, modern":    refuse(404, -32601, ""),
		"refuses initialize in 200": refuse(200, -32602, ""),
	} {
		t.Run(name, func(t *testing.T) {
			gets := make(chan string, 10)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == "GET" {
					gets <- r.URL.Path
					return
				}
				post(w, r)
			}))
			defer s.Close()
			limit := callTimeout
			if name == "silent" {
				limit = 100 * time.Millisecond
			}
			_, err := mcp.Connect(within(t, limit), mcp.FirstOf(streamhttp.New(s.URL, nil), sse.New(s.URL, nil)), nil)
			wantError(t, err, nil)
			if strings.Contains(err.Error(), "; then ") || len(gets) > 0 {
				t.Error("the second transport was tried:", err)
			}
		})
	}
}

// TestFirstOfErrorListsAttempts is about a URL that is not a server of any kind.
func TestFirstOfErrorListsAttempts(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	_, err := mcp.Connect(within(t, callTimeout), mcp.FirstOf(streamhttp.New(s.URL, nil), sse.New(s.URL, nil)), nil)
	wantError(t, err, nil, "connect to "+s.URL+": over Streamable HTTP: initialize: POST "+s.URL+": 404", "; then over HTTP+SSE: GET "+s.URL+": 404",
		"; check that this is the URL of an MCP server")
	wantStatus(t, err, 404)
}
