package host_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// Changes of the lists of prompts and resources are one event each, however many
// notifications the server sends, and don't list the tools again.
func TestPromptsAndResourcesChanged(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125} {
		synctest.Test(t, func(t *testing.T) {
			server := mcptest.New(t)
			server.ProtocolVersions = []string{version}
			server.Tool("t", nil, nil)
			server.Prompt("first", nil)
			server.Resource("note://first", "text/plain", "text")
			h := hostOf(t, host.Options{}, map[string]*mcptest.Server{"x": server})
			events := h.Events(t.Context())
			for range 20 {
				server.Prompt("second", nil)
				server.Resource("note://second", "text/plain", "text")
			}
			time.Sleep(time.Second)
			counts := map[host.EventKind]int{}
			for len(events) > 0 {
				e := <-events
				if counts[e.Kind]++; e.Server != "x" {
					t.Errorf("%s: %v", version, e)
				}
			}
			if len(counts) != 2 || counts[host.PromptsChanged] != 1 || counts[host.ResourcesChanged] != 1 {
				t.Errorf("%s: events: %v", version, counts)
			}
			if prompts, err := h.ListPrompts(t.Context(), "x"); err != nil || len(prompts) != 2 {
				t.Errorf("%s: %d prompts, %v", version, len(prompts), err)
			}
			if n := len(server.Requests("tools/list")); n != 1 {
				t.Errorf("%s: tools/list was sent %d times", version, n)
			}
		})
	}
}

// A server that reports changes of its prompts, but not of its tools, is asked for
// the tools when their TTL ends.
func TestToolListTTLBesideOtherSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		server := mcptest.New(t)
		server.TTL = time.Minute
		server.Tool("t", nil, nil)
		server.Prompt("p", nil)
		server.Inject("server/discover", mcptest.Respond(`{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"private",`+
			`"capabilities":{"tools":{},"prompts":{"listChanged":true}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x","version":"1"}}}`))
		h := hostOf(t, host.Options{}, map[string]*mcptest.Server{"x": server})
		events := h.Events(t.Context())
		server.Tool("u", nil, nil)
		await(t, events, "a new tool", func(e host.Event) bool { return len(e.Added) > 0 })
		if took := time.Since(start); took != time.Minute {
			t.Errorf("the list was refreshed after %v", took)
		}
		server.Prompt("q", nil)
		await(t, events, "another prompt", func(e host.Event) bool { return e.Kind == host.PromptsChanged })
	})
}
