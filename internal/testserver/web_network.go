package testserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// A network connects clients and servers of this process by pipes.
type network struct {
	mu        lock.Mutex // guards what follows
	listeners []*pipeListener
	conns     []*pipeConn // the open ones of clients
	down      bool
}

// A pipeConn is the client's end of a connection.
type pipeConn struct {
	net.Conn
	network *network
	frozen  atomic.Bool // nothing arrives at either end
}

func (c *pipeConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.frozen.Load() {
			return n, err
		}
	}
}

func (c *pipeConn) Write(p []byte) (int, error) {
	if c.frozen.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

func (c *pipeConn) Close() error {
	c.network.mu.Lock()
	c.network.conns = slices.DeleteFunc(c.network.conns, func(o *pipeConn) bool { return o == c })
	c.network.mu.Unlock()
	return c.Conn.Close()
}

// Down makes the server unreachable as during a restart: it closes all connections,
// refuses new ones and forgets all sessions.
func (s *HTTPServer) Down() {
	s.LoseSessions()
	if !s.opts.InMemory {
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = s.servers[len(s.servers)-1].Close()
		return
	}
	s.network.mu.Lock()
	s.network.down = true
	conns := slices.Clone(s.network.conns)
	s.network.mu.Unlock()
	for _, c := range conns {
		_ = c.Conn.Close()
	}
}

// Up makes the server reachable again after Down. It fails if another program has
// taken the port.
func (s *HTTPServer) Up() error {
	if !s.opts.InMemory {
		l, err := net.Listen("tcp", s.listener.Addr().String())
		if err == nil {
			s.again(l)
		}
		return err
	}
	s.network.mu.Lock()
	defer s.network.mu.Unlock()
	s.network.down = false
	return nil
}

// Freeze makes the open connections to the server, which must be in memory,
// half-open: they stay open, but nothing arrives at either end.
func (s *HTTPServer) Freeze() {
	s.network.mu.Lock()
	defer s.network.mu.Unlock()
	for _, c := range s.network.conns {
		c.frozen.Store(true)
	}
}

// Gateway makes a gateway in front of the server respond to all requests with a
// status. Zero ends that.
func (s *HTTPServer) Gateway(status int) { s.gateway.Store(int32(status)) }

// A pipeListener is a [net.Listener], and its own address.
type pipeListener struct {
	name   string
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

var errRefused = errors.New("connection refused")

func (n *network) listen() *pipeListener {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := "server" + strconv.Itoa(len(n.listeners)+1) + ".test:80"
	l := &pipeListener{name: name, conns: make(chan net.Conn), closed: make(chan struct{})}
	n.listeners = append(n.listeners, l)
	return l
}

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	listeners, down := n.listeners, n.down
	n.mu.Unlock()
	err := error(errRefused)
	for _, l := range listeners {
		if l.name == address && !down {
			var conn net.Conn
			if conn, err = l.dial(ctx); err == nil {
				return n.add(conn), nil
			}
		}
	}
	return nil, &net.OpError{Op: "dial", Net: "pipe", Err: err}
}

func (n *network) add(conn net.Conn) net.Conn {
	c := &pipeConn{Conn: conn, network: n}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, c)
	return c
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
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

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr  { return l }
func (l *pipeListener) Network() string { return "pipe" }
func (l *pipeListener) String() string  { return l.name }

// newCertificate returns a certificate for this machine, and the configuration of
// clients that trust it. A bad certificate is for another machine.
func newCertificate(bad bool) (*tls.Certificate, *tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "stdmcp test server"},
		NotBefore:             time.Unix(0, 0),
		NotAfter:              time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:              []string{"*.test"}, // in memory
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	if bad {
		template.IPAddresses, template.DNSNames = nil, []string{"elsewhere.example"}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(parsed)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, &tls.Config{RootCAs: trusted}, nil
}
