package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A tap is a server, and the transport to it, that records every request.
type tap struct {
	version string
	results map[string]string // by method; {} for others
	always  bool              // input is required in each round
	fail    map[string]error  // of the next request with a method
	bare    bool              // the server declares nothing and refuses everything

	mu   sync.Mutex
	sent []tapped
	done chan struct{}
	once sync.Once
}

// A tapped is a request as the client has sent it.
type tapped struct {
	method, params string
	header         map[string][]string
	timeout        time.Duration
}

// mark reports whether the request has the options of marked.
func (r tapped) mark() bool {
	header, meta := r.header["X-Mark"] != nil, strings.Contains(r.params, `"mark":1`)
	if header != meta {
		panic(fmt.Sprintf("half of the options: %+v", r))
	}
	return header
}

var marked = mcp.CallOptions{Meta: map[string]any{"mark": 1}, Header: map[string][]string{"X-Mark": {"1"}}}

func newTap(version string) *tap {
	const caps = `"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"completions":{},"logging":{},` +
		`"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`
	s := &tap{version: version, done: make(chan struct{}), results: map[string]string{
		"initialize": `{"protocolVersion":"` + legacy + `",` + caps + `,"serverInfo":{"name":"s","version":"1"}}`,
		"tools/call": `{"content":[]}`, "tools/list": `{"tools":[]}`, "prompts/list": `{"prompts":[]}`, "prompts/get": `{"messages":[]}`,
		"resources/list": `{"resources":[]}`, "resources/templates/list": `{"resourceTemplates":[]}`, "resources/read": `{"contents":[]}`,
		"completion/complete": `{"completion":{"values":[]}}`, "tasks/list": `{"tasks":[]}`,
	}}
	if version == modern {
		delete(s.results, "initialize")
		s.results["server/discover"] = `{"supportedVersions":["` + modern + `"],` + caps + `}`
	}
	return s
}

func (s *tap) connect(t *testing.T, o *mcp.Options) *mcp.Client {
	t.Helper()
	c, err := mcp.Connect(t.Context(), tapTransport{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// take returns the requests and notifications since the last take.
func (s *tap) take() []tapped {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}

func (s *tap) record(req *jsonrpc.Request) {
	s.mu.Lock()
	s.sent = append(s.sent, tapped{req.Method, string(req.Params), req.HTTP.Header, req.Timeout})
	s.mu.Unlock()
}

func (s *tap) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	s.record(req)
	if err := s.Err(); err != nil {
		return nil, err
	}
	if err := s.fail[req.Method]; err != nil {
		delete(s.fail, req.Method)
		return nil, err
	}
	_, modernServer := s.results["server/discover"]
	switch result := s.results[req.Method]; {
	case strings.Contains(string(req.Params), `"inputResponses"`) && !s.always:
		return []byte(`{"content":[]}`), nil
	case result != "":
		return []byte(result), nil
	case req.Method == "subscriptions/listen":
		<-ctx.Done()
		return nil, ctx.Err()
	case s.bare, req.Method == "server/discover", req.Method == "initialize" && modernServer:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}
	}
	return []byte(`{}`), nil
}

func (s *tap) Notify(_ context.Context, req *jsonrpc.Request) error {
	s.record(req)
	return s.Err()
}

func (s *tap) Reply(context.Context, jsonrpc.ID, jsonrpc.RawMessage, *jsonrpc.Error) error {
	return nil
}

func (s *tap) Done() <-chan struct{} { return s.done }

func (s *tap) Err() error {
	select {
	case <-s.done:
		return mcp.ErrClosed
	default:
		return nil
	}
}

func (s *tap) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

func (s *tap) Features() *jsonrpc.Features { return new(jsonrpc.Features) }

// tapTransport opens a tap.
type tapTransport struct{ *tap }

func (t tapTransport) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) { return t.tap, nil }
func (tapTransport) Features() jsonrpc.TransportFeatures                           { return jsonrpc.TransportFeatures{} }

// TestOptionsOfEveryMethod calls every method of a client with options: all that it
// sends has them, and nothing that its parent sends. A method of a later version is
// called, too.
func TestOptionsOfEveryMethod(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(version)
			parent := s.connect(t, nil)
			child := parent.With(marked)
			for _, r := range s.take() {
				if r.mark() {
					t.Errorf("%s has options", r.method)
				}
			}
			sends := 0
			for i := range reflect.TypeFor[*mcp.Client]().NumMethod() {
				name := reflect.TypeFor[*mcp.Client]().Method(i).Name
				if local[name] || name == "Subscribe" || name == "KeepAlive" {
					continue
				}
				for _, c := range []*mcp.Client{parent, child} {
					_ = callMethod(t, reflect.ValueOf(c).MethodByName(name))
					for _, r := range s.take() {
						sends++
						if r.mark() != (c == child) {
							t.Errorf("%s: %s of the child %v: options %v", version, name, c == child, r.mark())
						}
					}
				}
			}
			if sends < 40 {
				t.Errorf("%d requests", sends)
			}
			for _, h := range []*mcp.TaskHandle{child.Task("1"), must(t)(child.ResumeTask(`{"task":"1"}`))} {
				_, _ = h.Status(t.Context())
				_ = h.Cancel(t.Context())
				if sent := s.take(); len(sent) != 2 || !sent[0].mark() || !sent[1].mark() {
					t.Errorf("the task sent %+v", sent)
				}
			}
		})
	}
}

func must(t *testing.T) func(*mcp.TaskHandle, error) *mcp.TaskHandle {
	return func(h *mcp.TaskHandle, err error) *mcp.TaskHandle {
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
}

// TestOptionsStayWithTheirCalls: a lost session, a subscription, KeepAlive of the parent,
// a cancellation and the lists that a call needs have no options.
func TestOptionsStayWithTheirCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(legacy)
		c := s.connect(t, &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}, LogLevel: mcp.LevelInfo})
		child := c.With(marked)
		s.take()
		s.fail = map[string]error{"tools/call": jsonrpc.ErrNoSession}
		if _, err := child.CallTool(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		sub, err := child.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"a:b"}})
		if err != nil {
			t.Fatal(err)
		}
		sub.Close()
		synctest.Wait() // the log level of the new session
		var methods []string
		for _, r := range s.take() {
			if methods = append(methods, r.method); r.mark() != (r.method == "tools/call") {
				t.Errorf("%s has options: %v", r.method, r.mark())
			}
		}
		want := []string{"initialize", "logging/setLevel", "notifications/initialized", "resources/subscribe", "resources/unsubscribe", "tools/call", "tools/call", "tools/list"}
		if slices.Sort(methods); !slices.Equal(methods, want) {
			t.Errorf("sent %q", methods)
		}

		s = newTap(modern)
		child = s.connect(t, nil).With(marked)
		s.take()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = child.Subscribe(ctx, nil)
		wantError(t, err, context.DeadlineExceeded)
		if sent := s.take(); len(sent) != 1 || sent[0].mark() {
			t.Errorf("subscribed with %+v", sent)
		}
		s.fail = map[string]error{"tools/call": &jsonrpc.Error{Code: mcp.CodeHeaderMismatch}}
		_, err = child.CallTool(t.Context(), "x", nil)
		if sent := s.take(); err != nil || len(sent) != 3 || !sent[0].mark() || sent[1].mark() || !sent[2].mark() {
			t.Errorf("%v, sent %+v", err, sent)
		}
	})
}

// TestOptionsInEveryRound: also after the server has required input.
func TestOptionsInEveryRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(modern)
		s.results["tools/call"] = `{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}}}`
		roots := mcp.Roots{List: func(ctx context.Context) ([]mcp.Root, error) { return nil, nil }}
		c := s.connect(t, &mcp.Options{Handlers: []mcp.Handler{roots}}).With(marked)
		s.take()
		if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		if sent := s.take(); len(sent) != 2 || !sent[0].mark() || !sent[1].mark() {
			t.Errorf("sent %+v", sent)
		}
	})
}

// TestInnerOptionsTakePrecedence: those of the call, then those of the last With.
func TestInnerOptionsTakePrecedence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(legacy)
		own := map[string]any{"a": 1, "b": 1, "c": 1}
		outer := s.connect(t, nil).With(mcp.CallOptions{Timeout: 3 * time.Second, Meta: own, Header: map[string][]string{"x-a": {"1"}, "X-B": {"1"}, "X-C": {"1"}}})
		own["d"] = 1 // after With
		inner := outer.With(mcp.CallOptions{Timeout: 2 * time.Second, Meta: map[string]any{"b": 2, "c": 2}, Header: map[string][]string{"x-b": {"2"}, "x-c": {"2"}}})
		s.take()
		_, err := inner.Do(t.Context(), &mcp.ToolCall{Name: "x", Timeout: time.Second, Meta: map[string]any{"c": 3}, Header: map[string][]string{"X-c": {"3"}}})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = inner.ListTools(t.Context())
		_, _ = outer.ListTools(t.Context())
		want := []tapped{
			{"tools/call", `{"name":"x","arguments":{},"_meta":{"a":1,"b":2,"c":3}}`, map[string][]string{"x-a": {"1"}, "x-b": {"2"}, "X-c": {"3"}}, time.Second},
			{"tools/list", `{"_meta":{"a":1,"b":2,"c":2}}`, map[string][]string{"x-a": {"1"}, "x-b": {"2"}, "x-c": {"2"}}, 2 * time.Second},
			{"tools/list", `{"_meta":{"a":1,"b":1,"c":1}}`, map[string][]string{"x-a": {"1"}, "X-B": {"1"}, "X-C": {"1"}}, 3 * time.Second},
		}
		for i, r := range s.take() {
			if !reflect.DeepEqual(r, want[i]) {
				t.Errorf("sent %+v, want %+v", r, want[i])
			}
		}
		_, err = outer.With(mcp.CallOptions{Meta: map[string]any{"progressToken": 1}}).ListTools(t.Context())
		wantError(t, err, nil, "progressToken")
	})
}

// TestProgressOfEveryCall: a prompt and a resource report their progress, as a tool
// does, and a task until it ends.
func TestProgressOfEveryCall(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			_, rwc := newPeer(t, version, func(p *peer, m request) {
				p.notify("notifications/progress", `{"progressToken":`+m.token()+`,"progress":1}`)
				p.answer(m, `{"messages":[],"contents":[],"completion":{"values":[]},"content":[]}`)
			})
			n := 0
			c := connectStream(t, rwc, nil).With(mcp.CallOptions{Progress: func(mcp.Progress) { n++ }})
			_, err := c.GetPrompt(t.Context(), "x", nil)
			_, err2 := c.ReadResource(t.Context(), "a:b")
			_, err3 := c.CallTool(t.Context(), "x", nil)
			if err := errors.Join(err, err2, err3); err != nil || n != 3 {
				t.Errorf("%d reports, %v", n, err)
			}
		})
	}
	onEveryRoute(t, func(t *testing.T, p route) {
		s, c := connectWithTasks(t, p, withTasks())
		var progress []float64
		with := c.With(mcp.CallOptions{Progress: func(p mcp.Progress) { progress = append(progress, p.Progress) }})
		res, err := with.CallTool(t.Context(), "research", map[string]any{"topic": "x", "steps": 2, "step_ms": 3000})
		if err != nil || res.Text() != "A report on x." || p.version == legacy && !slices.Equal(progress, []float64{1, 2}) {
			t.Errorf("progress %v, %v", progress, err)
		}
		for _, m := range s.Received() {
			if strings.HasPrefix(m.Method, "tasks/") && strings.Contains(m.Line, "progressToken") {
				t.Errorf("%s has a token: %s", m.Method, m.Line)
			}
		}
	})
}

// TestTimeoutOfClient: the other clients of the connection have their own.
func TestTimeoutOfClient(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			_, rwc := newPeer(t, version, func(*peer, request) {})
			c := connectStream(t, rwc, &mcp.Options{Timeout: 5 * time.Second, MaxTimeout: 20 * time.Second})
			for timeout, want := range map[time.Duration]time.Duration{2 * time.Second: 2 * time.Second, 0: 5 * time.Second, -1: 20 * time.Second} {
				wantDuration(t, want, func() {
					_, err := c.With(mcp.CallOptions{Timeout: timeout}).ReadResource(t.Context(), "a:b")
					wantError(t, err, context.DeadlineExceeded, "no response within "+want.String())
				})
			}
		})
	}
}

// TestCacheAndOptions: what depends on Meta or Header is neither taken from the cache
// nor stored there.
func TestCacheAndOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(modern)
		s.results["resources/read"] = `{"contents":[],"ttlMs":100000}`
		c := s.connect(t, &mcp.Options{Cache: mcp.CacheSize(1 << 20)})
		for i, read := range []struct {
			c    *mcp.Client
			want int
		}{
			{c.With(marked), 1}, {c, 1}, {c, 0}, {c.With(mcp.CallOptions{Timeout: time.Second}), 0},
			{c.With(mcp.CallOptions{Meta: marked.Meta}), 1}, {c.With(mcp.CallOptions{Header: marked.Header}), 1}, {c, 0},
		} {
			s.take()
			if _, err := read.c.ReadResource(t.Context(), "a:b"); err != nil || len(s.take()) != read.want {
				t.Errorf("read %d: %v, want %d requests", i, err, read.want)
			}
		}
	})
}

// TestClientsOfOneConnection: they have everything in common but the options.
func TestClientsOfOneConnection(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		var client *mcp.Client
		c := p.open(t, p.server(testserver.Options{}), &mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, o *mcp.OutgoingCall) (mcp.RawMessage, error) {
			client = o.Client()
			return o.Send(ctx)
		}}})
		child := c.With(marked)
		if _, err := child.ListTools(t.Context()); err != nil || client != c || child.Server().Name != c.Server().Name || child.Done() != c.Done() {
			t.Errorf("%v, intercepted %p of %p", err, client, c)
		}
		if got := fmt.Sprintf("%v %+v", child, marked); got != "mcp.Client mcp.CallOptions" {
			t.Error(got)
		}
		if err := child.Close(); err != nil || !errors.Is(c.Err(), mcp.ErrClosed) {
			t.Errorf("%v, %v", err, c.Err())
		}
	})
}

// TestInputByHand: a program answers what the server asked in another call.
func TestInputByHand(t *testing.T) {
	for _, method := range []string{"tools/call", "prompts/get", "resources/read"} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(modern)
			s.results[method] = `{"resultType":"input_required","requestState":"half \"way\"","inputRequests":{` +
				`"name":{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}},` +
				`"where":{"method":"roots/list"}}}`
			form := mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				t.Error("the handler is called")
				return nil, nil
			}}
			c := s.connect(t, &mcp.Options{MaxRounds: -1, Cache: mcp.CacheSize(1 << 20), Handlers: []mcp.Handler{form, mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}}})
			call := func(c *mcp.Client) (err error) {
				switch method {
				case "tools/call":
					_, err = c.CallTool(t.Context(), "x", map[string]any{"a": 1})
				case "prompts/get":
					_, err = c.GetPrompt(t.Context(), "x", nil)
				default:
					_, err = c.ReadResource(t.Context(), "x:y")
				}
				return err
			}
			var asked *mcp.InputRequiredError
			if err := call(c); !errors.As(err, &asked) || !errors.Is(err, mcp.ErrInputRequired) || len(asked.InputRequests) != 2 || asked.InputRequests["where"].Params != nil {
				t.Fatalf("%v, asked %+v", err, asked)
			}
			var p mcp.ElicitParams
			if err := p.UnmarshalJSON(asked.InputRequests["name"].Params); err != nil || p.Message != "Who?" {
				t.Errorf("%+v, %v", p, err)
			}
			s.take()
			delete(s.results, method)
			answers := mcp.CallOptions{RequestState: asked.RequestState, InputResponses: map[string]any{
				"name":  &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: map[string]any{"name": "Ada"}},
				"where": mcp.RawMessage(`{"roots":[]}`),
			}}
			_ = call(c.With(answers))
			want := `"inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}},"where":{"roots":[]}},"requestState":"half \"way\"",`
			if sent := s.take(); len(sent) != 1 || !strings.Contains(sent[0].params, want) {
				t.Errorf("%s: sent %+v\nwant %s", method, sent, want)
			}
			answers.InputResponses = map[string]any{"name": make(chan int)}
			if err := call(c.With(answers)); err == nil || !strings.Contains(err.Error(), "InputResponses") {
				t.Error(err)
			}
			if err := c.With(answers).Ping(t.Context()); err != nil { // not a call that takes input
				t.Error(err)
			}
		})
	}
}
