package host_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/host/skillset"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// callbackLog records the server of each call of a function of the program.
type callbackLog struct {
	mu   sync.Mutex
	want []string            // the functions that take a context
	seen map[string][]string // the servers, by the function
}

func (l *callbackLog) note(ctx context.Context, callback string) {
	l.mu.Lock()
	l.seen[callback] = append(l.seen[callback], host.ServerOf(ctx))
	l.mu.Unlock()
}

// observe makes all functions of a struct that take a context first record their
// servers. Those that are nil return zero values.
func (l *callbackLog) observe(options any) {
	v := reflect.ValueOf(options).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() != reflect.Func || f.Type().NumIn() == 0 || f.Type().In(0) != reflect.TypeFor[context.Context]() {
			continue
		}
		name := v.Type().String() + "." + v.Type().Field(i).Name
		own := reflect.ValueOf(f.Interface())
		l.want = append(l.want, name)
		f.Set(reflect.MakeFunc(f.Type(), func(args []reflect.Value) (results []reflect.Value) {
			l.note(args[0].Interface().(context.Context), name)
			if !own.IsNil() {
				return own.Call(args)
			}
			for i := range f.Type().NumOut() {
				results = append(results, reflect.Zero(f.Type().Out(i)))
			}
			return results
		}))
	}
}

// TestServerOfInEveryCallback: each function of the program that takes a context knows
// its server, whether the host or a client calls it.
func TestServerOfInEveryCallback(t *testing.T) { synctest.Test(t, serverOfInEveryCallback) }

func serverOfInEveryCallback(t *testing.T) {
	log := &callbackLog{seen: make(map[string][]string)}
	roots := mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { panic("no roots") }} // HandlerPanic
	sampling := mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
		return nil, errors.New("no model") // Discarded
	}}
	form := mcp.Elicitation{
		Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
		},
		OpenURL: func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) { return mcp.ElicitDecline, nil },
	}
	changes := mcp.Changes{Changed: func(context.Context, mcp.Change) {}}
	client, trace := &mcp.Options{LogLevel: mcp.LevelDebug, Cache: mcp.CacheSize(0)}, &mcp.Trace{}
	o := &host.Options{
		Approve: func(context.Context, *host.Call) (host.Decision, error) { return host.Allow, nil },
		Called: func(ctx context.Context, r *host.CallReport) {
			if server := host.ServerOf(ctx); server != r.Server { // none for a tool of the host itself
				t.Errorf("the report of %s is for the server %q", r.Name, server)
			}
		},
		Vars: config.Vars{Input: func(context.Context, string) (string, error) { return "value", nil }},
	}
	for _, options := range []any{o, &o.Vars, client, trace, &roots, &sampling, &form, &changes} {
		log.observe(options)
	}
	client.Trace, o.Client = trace, client
	client.Interceptors = []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		log.note(ctx, "mcp.Interceptor of "+call.Method)
		return call.Send(ctx)
	}}
	client.Handlers = []mcp.Handler{roots, sampling, form, changes,
		mcp.HandleNotification("", func(ctx context.Context, _ string, _ mcp.RawMessage) { log.note(ctx, "mcp.HandleNotification") }),
	}

	// The server x loses its session. The server y ends when it is probed.
	x := mcptest.New(t)
	x.ProtocolVersions = []string{mcp.ProtocolVersion20251125}
	x.Tool("ask", nil, func(c *mcptest.Call) (any, error) {
		_, _ = c.Roots()
		_, _ = c.Sample(&mcp.CreateMessageParams{MaxTokens: 1})
		_, _ = c.Elicit("name?", map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}})
		_, _ = c.OpenURL("open", "https://example.com/", "1")
		c.Log(mcp.LevelInfo, "asked")
		return "done", nil
	})
	x.Tool("half", nil, nil)
	x.Skill("skill://x/refunds", nil)
	y := newFake(&testserver.Options{Fault: "discover-dies", ProtocolVersions: []string{mcp.ProtocolVersion20251125}})
	web := x.StartHTTP(&mcptest.HTTPOptions{InMemory: true})
	o.Dialers = dialers.All(&dialers.Options{Client: web.Client, InProcess: map[string]mcp.Transport{"y": pipe(y.open)}})
	for kind, dial := range o.Dialers {
		o.Dialers[kind] = func(ctx context.Context, d *host.DialParams) (mcp.Transport, error) {
			log.note(ctx, "host.Dialer of "+d.Name)
			return dial(ctx, d)
		}
	}
	h := newHost(t, o)
	for _, s := range []*host.Server{{Name: "x", Type: config.HTTP, URL: web.URL, Headers: map[string]string{"X-Input": "${input:header}"}}, {Name: "y", Type: config.SDK}} {
		if err := h.AddServer(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	x.Inject("tools/call", mcptest.LoseSession())
	view := h.View().With(func(ctx context.Context, c *host.Call) (host.Decision, error) {
		log.note(ctx, "host.View.With of "+c.Server)
		return host.Undecided, nil
	})
	if _, err := view.CallTool(t.Context(), "x", "ask", nil); err != nil {
		t.Fatal(err)
	}
	x.Inject("half", mcptest.Respond(`{"content":[{"type":"text","text":"\ud83d"}]}`)) // Odd
	if _, err := h.CallTool(t.Context(), "x", "half", nil); err != nil {
		t.Error(err)
	}
	if _, err := h.ListResources(t.Context(), "x"); err != nil { // CacheKey
		t.Error(err)
	}
	x.Tool("another", nil, nil) // Changed
	skills := &skillset.Options{Approve: func(context.Context, *host.Call) (host.Decision, error) { return host.Allow, nil }}
	log.observe(skills)
	if _, err := skillset.New(h, skills).Open(t.Context(), "x__refunds"); err != nil {
		t.Error(err)
	}
	if _, err := h.ResourceTools()[0].Execute(t.Context(), raw(`{"server":"x"}`)); err != nil {
		t.Error(err)
	}
	time.Sleep(time.Second) // until the tools are listed again
	synctest.Wait()
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	web.Client.CloseIdleConnections()

	log.mu.Lock()
	defer log.mu.Unlock()
	want := append(log.want, "host.Dialer of x", "host.Dialer of y", "host.View.With of x", "mcp.HandleNotification",
		"mcp.Interceptor of tools/call", "mcp.Interceptor of tools/list", "mcp.Interceptor of initialize")
	for _, callback := range want {
		if callback == "mcp.Trace.StreamLost" {
			continue // with the context of Discarded, if the server refuses its stream for good
		}
		servers := log.seen[callback]
		if len(servers) == 0 {
			t.Errorf("%s was not called; called were %q", callback, slices.Sorted(maps.Keys(log.seen)))
		}
		for _, server := range servers {
			if callback == "host.Options.Called" {
				break
			}
			if _, of, ok := strings.Cut(callback, " of "); server == "" || ok && len(of) == 1 && of != server {
				t.Errorf("%s: the servers are %q", callback, servers)
				break
			}
		}
	}
}

// TestServerOfAfterAPanic: the report of a panic on a goroutine of the host names the
// server that the function was called for, as do the contexts of HandleRequest.
func TestServerOfAfterAPanic(t *testing.T) {
	log := &callbackLog{seen: make(map[string][]string)}
	trace := &mcp.Trace{}
	log.observe(trace)
	result := func(text string) string { return `{"jsonrpc":"2.0","id":$id,"result":` + text + `}` }
	script := testserver.Script(testserver.Replies(map[string]string{
		"initialize": result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`),
		"tools/list": result(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"bad","inputSchema":{"type":"object"}}]}`),
		"tools/call": result(`{"content":[]}`) + "\n" + `{"jsonrpc":"2.0","id":1,"method":"acme/ask"}`,
	}))
	asked := make(chan struct{})
	h := newHost(t, &host.Options{
		Dialers: host.Dialers{"script": func(context.Context, *host.DialParams) (mcp.Transport, error) {
			return pipe(func() (io.ReadWriteCloser, error) { return script.Pipe(), nil }), nil
		}},
		Client: &mcp.Options{Trace: trace, ProtocolVersions: []string{mcp.ProtocolVersion20251125}, Handlers: []mcp.Handler{
			mcp.HandleRequest("acme/ask", func(ctx context.Context, _ mcp.RawMessage) (any, error) {
				log.note(ctx, "mcp.HandleRequest")
				close(asked)
				return nil, nil
			}),
		}},
		Filter: func(_ string, tool *mcp.Tool) bool {
			if tool.Name == "bad" {
				panic("no filter")
			}
			return true
		},
	})
	if err := h.AddServer(t.Context(), &host.Server{Name: "x", Type: "script"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.CallTool(t.Context(), "x", "echo", nil); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, callback := range []string{"mcp.Trace.HandlerPanic", "mcp.HandleRequest"} {
		if servers := log.seen[callback]; len(servers) == 0 || slices.ContainsFunc(servers, func(s string) bool { return s != "x" }) {
			t.Errorf("%s: the servers are %q", callback, servers)
		}
	}
}
