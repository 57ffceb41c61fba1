package httpx

import (
	"context"
	"net"
	"sync"
)

// sockets tracks the connections of a Client's own transport.
// CloseIdleConnections does not close HTTP/2 connections with a request that is
// just ending.
type sockets struct {
	base func(ctx context.Context, network, addr string) (net.Conn, error)

	mu     sync.Mutex
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
