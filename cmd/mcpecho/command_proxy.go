package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/proxy"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/webserver"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// runProxy relays messages between clients and the server: until the client leaves,
// the server ends or ctx is done, and with --http until ctx is done.
func runProxy(ctx context.Context, c *invocation) error {
	if c.flags.Address == "" && (c.flags.NoToken || c.flags.Origins != nil) {
		return c.usage("--no-token and --allow-origin need --http")
	}
	if c.flags.NoToken && !webserver.IsLoopback(c.flags.Address) {
		return c.usage("--no-token would let every machine in the network use the server")
	}
	if err := c.checkServeOutput(!c.flags.NoToken); err != nil {
		return err
	}
	if err := c.expandEntry(ctx); err != nil {
		return err
	}
	if c.flags.Address == "" && c.server != nil {
		c.flags.InheritEnv = true // which the client has chosen for the server
	}
	s := &conversation{console: c.console(), stderr: c.newTail()}
	defer s.endProgram()
	if c.flags.Verbose || c.flags.Address == "" && !c.flags.Quiet { // editors show what their servers write
		s.stderr.Print = s.console.Line
	}
	notes := &proxy.Notes{Show: func(line string) { s.console.Line("mcpecho: " + terminal.EscapeLine(line)) }, Hide: c.hide}
	defer notes.Flush()
	o := &proxy.Options{Modern: true, Note: notes.Note}
	if c.flags.Quiet {
		o.Note = func(string) {}
	}
	front, err := c.proxyTarget(ctx, s, o)
	if err != nil {
		return err
	}
	end, err := c.proxyTap(ctx, o)
	if err != nil {
		return err
	}
	if c.flags.Address != "" {
		err = c.proxyHTTP(ctx, o, front)
	} else {
		err = c.proxyLines(ctx, o)
	}
	s.stderr.End()
	return cmp.Or(c.explainProxy(s, err), end())
}

// A proxyFront returns the handler for clients over HTTP, and what closes it.
type proxyFront func() (http.Handler, func(), error)

// proxyTarget sets how o opens connections to the server. front returns the handler for
// clients over HTTP that does not use them, if the server is one over Streamable HTTP.
func (c *invocation) proxyTarget(ctx context.Context, s *conversation, o *proxy.Options) (front proxyFront, err error) {
	url, header, way := c.target, c.flags.Header, c.flags.Transport
	if e := c.entry; e != nil {
		url, header = e.URL, make(http.Header)
		for key, value := range e.Headers {
			header.Set(key, value)
		}
		for key, values := range c.flags.Header {
			header[key] = values
		}
		if way == "" && e.Type != config.Stdio {
			way = e.Type
		}
	}
	t, err := c.transport(s)
	if err != nil {
		return nil, err
	}
	if program, ok := t.(*stdio.Transport); ok {
		o.Open = func(ctx context.Context, _ *proxy.Tap, dropped func([]byte, string)) (jsonrpc.Stream, error) {
			return program.OpenStream(ctx, jsonrpc.Handler{Dropped: func(reason error, line []byte) {
				switch {
				case errors.Is(reason, stdio.ErrNotJSON):
					dropped(line, "")
				case reason == io.ErrUnexpectedEOF:
					dropped(line, "the server has ended in the middle of a line")
				}
			}})
		}
		return nil, nil
	}
	web := &proxy.WebOptions{URL: url, Header: header, Streamable: way != config.SSE, SSE: way != config.HTTP, Note: func(line string) { o.Note(line) }}
	web.Explain = func(err error) string {
		f := failure.Classify(err)
		if f.Status == failure.Forbidden {
			return c.hide(f.Message) + "; " + c.loginHint()
		}
		return c.hide(f.Message)
	}
	o.Open = func(ctx context.Context, tap *proxy.Tap, dropped func([]byte, string)) (jsonrpc.Stream, error) {
		return proxy.NewWebStream(ctx, web, tap, dropped)
	}
	o.Modern = web.Streamable
	if s.program != nil { // which is started when the connection is opened
		web.SSE = !web.Streamable
		web.Start = func(ctx context.Context) error { return s.program.Start(ctx, nil) }
		return nil, nil
	}
	web.Client = c.loggedIn(url)
	if !web.Streamable {
		return nil, nil
	}
	return func() (http.Handler, func(), error) {
		f, err := proxy.NewForwarder(url, web.Client, header, o, web)
		if err != nil || way == config.HTTP {
			return f, func() {}, err
		}
		var legacy *proxy.Web
		f.Else(func() http.Handler {
			if !speaksSSE(ctx, sse.New(url, &sse.Options{Client: web.Client, Header: header})) {
				return nil
			}
			web.Streamable, o.Modern = false, false
			legacy = proxy.NewWeb(o)
			return legacy
		})
		return f, func() {
			f.Close()
			if legacy != nil {
				legacy.Close()
			}
		}, nil
	}, nil
}

// speaksSSE reports whether a URL is one of HTTP+SSE.
func speaksSSE(ctx context.Context, t mcp.Transport) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	conn, err := t.Open(ctx, jsonrpc.Handler{})
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// proxyLines serves the client at standard input and output.
func (c *invocation) proxyLines(ctx context.Context, o *proxy.Options) error {
	if c.isTerminal(c.stdin) {
		_, _ = io.WriteString(c.stderr, "This is an MCP server for a client such as an editor: its configuration names this command.\n"+
			"It reads messages, one line of JSON each. Press Ctrl-D to end it.\n")
	}
	return proxy.ServeLines(ctx, c.stdin, c.messagesOut(), o)
}

// proxyHTTP serves clients over HTTP until ctx is done.
func (c *invocation) proxyHTTP(ctx context.Context, o *proxy.Options, front proxyFront) error {
	if front == nil {
		front = func() (http.Handler, func(), error) {
			web := proxy.NewWeb(o)
			return web, web.Close, nil
		}
	}
	h, end, err := front()
	if err != nil {
		return err
	}
	defer end()
	guard := &proxy.Guard{Path: "/mcp", Origins: c.flags.Origins, Next: h, Note: o.Note}
	if !c.flags.NoToken {
		guard.Path = "/" + rand.Text() + "/mcp"
	}
	l, err := webserver.Listen(c.flags.Address)
	var malformed *net.AddrError
	switch {
	case errors.As(err, &malformed):
		return c.usage("--http: must be HOST:PORT, such as 127.0.0.1:8931, not " + wire.Quote(c.flags.Address))
	case err != nil:
		return c.usageHint("--http: "+err.Error(), "use another port; 0 is a free one")
	}
	server, url := webserver.Serve(l, guard), webserver.Base(l.Addr().String())+guard.Path
	defer server.Close()
	if err := c.write(url + "\n"); err != nil {
		return err
	}
	if c.isTerminal(c.stdout) {
		_, _ = io.WriteString(c.stderr, "Press Ctrl-C to end it. To try it: "+c.name+" tools "+url+"\n")
	}
	select {
	case err := <-server.Failed:
		return failure.Local(err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// proxyTap sets the Tap of --record. The caller must call end.
func (c *invocation) proxyTap(ctx context.Context, o *proxy.Options) (end func() error, err error) {
	end, err = c.startRecording(ctx)
	if err != nil || c.recorder == nil {
		return end, err
	}
	w := c.recorder.w
	o.Tap = func() *proxy.Tap {
		n := w.Connection()
		return &proxy.Tap{
			Message: func(kind recording.Kind, sent bool, data []byte) {
				switch kind {
				case recording.Refusal:
					w.Refusal(n, data)
				case recording.Text:
					w.Text(n, sent, data)
				default:
					w.Message(n, sent, data)
				}
			},
			HTTP: func(h *recording.HTTP) { w.HTTP(n, h) },
			End:  func(how string) { w.End(n, how) },
		}
	}
	return end, nil
}

// explainProxy adds the server's output and what to do to the error of a proxy.
func (c *invocation) explainProxy(s *conversation, err error) error {
	var mismatch *proxy.MismatchError
	if errors.As(err, &mismatch) {
		return &failure.Error{Status: failure.Unreachable, Kind: "protocol", Message: err.Error(), Err: err}
	}
	if err == nil {
		return nil
	}
	return s.explain(c.explainStart(err))
}
