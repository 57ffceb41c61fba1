package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// runServe runs the echo server. Over standard input and output it ends when its
// input ends, as the specification requires, or when ctx is done.
func runServe(ctx context.Context, c *invocation) error {
	o := &testserver.Options{Skills: true}
	if c.flags.protocol != "" {
		o.ProtocolVersions = []string{c.flags.protocol}
	}
	if c.flags.requireLogin && c.flags.address == "" {
		return c.usageHint("--require-login needs --http", "type: "+c.paste([]string{"serve", "--http", "127.0.0.1:3001", "--require-login"}))
	}
	if c.flags.replay != "" {
		return c.serveReplay(ctx)
	}
	if c.flags.address != "" {
		return c.serveHTTP(ctx, o)
	}
	if c.isTerminal(c.stdin) {
		_, _ = io.WriteString(c.stderr, "This is an MCP server. It reads a client's messages, one line of JSON each.\n"+
			"Press Ctrl-D to end it. To call it: "+c.name+" tools -- "+c.name+" serve\n")
	}
	done := make(chan error, 1)
	go func() { done <- testserver.NewCorrect(o).Serve(c.stdin, c.stdout) }() // ends with the input, or the program
	select {
	case err := <-done:
		if err != nil {
			return localFailure(&outputError{err})
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// serveHTTP runs the echo server over HTTP until ctx is done.
func (c *invocation) serveHTTP(ctx context.Context, o *testserver.Options) error {
	web, err := serveWeb(c.flags.address, o, c.flags.requireLogin)
	return c.serveUntilDone(ctx, web, err)
}

// serveUntilDone prints the URLs of a server and waits until ctx is done.
func (c *invocation) serveUntilDone(ctx context.Context, web *web, err error) error {
	var malformed *net.AddrError
	switch {
	case errors.As(err, &malformed):
		return c.usage("--http: must be HOST:PORT, such as 127.0.0.1:3001, not " + strconv.Quote(c.flags.address))
	case err != nil:
		return c.usageHint("--http: "+err.Error(), "to use a free port: "+c.name+" serve --http 127.0.0.1:0")
	}
	defer web.close()
	text := web.url + "\n"
	if web.sse != "" {
		text += web.sse + "\n"
	}
	if err := c.write(text); err != nil {
		return err
	}
	first := "tools"
	if c.flags.requireLogin {
		first = "login"
	}
	if c.isTerminal(c.stdout) {
		_, _ = io.WriteString(c.stderr, "Press Ctrl-C to end it. To call it: "+c.name+" "+first+" "+web.url+"\n")
	}
	select {
	case err := <-web.failed:
		return localFailure(err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A web is a server over HTTP.
type web struct {
	url, sse string // URLs of Streamable HTTP and HTTP+SSE; sse may be empty
	failed   chan error
	end      func() // ends what the handler has begun
	server   *http.Server
}

const (
	// keepAlive is the interval of keep-alive comments on an idle stream.
	keepAlive = 15 * time.Second

	// headerTime limits how long a client may take to send a request's header.
	headerTime = 10 * time.Second
)

// serveWeb runs the echo server at address. With login, only clients with a token
// may use it.
func serveWeb(address string, o *testserver.Options, login bool) (*web, error) {
	engine := testserver.NewCorrect(o)
	h := testserver.NewHandler(engine, &testserver.HTTPOptions{KeepAlive: keepAlive})
	return serveHandler(address, h, h.Close, engine.Speaks(false) != nil, login)
}

// serveHandler serves at address, which is host:port, or a port of 127.0.0.1. end
// is called when the server has ended.
func serveHandler(address string, h http.Handler, end func(), sse, login bool) (*web, error) {
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
		h = newLoginServer(base, h)
	}
	w := &web{url: base + "/mcp", failed: make(chan error, 1), end: end}
	w.server = &http.Server{Handler: h, ReadHeaderTimeout: headerTime, ErrorLog: log.New(io.Discard, "", 0)}
	if sse {
		w.sse = base + "/sse"
	}
	go func() { w.failed <- w.server.Serve(l) }() // ends with close
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

func (w *web) close() {
	_ = w.server.Close()
	<-w.failed
	w.end()
}
