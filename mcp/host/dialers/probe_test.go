package dialers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestServerThatEndsOnTheProbe: the error names the request, and after two deaths the host
// sends initialize first.
func TestServerThatEndsOnTheProbe(t *testing.T) {
	server := testserver.New(&testserver.Options{Fault: "discover-ends"})
	web, err := testserver.StartHTTP(server, &testserver.HTTPOptions{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	client := web.Client()
	defer client.CloseIdleConnections()
	_, err = mcp.Connect(t.Context(), streamhttp.New(web.URL, &streamhttp.Options{Client: client}), nil)
	if !errors.Is(err, diag.ErrEndedByProbe) || !strings.Contains(err.Error(), "the server ended on server/discover") || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
	h := host.New(&host.Options{Dialers: host.Dialers{config.HTTP: dialers.HTTP(&streamhttp.Options{Client: client})}, Retry: host.Retry{Max: -1}})
	defer h.Shutdown(context.Background())
	testutil.Must(t, web.Up())
	if err := h.AddServer(t.Context(), &host.Server{Name: "x", URL: web.URL}); !errors.Is(err, diag.ErrEndedByProbe) {
		t.Fatal(err)
	}
	for range 2 {
		testutil.Must(t, web.Up())
		err = h.Reconnect(t.Context(), "x")
	}
	probes := 0
	for _, r := range web.Requests() {
		if r.Header.Get("Mcp-Method") == "server/discover" {
			probes++
		}
	}
	if err != nil || probes != 3 {
		t.Errorf("%d probes, %v", probes, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := h.CallTool(ctx, "x", "echo", map[string]any{"message": "hi"}); err != nil {
		t.Error(err)
	}
}

// TestWebPageAtTheURL: the error says that the server responds with a web page, over each
// transport and with the host, which tries both.
func TestWebPageAtTheURL(t *testing.T) {
	web, err := testserver.StartHTTP(testserver.New(&testserver.Options{Fault: "pages"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	h := host.New(&host.Options{Dialers: dialers.All(nil), Retry: host.Retry{Max: -1}})
	defer h.Shutdown(context.Background())
	for _, path := range []string{"", "/app"} {
		for what, connect := range map[string]func(url string) error{
			"HTTP":     func(url string) error { _, err := mcp.Connect(t.Context(), streamhttp.New(url, nil), nil); return err },
			"HTTP+SSE": func(url string) error { _, err := mcp.Connect(t.Context(), sse.New(url, nil), nil); return err },
			"host": func(url string) error {
				return h.AddServer(t.Context(), &host.Server{Name: "x" + path[min(1, len(path)):], URL: url})
			},
		} {
			if err := connect(web.Base + path); err == nil || strings.Count(err.Error(), web.Base+path+": 200 OK with text/html") != 1 ||
				!strings.HasSuffix(err.Error(), "(a web page)") {
				t.Errorf("%s at %q: %v", what, path, err)
			}
		}
	}
}
