package testserver

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Running is a server that can be reached.
type HTTPServer struct {
	*Handler
	URL     string // of Streamable HTTP
	SSE     string // of HTTP+SSE
	Base    string // what both begin with: scheme and host
	Foreign string // the scheme and host of the other origin

	other     *Handler // that of the other origin
	network   network  // in memory
	trust     *tls.Config
	listener  net.Listener // the server's own
	servers   []*http.Server
	serving   sync.WaitGroup // a Serve each
	open      sync.WaitGroup // connections that net/http has not let go of
	mu        sync.Mutex     // guards what follows
	conns     map[net.Conn]bool
	elsewhere []Request // what the other origin has seen
}

// Start serves server on a socket of this machine. Nil options mean the zero
// value. Close must be called.
func StartHTTP(server *Server, o *HTTPOptions) (*HTTPServer, error) {
	r := &HTTPServer{Handler: NewHandler(server, o), conns: map[net.Conn]bool{}}
	engine := server.Options()
	engine.Fault, engine.Report = "", nil
	r.other = NewHandler(New(&engine), &HTTPOptions{Prefix: r.opts.Prefix})
	if err := r.start(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// start opens the server, the other origin and, beside TLS, one without.
func (r *HTTPServer) start() (err error) {
	var certificate *tls.Certificate
	scheme := "http://"
	if r.opts.TLS {
		scheme = "https://"
		if certificate, r.trust, err = certify(r.fault.badCertificate); err != nil {
			return err
		}
	}
	var listeners [3]net.Listener
	for i := range listeners {
		if listeners[i], err = r.listen(); err != nil {
			return err
		}
	}
	r.listener = listeners[0]
	r.Base = scheme + listeners[0].Addr().String()
	r.URL, r.SSE = r.Base+r.opts.Prefix+"/mcp", r.Base+r.opts.Prefix+"/sse"
	r.Foreign = scheme + listeners[1].Addr().String()
	r.foreign, r.plain = r.Foreign, "http://"+listeners[2].Addr().String()
	r.serve(listeners[0], r.Handler, certificate)
	r.serve(listeners[1], r.watch(r.other), certificate)
	r.serve(listeners[2], r.watch(r.other), nil)
	return nil
}

func (r *HTTPServer) listen() (net.Listener, error) {
	if r.opts.InMemory {
		return r.network.listen(), nil
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

func (r *HTTPServer) serve(listener net.Listener, handler http.Handler, certificate *tls.Certificate) {
	server := &http.Server{
		Handler:   handler,
		ConnState: r.note,
		ErrorLog:  log.New(io.Discard, "", 0), // faults are no news
	}
	r.servers = append(r.servers, server)
	r.serving.Go(func() { // ends with Close
		if certificate == nil {
			_ = server.Serve(listener)
			return
		}
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}}
		_ = server.ServeTLS(listener, "", "")
	})
}

func (r *HTTPServer) note(conn net.Conn, state http.ConnState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if state == http.StateNew {
		r.conns[conn] = true
		r.open.Add(1)
	} else if state == http.StateClosed || state == http.StateHijacked {
		delete(r.conns, conn)
		r.open.Done()
	}
}

// Conns returns how many connections are open, idle ones included.
func (r *HTTPServer) Conns() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.conns)
}

// Client returns a new client that can reach the server and trusts its
// certificate. Its idle connections are for the caller to close.
func (r *HTTPServer) Client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil
	t.TLSClientConfig = r.trust
	if r.opts.InMemory {
		t.DialContext = r.network.dial
	}
	return &http.Client{Transport: t}
}

// Refuse ends listening: new connections are refused, and those that there are
// go on.
func (r *HTTPServer) Refuse() { _ = r.listener.Close() }

// Elsewhere returns what the other origin has seen.
func (r *HTTPServer) Elsewhere() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.elsewhere)
}

// watch remembers what another origin sees and reports what must not go there.
func (r *HTTPServer) watch(next http.Handler) http.Handler {
	secrets := []string{"Authorization", "Cookie", "Proxy-Authorization", headerSession}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		if len(r.elsewhere) < maxRequests {
			r.elsewhere = append(r.elsewhere, Request{time.Now(), req.Method, req.URL.RequestURI(), req.Proto, req.Header.Clone()})
		}
		r.mu.Unlock()
		for _, name := range secrets {
			if req.Header.Get(name) != "" {
				r.violation("%s was sent to another origin", name)
			}
		}
		if req.Method == http.MethodPost {
			r.violation("a message was sent to another origin")
		}
		next.ServeHTTP(w, req)
	})
}

// Close ends everything at once and waits until nothing is left.
func (r *HTTPServer) Close() {
	r.stop()
	r.other.stop()
	for _, server := range r.servers {
		_ = server.Close()
	}
	r.serving.Wait()
	r.Handler.Close()
	r.other.Close()
	r.open.Wait() // net/http takes half a second over one whose request was not read to its end
}
