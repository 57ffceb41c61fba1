package mcp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

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

// TestServerThatForgetsInitialize: a server without sessions that has restarted, or the
// program behind a gateway, gets initialize and the call again. The same words about
// something else fail the call alone.
func TestServerThatForgetsInitialize(t *testing.T) {
	for _, restarted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			const refusal = `{"jsonrpc":"2.0","id":$id,"error":{"code":-32002,"message":"Server not initialized"}}`
			p, rwc := newPeer(t, legacy, func(p *peer, m request) {
				switch forgotten := len(p.messages("initialize")) == 1; {
				case m.ID == nil:
				case forgotten && (restarted || m.Method == "tools/call"):
					p.send(strings.Replace(refusal, "$id", string(m.ID), 1))
				default:
					p.answer(m, `{"content":[]}`)
				}
			})
			var lost int
			c := connectStream(t, rwc, &mcp.Options{Trace: &mcp.Trace{SessionLost: func(context.Context, error) { lost++ }}})
			_, err := c.CallTool(t.Context(), "a", nil)
			n, calls, pings := len(p.messages("initialize")), len(p.messages("tools/call")), len(p.messages("ping"))
			if restarted && (err != nil || n != 2 || calls != 2 || pings != 1 || lost != 1) {
				t.Errorf("%v, %d times initialize, %d calls, %d pings, %d lost", err, n, calls, pings, lost)
			}
			if !restarted && (err == nil || !strings.Contains(err.Error(), "not initialized") || n != 1 || calls != 1 || pings != 1 || lost != 0) {
				t.Errorf("alive: %v, %d times initialize, %d calls, %d pings, %d lost", err, n, calls, pings, lost)
			}
		})
	}
}
