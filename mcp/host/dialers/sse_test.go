package dialers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/sse"
)

// TestSSEAlone: with the headers of the settings, and without OAuth.
func TestSSEAlone(t *testing.T) {
	s, err := testserver.StartHTTP(testserver.New(nil), &testserver.HTTPOptions{SSEOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Team") != "red" || r.Header.Get("X-Base") != "1" {
			t.Errorf("headers %v", r.Header)
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer guarded.Close()
	base := http.Header{"X-Base": {"1"}}
	h := host.New(&host.Options{Retry: host.Retry{Max: -1}, Dialers: host.Dialers{config.SSE: dialers.SSE(&sse.Options{Header: base})}})
	defer h.Shutdown(context.Background())
	d := h.SetServers(t.Context(), []*host.Server{
		{Name: "open", URL: s.SSE},
		{Name: "guarded", Type: config.SSE, URL: guarded.URL, Headers: map[string]string{"X-Team": "red"}},
	})
	var e *host.Error
	if len(d.Errors) != 1 || !errors.As(d.Errors["guarded"], &e) || e.Category != host.CategoryAuthentication || len(base) != 1 {
		t.Errorf("%v", d.Errors)
	}
	if h.Tool("mcp__open__echo") == nil {
		t.Error("no tools")
	}
	if _, err := dialers.SSE(nil)(t.Context(), nil); err == nil {
		t.Error("nil parameters are not an error")
	}
}

func ExampleSSE() {
	h := host.New(&host.Options{Dialers: host.Dialers{
		config.Stdio: host.Stdio,
		config.SSE:   dialers.SSE(nil),
	}})
	ctx := context.Background()
	defer h.Shutdown(ctx)
	diff := h.SetServers(ctx, []*host.Server{{Name: "old", Type: config.SSE, URL: "http://127.0.0.1:1/sse", MaxRetries: -1}})
	for _, err := range diff.SortedErrors() {
		fmt.Println(err.(*host.Error).Category)
	}
	// Output: connection
}
