package mcp_test

import (
	"context"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A changingServer is a server that was modern when the client last asked it, and is
// a legacy one from the first call of tools/list on. It is the transport, too.
type changingServer struct {
	result string // of tools/call
	during func() // called when the server has responded to tools/call and Call has not returned
	done   chan struct{}
}

func (s *changingServer) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) { return s, nil }

func (s *changingServer) Call(_ context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	switch req.Method {
	case "tools/call":
		s.during()
		return []byte(s.result), nil
	case "initialize":
		return []byte(`{"protocolVersion":"` + legacy + `","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}`), nil
	case "tools/list":
		if req.HTTP.Session == jsonrpc.InSession {
			return []byte(`{"tools":[]}`), nil
		}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}
}

func (s *changingServer) Notify(context.Context, *jsonrpc.Request) error { return nil }

func (s *changingServer) Reply(context.Context, jsonrpc.ID, jsonrpc.RawMessage, *jsonrpc.Error) error {
	return nil
}

func (s *changingServer) Done() <-chan struct{} { return s.done }
func (s *changingServer) Err() error            { return nil }
func (s *changingServer) Close() error          { return nil }

func (s *changingServer) Features() *jsonrpc.Features { return &jsonrpc.Features{Stateless: true} }

// changingTransport opens a changingServer.
type changingTransport struct{ *changingServer }

func (changingTransport) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

// TestResultIsReadInTheEraOfItsCall: another call of the client finds meanwhile that
// the server is a legacy one, whose results have no type.
func TestResultIsReadInTheEraOfItsCall(t *testing.T) {
	s := &changingServer{result: `{"resultType":"invented","content":[]}`, done: make(chan struct{})}
	known := &mcp.ServerInfo{ProtocolVersion: modern}
	c := connectTransport(t, changingTransport{s}, &mcp.Options{CachedServer: known})
	s.during = func() {
		if _, err := c.ListTools(t.Context()); err != nil || c.Server().ProtocolVersion != legacy {
			t.Errorf("version %s, %v", c.Server().ProtocolVersion, err)
		}
	}
	_, err := c.CallTool(t.Context(), "echo", nil)
	wantError(t, err, mcp.ErrMalformed, `unknown resultType "invented"`)
	if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
		t.Errorf("a call of the legacy era: %v", err)
	}
}
