package faulttest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// An ioFault is what goes wrong in one Read or Write.
type ioFault string

const (
	failure ioFault = "error" // it fails
	ending  ioFault = "EOF"   // it is as if the other end were closed
	short   ioFault = "short" // a Read returns one byte; a Write writes half
	delay   ioFault = "delay" // it takes a second
)

var ioFaults = []ioFault{failure, ending, short, delay}

var errInjected = errors.New("the cable was pulled")

// A faultInjector counts the Reads and Writes of all connections of a client
// and makes the k-th go wrong.
type faultInjector struct {
	k     int
	fault ioFault

	mu sync.Mutex
	n  int
}

// next counts one more, and reports whether it is the k-th.
func (f *faultInjector) next() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return f.n == f.k
}

func (f *faultInjector) injected() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n >= f.k
}

// A flakyStream is a stream with a faultInjector.
type flakyStream struct {
	io.ReadWriteCloser
	injector *faultInjector
	closed   chan struct{} // closed by Close
	once     sync.Once
}

// perform does a Read or a Write of p, or what the fault makes of it. A closed
// stream fails with eof.
func (s *flakyStream) perform(p []byte, eof error, do, cut func([]byte) (int, error)) (int, error) {
	if s.injector.next() {
		switch s.injector.fault {
		case failure:
			return 0, errInjected
		case ending:
			return 0, eof
		case short:
			return cut(p)
		case delay:
			t := time.NewTimer(time.Second)
			defer t.Stop()
			select {
			case <-t.C:
			case <-s.closed:
			}
		}
	}
	return do(p)
}

func (s *flakyStream) Read(p []byte) (int, error) {
	read := s.ReadWriteCloser.Read
	return s.perform(p, io.EOF, read, func(p []byte) (int, error) { return read(p[:min(1, len(p))]) })
}

func (s *flakyStream) Write(p []byte) (int, error) {
	write := s.ReadWriteCloser.Write
	return s.perform(p, io.ErrClosedPipe, write, func(p []byte) (int, error) {
		n, err := write(p[:len(p)/2])
		if err == nil {
			err = io.ErrShortWrite
		}
		return n, err
	})
}

func (s *flakyStream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.ReadWriteCloser.Close()
}

// A flakyConn is the same for a network connection.
type flakyConn struct {
	net.Conn
	stream *flakyStream
}

func (c flakyConn) Read(p []byte) (int, error)  { return c.stream.Read(p) }
func (c flakyConn) Write(p []byte) (int, error) { return c.stream.Write(p) }
func (c flakyConn) Close() error                { return c.stream.Close() }

func (f *faultInjector) stream(rwc io.ReadWriteCloser) *flakyStream {
	return &flakyStream{ReadWriteCloser: rwc, injector: f, closed: make(chan struct{})}
}

// transport returns a transport over flaky streams.
func (f *faultInjector) transport(open func() io.ReadWriteCloser) mcp.Transport {
	return opener(func(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
		return stdio.Stream(f.stream(open())).Open(ctx, h)
	})
}

// wrapTransport makes the connections of t flaky.
func (f *faultInjector) wrapTransport(t *http.Transport) {
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return flakyConn{conn, f.stream(conn)}, nil
	}
}
