package host_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestServerOfInEveryCallback: each function that the clients call knows its server.
func TestServerOfInEveryCallback(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]string) // the server, by the callback
	note := func(ctx context.Context, callback string) {
		mu.Lock()
		defer mu.Unlock()
		seen[callback] = host.ServerOf(ctx)
	}
	s := newFake(&testserver.Options{})
	o := fakes{"x": s}.with(host.Options{Client: &mcp.Options{
		Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			note(ctx, "Interceptor "+call.Method)
			return call.Send(ctx)
		}},
		Trace: &mcp.Trace{
			Message:   func(ctx context.Context, _ bool, _ []byte) { note(ctx, "Message") },
			EraChosen: func(ctx context.Context, _ mcp.ServerInfo) { note(ctx, "EraChosen") },
		},
		Handlers: []mcp.Handler{mcp.Roots{List: func(ctx context.Context) ([]mcp.Root, error) { note(ctx, "Roots"); return nil, nil }}},
	}})
	dial := o.Dialers[config.SDK]
	o.Dialers[config.SDK] = func(ctx context.Context, d *host.DialParams) (mcp.Transport, error) {
		note(ctx, "Dialer")
		return dial(ctx, d)
	}
	h := newHost(t, o)
	if err := h.AddServer(t.Context(), &host.Server{Name: "x", Type: config.SDK}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.CallTool(t.Context(), "x", "ask_roots", nil); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, callback := range []string{"Dialer", "Message", "EraChosen", "Roots", "Interceptor tools/call", "Interceptor tools/list"} {
		if seen[callback] != "x" {
			t.Errorf("%s: the server is %q; called were %q", callback, seen[callback], slices.Sorted(maps.Keys(seen)))
		}
	}
}
