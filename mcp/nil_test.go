package mcp_test

import (
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestNilArguments checks that a nil argument is an error that names it, or the
// obvious default.
func TestNilArguments(t *testing.T) {
	for _, tr := range []mcp.Transport{nil, mcp.FirstOf(), mcp.FirstOf(nil), mcp.FirstOf(nil, nil)} {
		_, err := mcp.Connect(t.Context(), tr, nil)
		wantError(t, err, nil, "transport")
	}
	_, err := mcp.Connect(t.Context(), noTransport{}, &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}, nil}})
	wantError(t, err, nil, "Options.Handlers[1] is nil")
	invalid := mcp.RawMessage("[")
	for field, opts := range map[string]*mcp.Options{
		"Options.Extensions": {Extensions: map[string]mcp.RawMessage{"x": invalid}},
		"Experimental":       {Experimental: map[string]mcp.RawMessage{"x": invalid}},
		"Options.Info":       {Info: mcp.Implementation{Name: "x", Extra: map[string]mcp.RawMessage{"x": invalid}}},
	} {
		_, err := mcp.Connect(t.Context(), noTransport{}, opts)
		wantError(t, err, nil, field)
	}
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(nil), &mcp.Options{Handlers: []mcp.Handler{mcp.Changes{Changed: nil}, mcp.HandleRequest("", nil),
			mcp.HandleNotification("", nil), mcp.Roots{List: nil}, mcp.Sampling{}, mcp.Elicitation{}, mcp.Tasks{}}})
		_, err := c.Do(t.Context(), nil)
		wantError(t, err, nil, "the *ToolCall is nil")
		_, err = c.StartTool(t.Context(), nil)
		wantError(t, err, nil, "the *ToolCall is nil")
		wantError(t, c.KeepAlive(t.Context(), 0, 0), nil, "interval")
		wantError(t, c.CallList(t.Context(), "tools/list", "", "tools", nil), nil, "f is nil")
		_, err = c.Call(t.Context(), "", nil)
		wantError(t, err, nil, `server "stdmcp-echo": the Request has no method`)
		s, err := c.Subscribe(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := s.Honored(); !got.ToolsListChanged {
			t.Errorf("a nil filter subscribes to %+v", got)
		}
	})
}
