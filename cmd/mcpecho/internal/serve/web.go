package serve

import (
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// A Web is a server over HTTP.
type Web struct {
	URL, SSE string // URLs of Streamable HTTP and HTTP+SSE; sse may be empty
	Failed   chan error
	end      func() // ends what the handler has begun
	server   *http.Server
}

const (
	// keepAlive is the interval of keep-alive comments on an idle stream.
	keepAlive = 15 * time.Second

	// headerTime limits how long a client may take to send a request's header.
	headerTime = 10 * time.Second

	// idleTime limits how long a connection may be without a request.
	idleTime = 10 * time.Minute
)

// Start runs the echo server at address. With login, only clients with a token
// may use it.
func Start(address string, o *testserver.Options, login bool) (*Web, error) {
	engine := testserver.NewCorrect(o)
	h := testserver.NewHandler(engine, &testserver.HTTPOptions{KeepAlive: keepAlive})
	return StartHandler(address, h, h.Close, engine.Speaks(false) != nil, login)
}

// StartHandler serves at address, which is host:port, or a port of 127.0.0.1. end
// is called when the server has ended.
func StartHandler(address string, h http.Handler, end func(), sse, login bool) (*Web, error) {
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		address = net.JoinHostPort("127.0.0.1", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		end()
		return nil, err
	}
	base := "http://" + reachable(l.Addr().String())
	if login {
		h = &loginServer{base: base, next: h, pending: make(map[string]grant), tokens: make(map[string]bool)}
	}
	w := &Web{URL: base + "/mcp", Failed: make(chan error, 1), end: end}
	w.server = &http.Server{Handler: h, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, ErrorLog: log.New(io.Discard, "", 0)}
	if sse {
		w.SSE = base + "/sse"
	}
	go func() { w.Failed <- w.server.Serve(l) }() // ends with close
	return w, nil
}

// reachable returns a listener's address for clients on this machine: localhost
// if it listens on all addresses.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return address
}

func (w *Web) Close() {
	_ = w.server.Close()
	<-w.Failed
	w.end()
}
