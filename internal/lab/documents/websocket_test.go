package documents

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// A webSocket is a transport over a library for WebSockets.
type webSocket struct {
	dial func(context.Context) (socket, error)
}

// A socket is a connection of that library.
type socket interface {
	ReadMessage() ([]byte, error)
	WriteMessage([]byte) error
	Close() error
}

// Open implements mcp.Transport.
func (t *webSocket) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	s, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	return jsonrpc.NewConn(messages{s}, h), nil
}

// Features implements mcp.Transport.
func (t *webSocket) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

// messages implements jsonrpc.Stream.
type messages struct{ socket }

func (m messages) Read() ([]byte, error) { return m.ReadMessage() }

func (m messages) Write(p []byte) (int, error) { // p has one or more messages, each of them a line
	for line := range bytes.Lines(p) {
		if err := m.WriteMessage(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// A fakeSocket has lines in place of the frames of WebSockets.
type fakeSocket struct {
	net.Conn
	in *bufio.Reader
}

func (s *fakeSocket) ReadMessage() ([]byte, error) { return s.in.ReadBytes('\n') }

func (s *fakeSocket) WriteMessage(p []byte) error {
	_, err := s.Write(append(bytes.Clone(p), '\n'))
	return err
}

// TestWebSocketOfTheGuide is the test that docs/guides/transports.md recommends.
func TestWebSocketOfTheGuide(t *testing.T) {
	server := mcptest.New(t)
	mcptest.TransportServer(server)
	mcptest.TestTransport(t, func() mcp.Transport {
		return &webSocket{dial: func(ctx context.Context) (socket, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ours, theirs := net.Pipe()
			go server.Serve(theirs)
			return &fakeSocket{ours, bufio.NewReader(ours)}, nil
		}}
	})
}
