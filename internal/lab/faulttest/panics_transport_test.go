package faulttest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

var transportPanics = map[string]panicCase{
	// What a transport does on the caller's goroutine passes to the caller; the
	// rest is reported.
	"mcp.Transport mcp.Connect(t) mcp.FirstOf(transports)": func(t *testing.T, p *panicLog) {
		for _, method := range []string{"Open", "Features", "OtherTransport"} {
			first := hookedTransport{p.serve(), panicsIn(method), nil}
			if method == "OtherTransport" { // FirstOf asks for them after an error
				first.Transport = opener(func(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) { return nil, panickingError{} })
			}
			for _, tr := range []mcp.Transport{first, mcp.FirstOf(first, p.serve())} {
				outcome(t, method, p, func() error {
					c, err := mcp.Connect(t.Context(), tr, &mcp.Options{Trace: p.trace()})
					if err == nil {
						p.alive(c)
						err = c.Close()
					}
					return err
				})
			}
		}
	},
	"jsonrpc.Conn jsonrpc.Explainer jsonrpc.MessageLimiter jsonrpc.Features.Explain jsonrpc.Features.AcceptBatches jsonrpc.Features.BindArguments jsonrpc.Features.ForgetArguments": func(t *testing.T, p *panicLog) {
		for _, version := range mcp.ProtocolVersions() {
			for _, method := range []string{"Call", "Notify", "Reply", "Done", "Err", "Close", "Features", "Explain", "AcceptBatches", "BindArguments", "ForgetArguments"} {
				synctest.Test(t, func(t *testing.T) {
					p := &panicLog{t: t}
					conn := &hookedConn{hook: panicsIn(method)}
					defer func() { // the bubble waits for what it has started
						if conn.Conn != nil {
							_ = conn.Conn.Close()
						}
					}()
					outcome(t, method, p, func() error {
						c, err := mcp.Connect(t.Context(), opener(func(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
							inner, err := stdio.Stream(testserver.New(&testserver.Options{ProtocolVersions: []string{version}}).Pipe()).Open(ctx, h)
							conn.Conn = inner
							return conn, err
						}), &mcp.Options{Trace: p.trace(), ProtocolVersions: []string{version}})
						if err != nil {
							return err
						}
						defer c.Close()
						_, err = c.ListTools(t.Context())
						callEcho(t.Context(), c)
						return err
					})
				})
			}
		}
	},
	"mcp.OtherTransportError": func(t *testing.T, p *panicLog) {
		tr := opener(func(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) { return nil, panickingError{} })
		p.passes(func() { _, _ = mcp.Connect(t.Context(), mcp.FirstOf(tr, p.serve()), nil) })
	},
	"mcp.Trace.Retry mcp.Trace.SessionLost": func(t *testing.T, p *panicLog) {
		s := p.serve(legacy)
		web := s.StartHTTP(&mcptest.HTTPOptions{})
		c := p.open(streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client}), &mcp.Options{Trace: &mcp.Trace{
			Retry:       func(context.Context, string, error) { panic(oh()) },
			SessionLost: func(context.Context, error) { panic(oh()) },
		}})
		s.Inject("echo", mcptest.LoseSession())
		p.alive(c)
		p.reported()
		if n := p.count(); n != 2 {
			t.Errorf("%d panics", n)
		}
	},
	"jsonrpc.Handler.Pause": func(t *testing.T, p *panicLog) {
		s, panics := protected(t, true), false
		a := oauth.New(s.URL+"/mcp", &oauth.Options{Authorizer: browser(nil, &panics)})
		defer a.CloseIdleConnections()
		conn, err := streamhttp.New(s.URL+"/mcp", &streamhttp.Options{Client: a.Client()}).Open(t.Context(),
			jsonrpc.Handler{Panic: p.report, Pause: func() func() { panic(oh()) }})
		testutil.Must(t, err)
		p.passes(func() { _, _ = conn.Call(t.Context(), &jsonrpc.Request{Method: "m"}) })
		testutil.Check(t, conn.Close())
	},
	"jsonrpc.Handler.Reconnect": func(t *testing.T, p *panicLog) {
		// The stream of a call ends, and the connection would resume it.
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: 1\nretry: 100\ndata:\n\n")
		}))
		defer web.Close()
		conn, err := streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client()}).Open(t.Context(),
			jsonrpc.Handler{Panic: p.report, Reconnect: func(error, time.Duration) { panic(oh()) }})
		testutil.Must(t, err)
		p.passes(func() {
			_, _ = conn.Call(t.Context(), &jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Session: jsonrpc.InSession, ProtocolVersion: legacy}})
		})
		testutil.Check(t, conn.Close())
	},
	"jsonrpc.Handler.Lost": func(t *testing.T, p *panicLog) {
		// The stream of the session ends, and the server refuses to open it again.
		var opened atomic.Bool
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && opened.Swap(true) {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Mcp-Session-Id", "s")
			event := "id: 1\nretry: 1\ndata:\n\n"
			if r.Method == http.MethodPost {
				event = `data: {"jsonrpc":"2.0","id":1,"result":{}}` + "\n\n"
			}
			_, _ = io.WriteString(w, event)
		}))
		defer web.Close()
		conn, err := streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client()}).Open(t.Context(),
			jsonrpc.Handler{Panic: p.report, Lost: func(error) { panic(oh()) }})
		testutil.Must(t, err)
		_, _ = conn.Call(t.Context(), &jsonrpc.Request{Method: "initialize", HTTP: jsonrpc.HTTP{Session: jsonrpc.OpensSession, ProtocolVersion: legacy}})
		_ = conn.Notify(t.Context(), &jsonrpc.Request{Method: "notifications/initialized", HTTP: jsonrpc.HTTP{Session: jsonrpc.BeginsSession, ProtocolVersion: legacy}})
		testutil.Eventually(func() bool { return p.count() > 0 })
		p.reported()
		testutil.Check(t, conn.Close())
	},
	"streamhttp.Options.Client sse.Options.Client": func(t *testing.T, p *panicLog) {
		web, err := testserver.StartHTTP(testserver.New(&testserver.Options{ProtocolVersions: []string{legacy, oldest}}), nil)
		testutil.Must(t, err)
		defer web.Close()
		for _, method := range []string{"", http.MethodGet, http.MethodPost} { // of the stream of the session, of calls
			for _, part := range []string{"RoundTrip", "Read", "Close"} {
				var armed atomic.Bool
				armed.Store(method == http.MethodGet)
				q := &panicLog{t: t}
				client := &http.Client{Transport: panickingTripper{web.Client().Transport, part, func(r *http.Request) bool { return r.Method == method && armed.Load() }}}
				for _, tr := range []mcp.Transport{streamhttp.New(web.URL, &streamhttp.Options{Client: client}), sse.New(web.SSE, &sse.Options{Client: client})} {
					outcome(t, method+" "+part, q, func() error {
						c, err := mcp.Connect(t.Context(), tr, &mcp.Options{Trace: q.trace()})
						if err != nil {
							return err
						}
						defer c.Close()
						armed.Store(true)
						defer armed.Store(method == http.MethodGet)
						_, err = c.Do(t.Context(), &mcp.ToolCall{Name: "echo", Arguments: map[string]any{"message": "hi"}, Timeout: machineTimeout})
						return err
					})
				}
			}
		}
	},
	"stdio.Dial(dial)": func(t *testing.T, p *panicLog) {
		p.passes(func() {
			_, _ = mcp.Connect(t.Context(), stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { panic(oh()) }), nil)
		})
	},
	"stdio.Stream(rwc)": func(t *testing.T, p *panicLog) {
		for _, method := range []string{"Read", "Write", "Close"} {
			q := &panicLog{t: t}
			var on atomic.Bool
			rwc := panickingDuplex{testserver.New(nil).Pipe(), method, &on}
			c := q.open(stdio.Stream(rwc), &mcp.Options{ProtocolVersions: []string{legacy}})
			on.Store(true)
			if method != "Close" {
				q.fails(c.Ping(t.Context()))
			}
			if err := c.Close(); err != nil {
				t.Errorf("%s: %v", method, err)
			}
			q.reported()
		}
	},
	"stdio.Transport.Stderr": func(t *testing.T, p *panicLog) {
		args, env := childserver.Command(&testserver.Options{Fault: "floods-stderr", Size: 1000})
		tr := stdio.Command(args[0], args[1:]...)
		tr.Env, tr.Stderr = env, panickingWriter{}
		c := p.open(tr, nil)
		callEcho(t.Context(), c)
		testutil.Check(t, c.Close())
		p.reported()
		if n := p.count(); n != 1 {
			t.Errorf("the writer is called again: %d panics", n)
		}
	},
	"stdio.Transport.Start": func(t *testing.T, p *panicLog) {
		for _, started := range []bool{false, true} {
			args, env := childserver.Command(nil)
			tr := stdio.Command(args[0], args[1:]...)
			tr.Env = env
			tr.Start = func(cmd *exec.Cmd) error {
				if started {
					_ = cmd.Start() // the transport kills it
				}
				panic(oh())
			}
			p.passes(func() { _, _ = mcp.Connect(t.Context(), tr, &mcp.Options{Trace: p.trace()}) })
		}
	},
}

// outcome fails the test unless a panic passes to the caller, or is reported, or
// the library does not call the method.
func outcome(t *testing.T, method string, p *panicLog, f func() error) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil && v != oops {
			t.Errorf("%s: recovered %v", method, v)
		}
	}()
	if err := f(); err != nil && !strings.Contains(err.Error(), oops) {
		if p.count() == 0 {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func panicIn(method, now string) {
	if method == now {
		panic(oh())
	}
}

// panicsIn returns a hook that panics in one method.
func panicsIn(method string) func(string) { return func(now string) { panicIn(method, now) } }

type panickingError struct{}

func (panickingError) Error() string        { return oops }
func (panickingError) OtherTransport() bool { return panicNow() }

func panicNow() bool { panic(oh()) }

// A panickingTripper panics in one part of an exchange.
type panickingTripper struct {
	http.RoundTripper
	part string
	now  func(*http.Request) bool
}

func (p panickingTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.now(r) {
		panicIn(p.part, "RoundTrip")
	}
	resp, err := p.RoundTripper.RoundTrip(r)
	if err == nil && p.now(r) {
		resp.Body = panickingBody{resp.Body, p.part}
	}
	return resp, err
}

type panickingBody struct {
	io.ReadCloser
	part string
}

func (b panickingBody) Read(p []byte) (int, error) {
	panicIn(b.part, "Read")
	return b.ReadCloser.Read(p)
}

func (b panickingBody) Close() error {
	err := b.ReadCloser.Close()
	panicIn(b.part, "Close")
	return err
}

type panickingDuplex struct {
	io.ReadWriteCloser
	method string
	on     *atomic.Bool
}

func (d panickingDuplex) in(method string) {
	if d.on.Load() {
		panicIn(d.method, method)
	}
}

func (d panickingDuplex) Read(p []byte) (int, error) {
	n, err := d.ReadWriteCloser.Read(p)
	d.in("Read")
	return n, err
}
func (d panickingDuplex) Write(p []byte) (int, error) {
	d.in("Write")
	return d.ReadWriteCloser.Write(p)
}
func (d panickingDuplex) Close() error { err := d.ReadWriteCloser.Close(); d.in("Close"); return err }

type panickingWriter struct{}

func (panickingWriter) Write([]byte) (int, error) { panic(oh()) }
