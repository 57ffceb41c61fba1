package oauth

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// Row 41 of the fault matrix, with clients of both eras and both transports.
func TestMCPClientCalls(t *testing.T) {
	const calls = 100
	for name, v := range map[string]struct {
		path, protocolVersion string
		open                  func(url string, c *http.Client) mcp.Transport
	}{
		"modern":   {"/mcp", "2026-07-28", stream},
		"legacy":   {"/mcp", "2025-11-25", stream},
		"HTTP+SSE": {"/sse", "2024-11-05", events},
	} {
		t.Run(name, func(t *testing.T) {
			server := testserver.New(&testserver.Options{ProtocolVersions: []string{v.protocolVersion}})
			web := testserver.NewHandler(server, nil)
			defer web.Close()
			e := newEnv(t)
			e.inner, e.prm["resource"], e.base.MaxIdleConnsPerHost = web, e.rs.URL, calls
			robot := &robotUser{e: e}
			// When the token is refused, all calls are before the first gets another.
			var refused atomic.Int32
			var begun atomic.Bool
			inner := e.challenge
			e.challenge = func(r *http.Request) string {
				if begun.Load() && r.Method == http.MethodPost {
					refused.Add(1)
				}
				return inner(r)
			}
			e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/token" && begun.Load() {
					hold(r, func() bool { return refused.Load() >= calls })
				}
				return false
			}
			auth := New(e.rs.URL+v.path, &Options{Base: e.base, Authorizer: robot})
			client, err := mcp.Connect(t.Context(), v.open(e.rs.URL+v.path, auth.Client()), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			e.forgetAccess()
			begun.Store(true)
			var all sync.WaitGroup
			for range calls {
				all.Go(func() {
					if res, err := client.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil || res.Text() != "hi" {
						t.Error(res, err)
					}
				})
			}
			all.Wait()
			if robot.times != 1 || e.count("refresh_token") != 1 {
				t.Errorf("asked %d times, refreshed %d times", robot.times, e.count("refresh_token"))
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			if v := server.Violations(); v != nil {
				t.Errorf("the server complains: %q", v)
			}
		})
	}
}

func stream(url string, c *http.Client) mcp.Transport {
	return streamhttp.New(url, &streamhttp.Options{Client: c})
}

func events(url string, c *http.Client) mcp.Transport {
	return sse.New(url, &sse.Options{Client: c})
}
