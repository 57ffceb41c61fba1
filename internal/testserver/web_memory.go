package testserver

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
)

// A network connects by pipes, for those who know nothing but an address.
type network struct {
	mu        sync.Mutex // guards what follows
	listeners map[string]*pipes
	numbered  int
}

// pipes is a listener.
type pipes struct {
	network *network
	name    string
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

var errRefused = errors.New("connection refused")

func (n *network) listen() *pipes {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.numbered++
	l := &pipes{network: n, name: "server" + strconv.Itoa(n.numbered) + ".test:80", conns: make(chan net.Conn), closed: make(chan struct{})}
	if n.listeners == nil {
		n.listeners = map[string]*pipes{}
	}
	n.listeners[l.name] = l
	return l
}

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[address]
	n.mu.Unlock()
	if l == nil {
		return nil, errRefused
	}
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, errRefused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		delete(l.network.listeners, l.name)
	})
	return nil
}

func (l *pipes) Addr() net.Addr { return l }

func (l *pipes) Network() string { return "pipe" }
func (l *pipes) String() string  { return l.name }
