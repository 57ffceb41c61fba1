package interop

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// TestToolsForApps: the example server of MCP Apps has a tool that only its user
// interface may call. Models do not see it, and the program can call it.
func TestToolsForApps(t *testing.T) {
	for _, s := range zoo(t) {
		if s.Name != "system-monitor" {
			continue
		}
		entry := script(t, "server-system-monitor")
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a hang fails the test
		defer cancel()
		h := host.New(nil)
		defer h.Shutdown(context.Background())
		d := h.SetServers(ctx, load(t, map[string]any{"monitor": map[string]any{"command": "node", "args": []string{entry, "--stdio"}}}))
		testutil.Must(t, d.Err())
		var apps []string
		for _, tool := range h.AppTools() {
			apps = append(apps, tool.Name())
		}
		if len(h.Tools()) == 0 || !slices.Equal(apps, []string{"mcp__monitor__poll-system-stats"}) {
			t.Fatalf("%d tools for models, %q for apps", len(h.Tools()), apps)
		}
		if _, err := h.Execute(ctx, apps[0], nil); !errors.Is(err, host.ErrUnknownTool) {
			t.Errorf("a model can call it: %v", err)
		}
		res, err := h.CallTool(ctx, "monitor", "poll-system-stats", nil)
		testutil.Must(t, err)
		if res.IsError || len(res.StructuredContent) == 0 {
			t.Errorf("%s", res.Text())
		}
	}
}
