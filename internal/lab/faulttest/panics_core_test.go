package faulttest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// intercepting panics before the requests of one method, from the nth on.
func intercepting(method string, n int) func(context.Context, *mcp.OutgoingCall) (mcp.RawMessage, error) {
	return func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		if call.Method == method {
			if n--; n < 0 {
				panic(oh())
			}
		}
		return call.Send(ctx)
	}
}

// asks has a tool of a server of each era call a handler, which panics.
func asks(tool string, o mcp.Options) panicCase {
	return func(t *testing.T, p *panicLog) {
		for _, version := range []string{modern, legacy} {
			q := &panicLog{t: t}
			o := o
			c := q.connect(&testserver.Options{ProtocolVersions: []string{version}}, &o)
			_, err := c.CallTool(t.Context(), tool, nil)
			if o.Log == nil && version == modern && err == nil {
				t.Error("the call succeeds without the answer")
			}
			testutil.Eventually(func() bool { return q.count() > 0 })
			q.reported()
			q.alive(c)
		}
	}
}

// traced has a function of the trace panic while use uses a client.
func traced(fault string, trace mcp.Trace, use func(context.Context, *mcp.Client)) panicCase {
	return func(t *testing.T, p *panicLog) {
		synctest.Test(t, func(t *testing.T) {
			p := &panicLog{t: t}
			trace := trace
			c := p.connect(&testserver.Options{Fault: fault}, &mcp.Options{Trace: &trace})
			if use != nil {
				use(t.Context(), c)
			}
			p.reported()
			if fault == "" {
				p.alive(c)
			}
			_ = c.Close()
		})
	}
}

func callEcho(ctx context.Context, c *mcp.Client) {
	_, _ = c.Do(ctx, &mcp.ToolCall{Name: "echo", Arguments: map[string]any{"message": "hi"}, Progress: func(mcp.Progress) {}})
}

var corePanics = map[string]panicCase{
	"mcp.Elicitation.Form": asks("ask_elicitation", mcp.Options{Handlers: []mcp.Handler{
		mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) { panic(oh()) }}}}),
	"mcp.Sampling.CreateMessage": asks("ask_sampling", mcp.Options{Handlers: []mcp.Handler{
		mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) { panic(oh()) }}}}),
	"mcp.Roots.List": asks("ask_roots", mcp.Options{Handlers: []mcp.Handler{
		mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { panic(oh()) }}}}),
	"mcp.Options.Log": asks("log", mcp.Options{LogLevel: "debug", Log: func(context.Context, *mcp.LogMessage) { panic(oh()) }}),

	"mcp.Elicitation.OpenURL": serverSends(legacy, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","elicitationId":"e","message":"m","url":"https://example.com"}}`,
		mcp.Elicitation{OpenURL: func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) { panic(oh()) }}),
	"mcp.HandleRequest(f)": serverSends(legacy, `{"jsonrpc":"2.0","id":1,"method":"odd"}`,
		mcp.HandleRequest("odd", func(context.Context, mcp.RawMessage) (any, error) { panic(oh()) })),
	"mcp.HandleNotification(f)": serverSends(legacy, `{"jsonrpc":"2.0","method":"notifications/odd"}`,
		mcp.HandleNotification("", func(context.Context, string, mcp.RawMessage) { panic(oh()) })),
	"mcp.Changes.Changed": serverSends(legacy, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		mcp.Changes{Changed: func(context.Context, mcp.Change) { panic(oh()) }}),

	"mcp.Options.Interceptors mcp.Interceptor": func(t *testing.T, p *panicLog) {
		c := p.connect(nil, &mcp.Options{Interceptors: []mcp.Interceptor{intercepting("tools/call", 0)}})
		p.passes(func() { callEcho(t.Context(), c) })
		testutil.Check(t, c.Ping(t.Context()))
		// The requests of Connect are on goroutines of their own.
		if _, err := mcp.Connect(t.Context(), p.serve(legacy), &mcp.Options{Interceptors: []mcp.Interceptor{intercepting("initialize", 0)}, Trace: p.trace()}); err == nil {
			t.Error("connected")
		}
		p.reported()
	},
	"mcp.Options.Interceptors~in-the-background": func(t *testing.T, p *panicLog) {
		for _, method := range []string{"server/discover", "subscriptions/listen"} {
			q := &panicLog{t: t}
			c := q.connect(nil, &mcp.Options{Interceptors: []mcp.Interceptor{intercepting(method, 0)}})
			ctx, cancel := context.WithTimeout(t.Context(), machineTimeout)
			if method != "server/discover" {
				go func() {
					testutil.Eventually(func() bool { return q.count() > 0 })
					cancel()
				}()
				if _, err := c.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true}); err == nil {
					t.Error("subscribed")
				}
			}
			cancel()
			q.reported()
			q.alive(c)
		}
	},
	"mcp.ToolCall.Progress": func(t *testing.T, p *panicLog) {
		c := p.connect(nil, nil)
		res, err := c.Do(t.Context(), &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"seconds": 0.001, "steps": 2}, Progress: func(mcp.Progress) { panic(oh()) }})
		if err != nil || res.IsError {
			t.Errorf("%+v, %v", res, err)
		}
		p.reported()
		p.alive(c)
	},
	"mcp.CallOptions.Progress": func(t *testing.T, p *panicLog) {
		c := p.connect(nil, nil)
		res, err := c.With(mcp.CallOptions{Progress: func(mcp.Progress) { panic(oh()) }}).CallTool(t.Context(), "slow", map[string]any{"seconds": 0.001, "steps": 2})
		if err != nil || res.IsError {
			t.Errorf("%+v, %v", res, err)
		}
		p.reported()
		p.alive(c)
	},
	"mcp.ToolCall.Task": func(t *testing.T, p *panicLog) {
		c := p.connect(&testserver.Options{Tasks: true}, &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}})
		p.passes(func() {
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "research", Arguments: map[string]any{"topic": "x"}, Task: func(*mcp.Task) { panic(oh()) }})
			t.Error(err)
		})
		p.alive(c)
	},

	"mcp.Trace.Message":   traced("", mcp.Trace{Message: func(context.Context, bool, []byte) { panic(oh()) }}, nil),
	"mcp.Trace.EraChosen": traced("", mcp.Trace{EraChosen: func(context.Context, mcp.ServerInfo) { panic(oh()) }}, nil),
	"mcp.Trace.Discarded": traced("bad-progress", mcp.Trace{Discarded: func(context.Context, error, []byte) { panic(oh()) }}, callEcho),
	"mcp.Trace.Reconnect": traced("discover-dies", mcp.Trace{Reconnect: func(context.Context, error, time.Duration) { panic(oh()) }}, nil),
	"mcp.Trace.Odd mcp.Trace.StreamLost": func(t *testing.T, p *panicLog) {
		var h jsonrpc.Handler
		c := p.open(opener(func(ctx context.Context, given jsonrpc.Handler) (jsonrpc.Conn, error) {
			h = given
			return stdio.Stream(testserver.New(nil).Pipe()).Open(ctx, given)
		}), &mcp.Options{Trace: &mcp.Trace{Odd: func(context.Context, error, []byte) { panic(oh()) }, StreamLost: func(context.Context, error) { panic(oh()) }}})
		h.Odd(errors.ErrUnsupported, nil)
		h.Lost(errors.ErrUnsupported)
		p.reported()
		if n := p.count(); n != 2 {
			t.Errorf("%d panics", n)
		}
		p.alive(c)
	},
	"mcp.Options.CacheKey": func(t *testing.T, p *panicLog) {
		var panics bool
		c := p.connect(nil, &mcp.Options{Cache: mcp.CacheSize(1 << 20), CacheKey: func(context.Context) string {
			if panics {
				panic(oh())
			}
			return ""
		}})
		panics = true
		p.passes(func() { _, _ = c.ListTools(t.Context()) })
		panics = false
		_, err := c.ListTools(t.Context())
		testutil.Check(t, err)
		p.alive(c)
	},
	"mcp.Trace.HandlerPanic": func(t *testing.T, p *panicLog) {
		c := p.connect(nil, &mcp.Options{Trace: &mcp.Trace{
			Message:      func(context.Context, bool, []byte) { panic(oh()) },
			HandlerPanic: func(context.Context, any, []byte) { panic(oh()) },
		}})
		p.alive(c)
	},

	"jsonrpc.Handler.Message": received(`{"jsonrpc":"2.0","method":"m"}`, func(h *jsonrpc.Handler) { h.Message = func(jsonrpc.Conn, *jsonrpc.Message) { panic(oh()) } }),
	"jsonrpc.Handler.Dropped": received(`x`, func(h *jsonrpc.Handler) { h.Dropped = func(error, []byte) { panic(oh()) } }),
	"jsonrpc.Handler.Odd":     received(`{"jsonrpc":"2.0","method":"m","params":["\ud83d"]}`, func(h *jsonrpc.Handler) { h.Odd = func(error, []byte) { panic(oh()) } }),
	"jsonrpc.Handler.Trace":   received(`{}`, func(h *jsonrpc.Handler) { h.Trace = func(bool, []byte) { panic(oh()) } }),
	"jsonrpc.Handler.Panic": received(`{}`, func(h *jsonrpc.Handler) {
		report := h.Panic
		h.Trace, h.Panic = func(bool, []byte) { panic(oh()) }, func(v any, stack []byte) { report(v, stack); panic(oh()) }
	}),
	"jsonrpc.Request.Started": func(t *testing.T, p *panicLog) {
		requests(t, p, func(ctx context.Context, conn jsonrpc.Conn) {
			_, _ = conn.Call(ctx, &jsonrpc.Request{Method: "m", Started: func(jsonrpc.ID) { panic(oh()) }})
		})
	},
	"jsonrpc.Request.Cancel": func(t *testing.T, p *panicLog) {
		requests(t, p, func(ctx context.Context, conn jsonrpc.Conn) {
			_, _ = conn.Call(ctx, &jsonrpc.Request{Method: "m", Timeout: time.Millisecond, Cancel: func(jsonrpc.ID) *jsonrpc.Request { panic(oh()) }})
		})
	},
	"jsonrpc.Stream jsonrpc.TryWriter jsonrpc.SlowCloser jsonrpc.NewConn(s)": func(t *testing.T, p *panicLog) {
		for _, method := range []string{"Read", "Write", "TryWrite", "Close", "CloseTime"} {
			synctest.Test(t, func(t *testing.T) {
				p := &panicLog{t: t}
				ours, _ := jsonrpc.Pipe()
				conn := jsonrpc.NewConn(panickingStream{ours, method}, jsonrpc.Handler{Panic: p.report})
				func() {
					defer func() { // TryWrite is called on the goroutine of the caller
						if v := recover(); (v != nil) != (method == "TryWrite") {
							t.Errorf("%s: recovered %v", method, v)
						}
					}()
					_, _ = conn.Call(t.Context(), &jsonrpc.Request{Method: "m", Timeout: time.Second})
				}()
				ended := conn.Err()
				if method == "CloseTime" { // likewise
					p.passes(func() { _ = conn.Close() })
					return
				}
				if err := conn.Close(); err != nil {
					t.Errorf("%s: %v", method, err)
				}
				if method != "TryWrite" {
					p.reported()
				}
				if method == "Read" || method == "Write" {
					p.fails(ended)
				}
			})
		}
	},
}

// A panickingStream panics in one of its methods.
type panickingStream struct {
	jsonrpc.Stream
	method string
}

func (s panickingStream) Read() ([]byte, error) { panicIn(s.method, "Read"); return s.Stream.Read() }
func (s panickingStream) Write(b []byte) (int, error) {
	panicIn(s.method, "Write")
	return s.Stream.Write(b)
}
func (s panickingStream) Close() error                 { _ = s.Stream.Close(); panicIn(s.method, "Close"); return nil }
func (s panickingStream) CloseTime() time.Duration     { panicIn(s.method, "CloseTime"); return 0 }
func (s panickingStream) TryWrite([]byte) (int, error) { panicIn(s.method, "TryWrite"); return 0, nil }

// received has a connection receive a message whose handler panics, which ends it.
func received(message string, set func(*jsonrpc.Handler)) panicCase {
	return func(t *testing.T, p *panicLog) {
		ours, theirs := jsonrpc.Pipe()
		h := jsonrpc.Handler{Panic: p.report}
		set(&h)
		conn := jsonrpc.NewConn(ours, h)
		if _, err := theirs.Write([]byte(message + "\n")); err != nil {
			t.Fatal(err)
		}
		<-conn.Done()
		p.fails(conn.Err())
		testutil.Check(t, conn.Close())
		p.reported()
	}
}

// requests has a function of a request panic: another call still gets its response.
func requests(t *testing.T, p *panicLog, f func(context.Context, jsonrpc.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := jsonrpc.Pipe()
		conn := jsonrpc.NewConn(ours, jsonrpc.Handler{Panic: p.report})
		go func() { // ends with the stream
			for {
				line, err := theirs.Read()
				if err != nil {
					return
				}
				if m, err := jsonrpc.Parse(line); err == nil && m.Method == "echo" {
					_, _ = theirs.Write([]byte(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{}}` + "\n"))
				}
			}
		}()
		p.passes(func() { f(t.Context(), conn) })
		if _, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "echo"}); err != nil {
			t.Error(err)
		}
		testutil.Check(t, conn.Close())
	})
}

// serverSends has a server send a message for which the client calls a handler.
func serverSends(version, message string, h mcp.Handler) panicCase {
	return func(t *testing.T, p *panicLog) {
		reply := testserver.Replies(map[string]string{
			"initialize": result(`{"protocolVersion":"` + version + `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}`),
			"ping":       result(`{}`) + "\n" + message,
			"tools/call": result(`{"content":[{"type":"text","text":"hi"}]}`),
		})
		answers := make(chan string, 10)
		script := testserver.Script(func(line string) []string {
			if line != "" && !strings.Contains(line, `"method"`) {
				answers <- line
			}
			return reply(line)
		})
		c := p.open(stdio.Stream(script.Pipe()), &mcp.Options{ProtocolVersions: []string{version}, Handlers: []mcp.Handler{h}})
		testutil.Must(t, c.Ping(t.Context()))
		if strings.Contains(message, `"id"`) {
			if answer := <-answers; !strings.Contains(answer, "-32603") || strings.Contains(answer, oops) {
				t.Errorf("the server receives %s", answer)
			}
		}
		testutil.Eventually(func() bool { return p.count() > 0 })
		p.reported()
		p.alive(c)
	}
}

func result(text string) string { return `{"jsonrpc":"2.0","id":$id,"result":` + text + `}` }
