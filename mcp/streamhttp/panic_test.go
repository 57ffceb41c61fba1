package streamhttp_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// A panickingTripper panics on requests with a method, and counts them.
type panickingTripper struct {
	http.RoundTripper
	method string
	armed  func() bool
}

func (p panickingTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == p.method && p.armed() {
		panic("oh no")
	}
	return p.RoundTripper.RoundTrip(req)
}

// TestRoundTripperPanics: on the goroutine that reads the stream of the session,
// and on that which writes a response to the server.
func TestRoundTripperPanics(t *testing.T) {
	for name, method := range map[string]string{"the stream of the session": http.MethodGet, "a response": http.MethodPost} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web, err := testserver.StartHTTP(testserver.New(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}}),
					&testserver.HTTPOptions{InMemory: true, StreamableOnly: true})
				if err != nil {
					t.Fatal(err)
				}
				defer web.Close()
				client := web.Client()
				var library atomic.Bool // the next request is one of the library
				client.Transport = panickingTripper{client.Transport, method, func() bool {
					return method == http.MethodGet || library.Load()
				}}
				var mu sync.Mutex
				var reported []any // guarded by mu
				c, err := mcp.Connect(t.Context(), streamhttp.New(web.URL, &streamhttp.Options{Client: client}), &mcp.Options{
					ProtocolVersions: []string{mcp.ProtocolVersion20251125},
					Handlers: []mcp.Handler{mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
						library.Store(true)
						return &mcp.CreateMessageResult{}, nil
					}}},
					Trace: &mcp.Trace{HandlerPanic: func(_ context.Context, v any, _ []byte) {
						mu.Lock()
						defer mu.Unlock()
						reported = append(reported, v)
						library.Store(false)
					}},
				})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if method == http.MethodPost {
					ctx, cancel := context.WithTimeout(t.Context(), 1e9)
					_, _ = c.CallTool(ctx, "ask_sampling", nil)
					cancel()
				}
				if err := c.Ping(t.Context()); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				if len(reported) != 1 || reported[0] != "oh no" {
					t.Errorf("reported %v", reported)
				}
			})
		})
	}
}
