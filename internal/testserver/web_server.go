package testserver

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// An HTTPServer is a running server that clients can reach over HTTP.
type HTTPServer struct {
	*Handler
	URL  string // of Streamable HTTP
	SSE  string // of HTTP+SSE
	Base string // the scheme and host of both

	other     *Handler     // that of the other origin
	network   network      // for connections in memory
	gateway   atomic.Int32 // the status of Gateway
	trust     *tls.Config
	listener  net.Listener       // the server's own
	killed    net.Listener       // set by Kill: closes every connection
	again     func(net.Listener) // serves on another listener
	serving   sync.WaitGroup     // calls of Serve
	conns     sync.WaitGroup     // open connections
	mu        lock.Mutex         // guards what follows
	servers   []*http.Server     // the last one is the server's own
	elsewhere []Request          // received by the other origin
}

// StartHTTP serves server on a loopback socket. Nil options mean the zero value.
// The caller must call Close.
func StartHTTP(server *Server, o *HTTPOptions) (*HTTPServer, error) {
	s := &HTTPServer{Handler: NewHandler(server, o)}
	s.down = s.Down
	engine := server.Options()
	engine.Fault, engine.Report, engine.Received, engine.Custom = "", nil, nil, nil
	s.other = NewHandler(New(&engine), nil)
	if err := s.start(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// start starts the server and the other origin, which also listens without TLS.
func (s *HTTPServer) start() (err error) {
	var certificate *tls.Certificate
	scheme := "http://"
	if s.opts.TLS {
		scheme = "https://"
		if certificate, s.trust, err = newCertificate(s.fault.badCertificate); err != nil {
			return err
		}
	}
	var listeners [3]net.Listener
	for i := range listeners {
		if listeners[i], err = s.listen(); err != nil {
			return err
		}
	}
	s.listener = listeners[0]
	s.Base = scheme + listeners[0].Addr().String()
	s.URL, s.SSE = s.Base+"/mcp", s.Base+"/sse"
	s.srv.foreign, s.foreignTCP = scheme+listeners[1].Addr().String(), "http://"+listeners[2].Addr().String()
	handler := http.Handler(s.Handler)
	if s.opts.Wrap != nil {
		handler = s.opts.Wrap(s.Handler)
	}
	s.serve(listeners[1], s.watch(s.other), certificate)
	s.serve(listeners[2], s.watch(s.other), nil)
	s.again = func(l net.Listener) {
		s.serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if status := int(s.gateway.Load()); status != 0 {
				http.Error(w, http.StatusText(status), status)
				return
			}
			handler.ServeHTTP(w, r)
		}), certificate)
	}
	s.again(s.listener)
	return nil
}

func (s *HTTPServer) listen() (net.Listener, error) {
	if s.opts.InMemory {
		return s.network.listen(), nil
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

func (s *HTTPServer) serve(listener net.Listener, handler http.Handler, certificate *tls.Certificate) {
	server := &http.Server{
		Handler:   handler,
		ConnState: s.count,
		ErrorLog:  log.New(io.Discard, "", 0), // faults are not news
	}
	s.mu.Lock()
	s.servers = append(s.servers, server)
	s.mu.Unlock()
	s.serving.Go(func() { // ends with Close
		if certificate == nil {
			_ = server.Serve(listener)
			return
		}
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}}
		_ = server.ServeTLS(listener, "", "")
	})
}

func (s *HTTPServer) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// Client returns a new client that can reach the server and trusts its
// certificate. The caller closes its idle connections.
func (s *HTTPServer) Client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil
	t.TLSClientConfig = s.trust
	if s.opts.InMemory {
		t.DialContext = s.network.dial
	}
	return &http.Client{Transport: t}
}

// Refuse makes the server refuse new connections. Open connections remain.
func (s *HTTPServer) Refuse() { _ = s.listener.Close() }

// Kill ends the server, whose clients see what they see when a process is killed.
// Its port remains in use until Close, so that they reach no other server there.
// The server must not be in memory.
func (s *HTTPServer) Kill() {
	file, err := s.listener.(*net.TCPListener).File()
	s.Close()
	if err != nil {
		return
	}
	defer file.Close()
	if s.killed, err = net.FileListener(file); err == nil { // the same socket
		s.serving.Go(func() { // ends with Close
			for conn, err := s.killed.Accept(); err == nil; conn, err = s.killed.Accept() {
				_ = conn.Close()
			}
		})
	}
}

// Elsewhere returns the requests that the other origin has received.
func (s *HTTPServer) Elsewhere() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.elsewhere)
}

// watch records the requests to another origin and reports what must not be sent
// there.
func (s *HTTPServer) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.elsewhere = record(s.elsewhere, r)
		s.mu.Unlock()
		for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization", headerSession} {
			if r.Header.Get(name) != "" {
				s.violation("%s was sent to another origin", name)
			}
		}
		if r.Method == http.MethodPost {
			s.violation("a message was sent to another origin")
		}
		next.ServeHTTP(w, r)
	})
}

// Close ends all connections and waits for everything that the server runs.
func (s *HTTPServer) Close() {
	s.stop()
	s.other.stop()
	for _, server := range s.servers {
		_ = server.Close()
	}
	if s.killed != nil {
		_ = s.killed.Close()
	}
	s.serving.Wait()
	s.Handler.Close()
	s.other.Close()
	s.conns.Wait() // net/http keeps a connection for 0.5 s if it has not read the whole request
}
