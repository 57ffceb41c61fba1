package serve

import (
	"net/http"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/webserver"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

// A Web is a server over HTTP.
type Web struct {
	URL, SSE string // URLs of Streamable HTTP and HTTP+SSE; sse may be empty
	*webserver.Server
	end func() // ends what the handler has begun
}

// keepAlive is the interval of keep-alive comments on an idle stream.
const keepAlive = 15 * time.Second

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
	l, err := webserver.Listen(address)
	if err != nil {
		end()
		return nil, err
	}
	base := webserver.Base(l.Addr().String())
	if login {
		h = &loginServer{base: base, next: h, pending: make(map[string]grant), tokens: make(map[string]bool)}
	}
	w := &Web{URL: base + "/mcp", Server: webserver.Serve(l, h), end: end}
	if sse {
		w.SSE = base + "/sse"
	}
	return w, nil
}

// Close ends all requests.
func (w *Web) Close() {
	w.Server.Close()
	w.end()
}
