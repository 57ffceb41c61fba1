package main

import (
	"errors"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// start returns a toolset of a server with weather tools.
func start(t *testing.T) (*Toolset, *mcptest.Server) {
	server := mcptest.New(t)
	for _, name := range []string{"get_weather", "get_weather1"} {
		server.Tool(name, nil, func(c *mcptest.Call) (any, error) {
			return "Today in " + c.Text("city") + " is sunny", nil
		})
	}
	s := &Toolset{Transport: server}
	t.Cleanup(func() { s.Close() })
	return s, server
}

func TestToolFilter(t *testing.T) {
	s, _ := start(t)
	s.Filter = func(t *mcp.Tool) bool { return t.Name == "get_weather" }
	tools, err := s.Tools(t.Context())
	if err != nil || len(tools) != 1 || tools[0].Name != "get_weather" {
		t.Errorf("tools %v, %v", tools, err)
	}
}

func TestListToolsReconnection(t *testing.T) {
	s, server := start(t)
	server.Inject("tools/list", mcptest.Crash())
	if tools, err := s.Tools(t.Context()); err != nil || len(tools) != 2 {
		t.Errorf("tools %v, %v", tools, err)
	}
	server.WantMethods("tools/list", "tools/list")
}

func TestCallToolReconnection(t *testing.T) {
	s, server := start(t)
	server.Inject("get_weather", mcptest.Crash())
	if _, err := s.Run(t.Context(), "get_weather", nil); !errors.Is(err, mcp.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	text, err := s.Run(t.Context(), "get_weather", map[string]any{"city": "Paris"})
	if err != nil || text != "Today in Paris is sunny" {
		t.Errorf("%q, %v", text, err)
	}
	server.WantCalls("get_weather", 2)
}
