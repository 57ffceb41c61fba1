package jsonrpc_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A UnixTransport connects to a server that listens on a Unix socket.
type UnixTransport struct{ Path string }

var _ mcp.Transport = UnixTransport{}

// Open dials the socket. NewConn does the rest.
func (t UnixTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	var d net.Dialer
	socket, err := d.DialContext(ctx, "unix", t.Path)
	if err != nil {
		return nil, err
	}
	return jsonrpc.NewConn(newLineStream(socket), h), nil
}

// Features names the server in errors.
func (t UnixTransport) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{Name: "unix:" + t.Path}
}

// A lineStream is a Stream with one message per line.
type lineStream struct {
	net.Conn // Write and Close
	lines    *bufio.Scanner
}

var _ jsonrpc.Stream = (*lineStream)(nil)

func newLineStream(c net.Conn) *lineStream {
	s := &lineStream{Conn: c, lines: bufio.NewScanner(c)}
	s.lines.Buffer(nil, 1<<20) // the limit of a message
	return s
}

// Read returns the next line, or what ended the stream.
func (s *lineStream) Read() ([]byte, error) {
	if s.lines.Scan() {
		return bytes.Clone(s.lines.Bytes()), nil
	}
	switch err := s.lines.Err(); err {
	case nil:
		return nil, jsonrpc.ErrClosed
	case bufio.ErrTooLong:
		return nil, jsonrpc.ErrTooLarge
	default:
		return nil, err
	}
}

// A transport for a byte stream frames the messages and leaves the rest to
// NewConn.
func ExampleStream() {
	dir, err := os.MkdirTemp("", "unix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "server")
	server, err := net.Listen("unix", path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	go serveEcho(server)

	conn, err := UnixTransport{path}.Open(context.Background(), jsonrpc.Handler{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	result, err := conn.Call(context.Background(), &jsonrpc.Request{Method: "echo", Params: []byte(`{"message":"hi"}`)})
	fmt.Println(string(result), err)
	// Output: {"message":"hi"} <nil>
}

// serveEcho responds to the requests of one client with their params.
func serveEcho(l net.Listener) {
	socket, err := l.Accept()
	if err != nil {
		return
	}
	conn := jsonrpc.NewConn(newLineStream(socket), jsonrpc.Handler{Message: func(c jsonrpc.Conn, m *jsonrpc.Message) {
		go func() { _ = c.Reply(context.Background(), m.ID, m.Params, nil) }()
	}})
	<-conn.Done()
	_ = conn.Close()
}
