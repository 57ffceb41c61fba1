package main

import (
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestCallToolReconnectsWhenHTTPServerLosesSession(t *testing.T) {
	server := mcptest.New(t)
	server.ProtocolVersions = []string{mcp.ProtocolVersion20251125} // the last with sessions
	server.Tool("echo", nil, func(c *mcptest.Call) (any, error) { return c.Text("query"), nil })
	server.Inject("echo", mcptest.LoseSession())

	m := NewManager()
	defer m.Close()
	if err := m.Connect(t.Context(), &host.Server{Name: "flaky", Type: "http", URL: server.StartHTTP(nil).URL}); err != nil {
		t.Fatal(err)
	}
	text, err := m.Call(t.Context(), "flaky", "echo", []byte(`{"query": "hello"}`))
	if err != nil || text != "hello" {
		t.Errorf("the tool returns %q, %v", text, err)
	}
	if n := len(server.Requests("initialize")); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
}
