package interop

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

// TestRestartOfEverything restarts a server that refuses the old session with 400.
func TestRestartOfEverything(t *testing.T) {
	rounds := 5
	if os.Getenv("STDMCP_LONG") != "" {
		rounds = 100
	}
	server := serveEverything(t, "http /mcp")
	c, err := mcp.Connect(t.Context(), wrapped.Again(server.transport()), nil)
	testutil.Must(t, err)
	defer c.Close()
	h := host.New(&host.Options{Dialers: dialers.All(nil)})
	defer h.Shutdown(context.Background())
	testutil.Must(t, h.AddServer(t.Context(), &host.Server{Name: "web", Type: config.HTTP, URL: server.url}))
	var client, viaHost []time.Duration
	for range rounds {
		server.kill()
		server.start(t)
		start := time.Now()
		res, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "again"})
		if err != nil || res.Text() != "Echo: again" {
			t.Fatal(res, err)
		}
		client = append(client, time.Since(start))
		start = time.Now()
		res, err = h.CallTool(t.Context(), "web", "echo", map[string]any{"message": "again"})
		if err != nil || res.Text() != "Echo: again" {
			t.Fatal(res, err)
		}
		viaHost = append(viaHost, time.Since(start))
	}
	for what, times := range map[string][]time.Duration{"client": client, "host": viaHost} {
		p99 := testutil.Percentile(times, 99)
		t.Logf("%s: a call after a restart takes %v, p99 %v of %d, budget 1s", what, testutil.Percentile(times, 50), p99, len(times))
		// The budget is for a machine to itself; beyond the limit something hangs.
		limit := testutil.Timeout
		if os.Getenv("STDMCP_FIGURES") != "" {
			limit = time.Second
		}
		if p99 > limit {
			t.Errorf("over %v", limit)
		}
	}
}
