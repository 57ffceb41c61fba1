package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestPanicsOnGoroutinesOfTheLibrary checks that they are reported with their
// stack and end nothing else.
func TestPanicsOnGoroutinesOfTheLibrary(t *testing.T) {
	intercept := func(method string) func(context.Context, *mcp.OutgoingCall) (mcp.RawMessage, error) {
		return func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			if call.Method == method {
				panic("oh no")
			}
			return call.Send(ctx)
		}
	}
	for name, tt := range map[string]struct {
		o   mcp.Options
		use func(context.Context, *mcp.Client) error
	}{
		"discarding": {mcp.Options{Trace: &mcp.Trace{Discarded: func(error, []byte) { panic("oh no") }}}, func(ctx context.Context, c *mcp.Client) error {
			_, _ = c.Do(ctx, &mcp.ToolCall{Name: "echo", Arguments: map[string]any{"message": "hi"}, Progress: func(mcp.Progress) {}})
			return nil
		}},
		"tracing":    {mcp.Options{Trace: &mcp.Trace{Message: func(bool, []byte) { panic("oh no") }}}, nil},
		"choosing":   {mcp.Options{Trace: &mcp.Trace{EraChosen: func(mcp.ServerInfo) { panic("oh no") }}}, nil},
		"connecting": {mcp.Options{Intercept: intercept("server/discover")}, nil}, // by initialize
		"subscribing": {mcp.Options{Intercept: intercept("subscriptions/listen")}, func(ctx context.Context, c *mcp.Client) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() { synctest.Wait(); cancel() }() // ends at once
			if _, err := c.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true}); err == nil {
				return errors.New("subscribed")
			}
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stacks []string
				trace := new(mcp.Trace)
				if tt.o.Trace != nil {
					*trace = *tt.o.Trace
				}
				panics := make(chan string, 100)
				trace.HandlerPanic = func(v any, stack []byte) {
					panics <- string(stack)
					if v != "oh no" {
						t.Errorf("reported %v", v)
					}
					panic("oh no, again")
				}
				tt.o.Trace = trace
				served := testserver.Options{}
				if name == "discarding" {
					served.Fault = "bad-progress"
				}
				s := testserver.New(&served)
				c, err := mcp.Connect(t.Context(), streamFunc(s.Pipe), &tt.o)
				if err != nil {
					t.Fatal(err)
				}
				if tt.use != nil {
					if err := tt.use(t.Context(), c); err != nil {
						t.Error(err)
					}
				}
				c.Close()
				close(panics)
				for stack := range panics {
					stacks = append(stacks, stack)
				}
				if len(stacks) == 0 || !strings.Contains(stacks[0], "client_trace_test.go") {
					t.Errorf("%d panics are reported: %.200q", len(stacks), stacks)
				}
			})
		})
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("oh no") }

// TestPanicsOnGoroutinesOfTheProgram checks that they pass to the caller, and
// that the client still works then.
func TestPanicsOnGoroutinesOfTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := false
		c := connect(t, testserver.New(nil), &mcp.Options{
			Intercept: func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				if refuse {
					panic("oh no")
				}
				return call.Send(ctx)
			},
			Trace: &mcp.Trace{HandlerPanic: func(v any, _ []byte) { t.Errorf("reported %v", v) }},
		})
		for name, f := range map[string]func(){
			"Intercept": func() {
				refuse = true
				defer func() { refuse = false }()
				_, _ = c.CallTool(t.Context(), "echo", nil)
			},
			"MarshalJSON": func() {
				_, _ = c.CallTool(t.Context(), "echo", map[string]any{"message": panicking{}})
			},
			"the body of a range loop": func() {
				for range c.Tools(t.Context()) {
					panic("oh no")
				}
			},
		} {
			func() {
				defer func() {
					if v := recover(); v != "oh no" {
						t.Errorf("%s: recovered %v", name, v)
					}
				}()
				f()
			}()
			if err := c.Ping(t.Context()); err != nil {
				t.Errorf("after %s: %v", name, err)
			}
		}
	})
}

func TestTraceRetryAfterRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		server.Tool("any", nil, nil)
		server.Inject("any", mcptest.Refuse(-32020, "header mismatch"))
		var retried []string
		c := server.Connect(&mcp.Options{Trace: &mcp.Trace{Retry: func(method string, err error) {
			wantError(t, err, nil, "header mismatch")
			retried = append(retried, method)
		}}})
		if _, err := c.CallTool(t.Context(), "any", nil); err != nil {
			t.Fatal(err)
		}
		if len(retried) != 1 || retried[0] != "tools/call" || len(server.Calls("any")) != 2 {
			t.Errorf("Retry reports %q", retried)
		}
	})
}

func TestTraceReconnectAfterProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New(&testserver.Options{Fault: "discover-dies"})
		var waits []time.Duration
		c := connectTransport(t, streamFunc(s.Pipe), &mcp.Options{Trace: &mcp.Trace{Reconnect: func(err error, wait time.Duration) {
			wantError(t, err, mcp.ErrClosed, "")
			waits = append(waits, wait)
		}}})
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if len(waits) != 1 || waits[0] != 0 {
			t.Errorf("Reconnect reports waits of %v, want one of 0", waits)
		}
	})
}

// TestPanicOfTaskCancelsTask checks that the task does not continue when the
// function that observes it has panicked.
func TestPanicOfTaskCancelsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, modern, func(p *peer, m request) {
			switch m.Method {
			case "tools/call":
				p.answer(m, `{"resultType":"task","taskId":"a","status":"working","pollIntervalMs":5000}`)
			default:
				p.answer(m, `{"resultType":"complete"}`)
			}
		})
		c := connectStream(t, rwc, withTasks())
		func() {
			defer func() {
				if v := recover(); v != "oh no" {
					t.Errorf("recovered %v", v)
				}
			}()
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Task: func(*mcp.Task) { panic("oh no") }})
			t.Errorf("returned with %v", err)
		}()
		synctest.Wait()
		if got := len(p.messages("tasks/cancel")); got != 1 {
			t.Errorf("the task was cancelled %d times", got)
		}
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestPanicInConnect checks that the connection is closed: the bubble waits for
// the goroutines of both ends.
func TestPanicInConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if v := recover(); v != "oh no" {
				t.Errorf("recovered %v", v)
			}
		}()
		o := onlyVersion(legacy)
		_, err := mcp.Connect(t.Context(), streamFunc(testserver.New(&o).Pipe), &mcp.Options{
			Intercept: func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				if call.Method == "initialize" {
					panic("oh no")
				}
				return call.Send(ctx)
			},
		})
		t.Errorf("connected: %v", err)
	})
}
