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
	"strconv"
	"sync"
	"time"
)

// A network connects clients and servers of this process by pipes.
type network struct {
	mu        sync.Mutex // guards listeners
	listeners []*pipeListener
}

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
	listeners := n.listeners
	n.mu.Unlock()
	for _, l := range listeners {
		if l.name == address {
			return l.dial(ctx)
		}
	}
	return nil, errRefused
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
