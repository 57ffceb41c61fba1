package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// start returns a host with one server, x, whose tool ok returns its argument text and
// whose tool fails fails.
func start(t *testing.T) (*host.Host, *mcptest.Server) {
	server := mcptest.New(t)
	server.Name = "x"
	server.ProtocolVersions = []string{mcp.ProtocolVersion20251125} // the last with sessions
	server.Tool("ok", nil, func(c *mcptest.Call) (any, error) { return c.Text("text"), nil })
	server.Tool("fails", nil, func(c *mcptest.Call) (any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent("out of order")}, IsError: true}, nil
	})
	h := host.New(&host.Options{Dialers: host.Dialers{"sdk": server.Dialer()}})
	t.Cleanup(func() { h.Shutdown(t.Context()) })
	if err := h.AddServer(t.Context(), &host.Server{Name: "x", Type: "sdk"}); err != nil {
		t.Fatal(err)
	}
	return h, server
}

// TestFailuresReachTheModel: a result that says that the tool failed is a failure in
// each of the interfaces, with the text of the tool.
func TestFailuresReachTheModel(t *testing.T) {
	h, _ := start(t)
	const name = "mcp__x__fails"
	var texts []string
	if n := registerMapTools(h, func(tool MapTool) {
		if res := tool.Execute(t.Context(), nil); tool.Name() == name && res.IsError && res.Err != nil {
			texts = append(texts, res.ForModel)
		}
	}, "x"); n != 2 {
		t.Errorf("%d tools", n)
	}
	registerRawTools(h, func(tool RawTool) {
		if _, err := tool.Execute(t.Context(), nil); tool.Name() == name && err != nil {
			texts = append(texts, err.Error())
		}
	})
	if _, err := functions(h)[name](t.Context(), nil); err != nil {
		texts = append(texts, err.Error())
	}
	registerOutputTools(h, func(tool OutputTool) {
		if out, err := tool.Execute(t.Context(), &Input{}); tool.Name() == name && err == nil && !out.Success {
			texts = append(texts, out.Error)
		}
	})
	if len(texts) != 4 {
		t.Errorf("%d of 4 failures", len(texts))
	}
	for _, text := range texts {
		if !strings.Contains(text, "out of order") {
			t.Errorf("%q", text)
		}
	}
}

func TestOnlyCapableAgentsUseATool(t *testing.T) {
	h, _ := start(t)
	registerOutputTools(h, func(tool OutputTool) {
		for capability, want := range map[string]bool{"mcp_integration": true, "mcp_x": true, "mcp_y": false, "": false} {
			if got := tool.CanExecute(&Agent{[]string{capability}}); got != want {
				t.Errorf("%s with %q: %v", tool.Name(), capability, got)
			}
		}
	})
}

// A namedTools is a NamedRegistry.
type namedTools map[[2]string]json.RawMessage

func (n namedTools) RegisterMCPTool(server, tool, _ string, schema json.RawMessage) {
	n[[2]string{server, tool}] = schema
}

func (n namedTools) UnregisterMCPTools(server string) {
	for name := range n {
		if name[0] == server {
			delete(n, name)
		}
	}
}

func TestRegistriesFollowTheHost(t *testing.T) {
	h, server := start(t)
	named, registry := namedTools{}, &Registry{tools: make(map[string]RawTool)}
	followers := []*host.Follower{followNamed(t.Context(), h, named), registry.Follow(t.Context(), h)}
	want := func(tools int) {
		t.Helper()
		for _, f := range followers {
			if err := f.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(named) != tools || len(registry.tools) != tools {
			t.Errorf("%d and %d tools, want %d", len(named), len(registry.tools), tools)
		}
	}
	want(2)
	server.Tool("more", nil, nil)
	if d := h.Refresh(t.Context()); len(d.Errors) > 0 {
		t.Fatal(d.Errors)
	}
	want(3)
	if err := h.SetEnabled("x", false); err != nil {
		t.Fatal(err)
	}
	want(0)
}

// TestCallRenewsASessionThatTheServerLost: over HTTP, where a session can be lost.
func TestCallRenewsASessionThatTheServerLost(t *testing.T) {
	_, server := start(t)
	server.Inject("ok", mcptest.LoseSession())
	h := host.New(&host.Options{Dialers: dialers.All(nil)})
	defer h.Shutdown(t.Context())
	if err := h.AddServer(t.Context(), &host.Server{Name: "flaky", Type: "http", URL: server.StartHTTP(nil).URL}); err != nil {
		t.Fatal(err)
	}
	text, err := functions(h)["mcp__flaky__ok"](t.Context(), map[string]any{"text": "hello"})
	if err != nil || text != "hello" {
		t.Errorf("the tool returns %q, %v", text, err)
	}
}
