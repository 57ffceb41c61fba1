package httpx

import (
	"context"
	"net"
	"net/http"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// A pool is the transport that the Clients of one origin share, and its connections.
type pool struct {
	sockets
	transport *http.Transport
	key       poolKey
	users     int
}

// A poolKey tells pools apart: a program may replace http.DefaultTransport.
type poolKey struct {
	origin string
	base   http.RoundTripper // http.DefaultTransport, of which transport is a copy
}

// pools holds the pools in use.
var pools = struct {
	lock.Mutex
	byKey map[poolKey]*pool
}{byKey: make(map[poolKey]*pool)}

// openPool returns the pool of an origin and its transport, or a new one if none is
// open or the origin is empty. The pool is nil if the transport is the program's.
func openPool(origin string) (http.RoundTripper, *pool) {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport, nil
	}
	key := poolKey{origin, base}
	pools.Lock()
	defer pools.Unlock()
	p := pools.byKey[key]
	if p == nil {
		t := NewTransport().(*http.Transport)
		p = &pool{sockets: sockets{base: t.DialContext}, transport: t, key: key}
		if p.base == nil {
			p.base = new(net.Dialer).DialContext
		}
		t.DialContext = p.dial
		if origin != "" {
			pools.byKey[key] = p
		}
	}
	p.users++
	return p.transport, p
}

// release ends the use of the pool by a Client. The last one closes it.
func (p *pool) release() {
	pools.Lock()
	p.users--
	last := p.users == 0
	if last && pools.byKey[p.key] == p {
		delete(pools.byKey, p.key)
	}
	pools.Unlock()
	if last {
		p.sockets.close()
		p.transport.CloseIdleConnections()
	}
}

// sockets tracks the connections of a Client's own transport.
// CloseIdleConnections does not close HTTP/2 connections with a request that is
// just ending.
type sockets struct {
	base func(ctx context.Context, network, addr string) (net.Conn, error)

	mu     lock.Mutex
	open   map[*socket]struct{}
	closed bool
}

// dial opens a connection that close closes.
func (s *sockets) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := s.base(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	if s.open == nil {
		s.open = make(map[*socket]struct{})
	}
	n := &socket{c, s}
	s.open[n] = struct{}{}
	return n, nil
}

// close closes all connections, including those that dial is opening.
func (s *sockets) close() {
	s.mu.Lock()
	open := s.open
	s.open, s.closed = nil, true
	s.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close()
	}
}

// A socket is one connection.
type socket struct {
	net.Conn
	all *sockets
}

func (c *socket) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}
