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

// A mishap is what happens to one Read or Write.
type ioFault string

const (
	failure ioFault = "error" // it fails
	ending  ioFault = "EOF"   // it is as if the other end were closed
	short   ioFault = "short" // a Read returns one byte; a Write gets half through
	delay   ioFault = "delay" // it takes a second
)

var ioFaults = []ioFault{failure, ending, short, delay}

var errInjected = errors.New("the cable was pulled")

// A fuse counts what all connections of a client read and write, and blows at
// the k-th.
type faultInjector struct {
	k       int
	ioFault ioFault

	mu sync.Mutex
	n  int
}

// blows counts one more, and reports whether the mishap is to happen to it.
func (f *faultInjector) next() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return f.n == f.k
}

// blown reports whether the mishap has happened.
func (f *faultInjector) injected() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n >= f.k
}

func (f *faultInjector) read(from io.Reader, p []byte, gone <-chan struct{}) (int, error) {
	if f.next() {
		switch f.ioFault {
		case failure:
			return 0, errInjected
		case ending:
			return 0, io.EOF
		case short:
			p = p[:min(1, len(p))]
		case delay:
			wait(time.Second, gone)
		}
	}
	return from.Read(p)
}

func (f *faultInjector) write(to io.Writer, p []byte, gone <-chan struct{}) (int, error) {
	if f.next() {
		switch f.ioFault {
		case failure:
			return 0, errInjected
		case ending:
			return 0, io.ErrClosedPipe
		case short:
			n, err := to.Write(p[:len(p)/2])
			if err == nil {
				err = io.ErrShortWrite
			}
			return n, err
		case delay:
			wait(time.Second, gone)
		}
	}
	return to.Write(p)
}

// wait waits, or until the connection is closed.
func wait(d time.Duration, gone <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-gone:
	}
}

// A flakyStream is a stream with a fuse.
type flakyStream struct {
	io.ReadWriteCloser
	faultInjector *faultInjector
	gone          chan struct{} // closed by Close
	once          sync.Once
}

func (s *flakyStream) Read(p []byte) (int, error) {
	return s.faultInjector.read(s.ReadWriteCloser, p, s.gone)
}
func (s *flakyStream) Write(p []byte) (int, error) {
	return s.faultInjector.write(s.ReadWriteCloser, p, s.gone)
}

func (s *flakyStream) Close() error {
	s.once.Do(func() { close(s.gone) })
	return s.ReadWriteCloser.Close()
}

// A flakyConn is a network connection with a fuse.
type flakyConn struct {
	net.Conn
	stream *flakyStream // the same
}

func (c flakyConn) Read(p []byte) (int, error)  { return c.stream.Read(p) }
func (c flakyConn) Write(p []byte) (int, error) { return c.stream.Write(p) }
func (c flakyConn) Close() error                { return c.stream.Close() }

func (f *faultInjector) stream(rwc io.ReadWriteCloser) *flakyStream {
	return &flakyStream{ReadWriteCloser: rwc, faultInjector: f, gone: make(chan struct{})}
}

// over returns a transport that opens streams with a fuse.
func (f *faultInjector) transport(open func() io.ReadWriteCloser) mcp.Transport {
	return opener(func(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
		return stdio.Stream(f.stream(open())).Open(ctx, h)
	})
}

// put makes the connections of t have a fuse.
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
