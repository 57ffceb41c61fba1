package mcptest

import (
	"net/http"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// HTTPOptions describe how a server is reached over HTTP. The zero value serves
// both transports on a loopback socket.
type HTTPOptions struct {
	// TLS serves HTTPS with a certificate that HTTPServer.Client trusts.
	TLS bool

	// InMemory serves connections in this process, which only HTTPServer.Client
	// can open, so that the server can run in a testing/synctest bubble.
	InMemory bool

	// EventStreams makes every response an event stream, not only those with
	// notifications.
	EventStreams bool

	// Stateless omits the ids of sessions.
	Stateless bool

	// KeepAlive is the interval at which a silent stream sends comments. The default
	// is never; negative means the same.
	KeepAlive time.Duration
}

// An HTTPServer is a [Server] that is reached over HTTP until the end of the test.
type HTTPServer struct {
	URL    string       // of Streamable HTTP
	SSEURL string       // of HTTP+SSE
	Client *http.Client // reaches the server and trusts it
}

func (o *HTTPOptions) engine() *testserver.HTTPOptions {
	if o == nil {
		return &testserver.HTTPOptions{}
	}
	e := &testserver.HTTPOptions{TLS: o.TLS, InMemory: o.InMemory, Stateless: o.Stateless, KeepAlive: o.KeepAlive}
	if o.EventStreams {
		e.Answers = testserver.Stream
	}
	return e
}

// Handler returns an http.Handler that serves Streamable HTTP at /mcp, and HTTP+SSE
// at /sse and /message. On a loopback socket it serves only requests to localhost or
// a loopback address. Of the options, which may be nil, it ignores TLS and InMemory.
func (s *Server) Handler(o *HTTPOptions) http.Handler {
	h := testserver.NewHandler(s.begin(), o.engine())
	s.mu.Lock()
	s.webs = append(s.webs, h.Close)
	s.mu.Unlock()
	return s.wrap(h)
}

// StartHTTP serves HTTP until the end of the test. Options may be nil. It fails the
// test if the client sends credentials to another origin.
func (s *Server) StartHTTP(o *HTTPOptions) *HTTPServer {
	s.t.Helper()
	options := o.engine()
	options.Wrap = s.wrap
	web, err := testserver.StartHTTP(s.begin(), options)
	if err != nil {
		s.t.Fatalf("mcptest: %v", err)
		return nil
	}
	client := web.Client()
	s.mu.Lock()
	s.webs = append(s.webs, func() {
		client.CloseIdleConnections()
		web.Close()
	})
	s.mu.Unlock()
	return &HTTPServer{URL: web.URL, SSEURL: web.SSE, Client: client}
}
