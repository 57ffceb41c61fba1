package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A replacedServer is the modern server that the client knows, until a legacy one is at the
// same URL.
type replacedServer struct {
	changingServer
	replaced bool
	pages    bool     // it is replaced after the first page of its tools
	got      []string // params of the calls that the legacy server received
}

func (s *replacedServer) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) { return s, nil }

func (s *replacedServer) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	inSession := req.HTTP.Session == jsonrpc.InSession
	switch {
	case s.pages && !s.replaced:
		s.replaced = true
		return []byte(`{"resultType":"complete","nextCursor":"c","tools":[{"name":"old","inputSchema":{"type":"object"}}]}`), nil
	case s.replaced && !inSession && req.Method == "tools/call":
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}
	case s.replaced && req.Method == "tools/call":
		s.got = append(s.got, string(req.Params))
		return []byte(`{"content":[]}`), nil
	case s.replaced:
		return s.changingServer.Call(ctx, req)
	case req.Method == "tools/list":
		return []byte(`{"resultType":"complete","ttlMs":86400000,"tools":[{"name":"old","inputSchema":{"type":"object"}}]}`), nil
	}
	return []byte(`{"resultType":"input_required","requestState":"of the old one","inputRequests":{"q":{"method":"roots/list"}}}`), nil
}

// replacedTransport opens a replacedServer.
type replacedTransport struct{ *replacedServer }

func (replacedTransport) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

// TestReplacedServer: another server does not receive the answers to the questions of the
// first one, and nothing that the first one permitted to cache stands for what it says.
func TestReplacedServer(t *testing.T) {
	s := &replacedServer{changingServer: changingServer{done: make(chan struct{})}}
	c := connectTransport(t, replacedTransport{s}, &mcp.Options{
		CachedServer: &mcp.ServerInfo{ProtocolVersion: modern}, Cache: mcp.CacheSize(0),
		Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
			s.replaced = true
			return []mcp.Root{{URI: "file:///secret"}}, nil
		}}},
	})
	if tools, err := c.ListTools(t.Context()); err != nil || len(tools) != 1 {
		t.Fatal(tools, err)
	}
	if _, err := c.CallTool(t.Context(), "old", nil); err == nil {
		t.Error("the call has a result")
	}
	if _, err := c.CallTool(t.Context(), "new", nil); err != nil || len(s.got) != 1 || strings.Contains(s.got[0], "old") {
		t.Errorf("the legacy server received %s, %v", s.got, err)
	}
	if tools, err := c.ListTools(t.Context()); err != nil || len(tools) != 0 {
		t.Errorf("the tools are %v, %v", tools, err)
	}
}

// TestServerIsReplacedWhileTheUserAnswers: another call may find the other server first.
func TestServerIsReplacedWhileTheUserAnswers(t *testing.T) {
	s := &replacedServer{changingServer: changingServer{done: make(chan struct{})}}
	var c *mcp.Client
	c = connectTransport(t, replacedTransport{s}, &mcp.Options{
		CachedServer: &mcp.ServerInfo{ProtocolVersion: modern},
		Handlers: []mcp.Handler{mcp.Roots{List: func(ctx context.Context) ([]mcp.Root, error) {
			s.replaced = true
			_, err := c.CallTool(ctx, "new", nil)
			return []mcp.Root{{URI: "file:///secret"}}, err
		}}},
	})
	_, err := c.CallTool(t.Context(), "old", nil)
	wantError(t, err, mcp.ErrInputRequired)
	if len(s.got) != 1 || strings.Contains(s.got[0], "old") {
		t.Errorf("the legacy server received %s", s.got)
	}
}

// TestServerIsReplacedWithinList: another server does not continue a list of the first one.
func TestServerIsReplacedWithinList(t *testing.T) {
	for _, cache := range []mcp.Cache{nil, mcp.CacheSize(0)} {
		s := &replacedServer{changingServer: changingServer{done: make(chan struct{})}, pages: true}
		c := connectTransport(t, replacedTransport{s}, &mcp.Options{CachedServer: &mcp.ServerInfo{ProtocolVersion: modern}, Cache: cache})
		if tools, err := c.ListTools(t.Context()); err == nil && len(tools) > 0 {
			t.Errorf("the tools are those of both servers: %v", tools)
		}
		if tools, err := c.ListTools(t.Context()); err != nil || len(tools) != 0 {
			t.Errorf("the tools are %v, %v", tools, err)
		}
	}
}
