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

// runServe is the echo server. On standard input and output it ends with its
// input, as the specification asks, or with ctx.
func runServe(ctx context.Context, c *invocation) error {
	o := new(testserver.Options)
	if c.flags.protocol != "" {
		o.ProtocolVersions = []string{c.flags.protocol}
	}
	if c.flags.address != "" {
		return c.serveHTTP(ctx, o)
	}
	if c.isTerminal(c.stdin) {
		_, _ = io.WriteString(c.stderr, "This is an MCP server: it waits for the messages of a client, a line of JSON each.\n"+
			"Ctrl-D ends it. To talk to it: "+c.name+" tools -- "+c.name+" serve\n")
	}
	done := make(chan error, 1)
	go func() { done <- testserver.New(o).Serve(c.stdin, c.stdout) }() // ends with the input, or the program
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

// serveHTTP is the echo server on a socket. It ends with ctx.
func (c *invocation) serveHTTP(ctx context.Context, o *testserver.Options) error {
	web, err := serveWeb(c.flags.address, o)
	var malformed *net.AddrError
	switch {
	case errors.As(err, &malformed):
		return c.usage("--http: want HOST:PORT, such as 127.0.0.1:3001, not " + strconv.Quote(c.flags.address))
	case err != nil:
		return c.usageHint("--http: "+err.Error(), "port 0 is any free one: "+c.name+" serve --http 127.0.0.1:0")
	}
	defer web.close()
	text := web.url + "\n"
	if web.sse != "" {
		text += web.sse + "\n"
	}
	if err := c.write(text); err != nil {
		return err
	}
	if c.isTerminal(c.stdout) {
		_, _ = io.WriteString(c.stderr, "Ctrl-C ends it. To talk to it: "+c.name+" tools "+web.url+"\n")
	}
	select {
	case err := <-web.failed:
		return localFailure(err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A web is the echo server on a socket.
type web struct {
	url, sse string // of its transports; sse is empty if it has none
	failed   chan error
	handler  *testserver.Handler
	server   *http.Server
}

const (
	// keepAlive is how often a silent stream shows that it is still there.
	keepAlive = 15 * time.Second

	// headerTime is how long a client may take to say what it wants.
	headerTime = 10 * time.Second
)

// serveWeb serves at address, which is host:port or the port alone; that is on
// this machine only.
func serveWeb(address string, o *testserver.Options) (*web, error) {
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		address = net.JoinHostPort("127.0.0.1", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	engine := testserver.New(o)
	w := &web{failed: make(chan error, 1), handler: testserver.NewHandler(engine, &testserver.HTTPOptions{KeepAlive: keepAlive})}
	w.server = &http.Server{Handler: w.handler, ReadHeaderTimeout: headerTime, ErrorLog: log.New(io.Discard, "", 0)}
	base := "http://" + reachable(l.Addr().String())
	if w.url = base + "/mcp"; engine.Speaks(false) != nil {
		w.sse = base + "/sse"
	}
	go func() { w.failed <- w.server.Serve(l) }() // ends with close
	return w, nil
}

// reachable returns the address of a listener as clients on this machine can
// use it: one that listens everywhere is at localhost, too.
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
	w.handler.Close()
}
