package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/pause"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// The call timeout also limits the wait for the server.
func TestCallTimeoutLimitsConnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, fakes{"x": newFake(&testserver.Options{Fault: "mute"})}.with(host.Options{Timeout: 5 * time.Second}))
		h.SetServers(t.Context(), []*host.Server{{Name: "x", Type: config.SDK, Lazy: true}})
		start := time.Now()
		for _, call := range []func() error{
			func() error { _, err := h.CallTool(t.Context(), "x", "echo", nil); return err },
			func() error { _, err := h.ListResources(t.Context(), "x"); return err },
			func() error { _, err := h.ReadResource(t.Context(), "x", "echo://text"); return err },
		} {
			if err := call(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		}
		if took := time.Since(start); took != 15*time.Second {
			t.Errorf("three calls took %v", took)
		}
	})
}

// A call of a tool that may be repeated continues on the new connection.
func TestIdempotentCallContinuesOnChangedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		moved := host.Server{Name: "x", Type: config.SDK, Headers: map[string]string{"X": "y"}}
		time.AfterFunc(time.Second, func() { h.SetServers(context.Background(), []*host.Server{&moved}) })
		text, err := h.Tool("mcp__x__slow").Execute(t.Context(), raw(`{"seconds":10,"steps":1}`))
		if err != nil || text == "" || f.opened() != 2 {
			t.Errorf("%q, %v, opened %d times", text, err, f.opened())
		}
	})
}

// With mcp.Tasks among the handlers, a tool may run longer than the call
// timeout.
func TestToolsAsTasks(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(&testserver.Options{ProtocolVersions: []string{version}, Tasks: true})
			h := fakes{"x": f}.start(t, host.Options{Timeout: 10 * time.Second, Client: &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}}})
			start := time.Now()
			text, err := h.Tool("mcp__x__research").Execute(t.Context(), raw(`{"topic":"whales","steps":5,"step_ms":60000}`))
			if took := time.Since(start); err != nil || !strings.Contains(text, "whales") || took < 5*time.Minute || took > 10*time.Minute {
				t.Errorf("%s: %q, %v after %v", version, text, err, took)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			if _, err := h.Tool("mcp__x__research").Execute(ctx, raw(`{"topic":"whales","end":"never"}`)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: a task whose context ends: %v", version, err)
			}
			if v := f.Violations(); v != nil {
				t.Errorf("%s: %q", version, v)
			}
		})
	}
}

func TestServerOf(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125} {
		synctest.Test(t, func(t *testing.T) {
			o := &testserver.Options{ProtocolVersions: []string{version}}
			var asked []string
			h := fakes{"a": newFake(o), "b": newFake(o)}.start(t, host.Options{Client: &mcp.Options{Handlers: []mcp.Handler{
				mcp.Roots{List: func(ctx context.Context) ([]mcp.Root, error) {
					asked = append(asked, host.ServerOf(ctx))
					return nil, nil
				}},
			}}})
			for _, name := range []string{"a", "b"} {
				if _, err := h.Tool("mcp__"+name+"__ask_roots").Execute(t.Context(), nil); err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(asked, []string{"a", "b"}) || host.ServerOf(t.Context()) != "" {
				t.Errorf("%s: requests of %q", version, asked)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		slow := h.Tool("mcp__x__slow")
		for _, seconds := range []string{"10", "20"} {
			if _, err := slow.Execute(t.Context(), raw(`{"seconds":`+seconds+`,"steps":1}`)); err != nil {
				t.Fatal(err)
			}
		}
		before := time.Now()
		_, _ = h.Tool("mcp__x__fail").Execute(t.Context(), raw(`{"message":"out of paper"}`))
		s, _ := h.ServerStatus("x")
		m := s.Metrics
		if m.Calls != 3 || m.Successes != 2 || m.Failures != 1 || m.Connects != 1 || m.Crashes != 0 {
			t.Errorf("%+v", m)
		}
		if want := 9900 * time.Millisecond; m.ResponseTime != want { // (10 s, then a tenth of 20 s, then of 0)
			t.Errorf("the average is %v, want %v", m.ResponseTime, want)
		}
		if !strings.Contains(m.LastError, "out of paper") || !m.LastErrorTime.Equal(before) {
			t.Errorf("%+v", m)
		}
	})
}

func TestConcurrentCallsOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		slow := h.Tool("mcp__x__slow")
		start := time.Now()
		var failures atomic.Int32
		done := make(chan bool)
		for range 20 {
			go func() { // ends with the call
				if _, err := slow.Execute(t.Context(), raw(`{"seconds":10,"steps":1}`)); err != nil {
					failures.Add(1)
				}
				done <- true
			}()
		}
		for range 20 {
			<-done
		}
		if took := time.Since(start); took != 10*time.Second || failures.Load() > 0 || f.opened() != 1 {
			t.Errorf("20 calls took %v, %d failed", took, failures.Load())
		}
	})
}

func TestOnlyHarmlessCallsAreRepeated(t *testing.T) {
	for annotations, calls := range map[string]int{`{}`: 1, `{"readOnlyHint":true}`: 2, `{"idempotentHint":true}`: 2, `{"readOnlyHint":false}`: 1} {
		synctest.Test(t, func(t *testing.T) {
			server := mcptest.New(t)
			tool := server.Tool("t", nil, answer("too late"))
			if err := json.Unmarshal([]byte(annotations), &tool.Annotations); err != nil {
				t.Fatal(err)
			}
			server.Inject("t", mcptest.Crash(), mcptest.Crash())
			h := hostOf(t, host.Options{Timeout: 30 * time.Second}, map[string]*mcptest.Server{"x": server})
			_, err := h.CallTool(t.Context(), "x", "t", nil)
			called := len(server.Calls("t"))
			if called != calls || err == nil {
				t.Errorf("%s: the tool was called %d times, %v", annotations, called, err)
			}
			if calls == 1 && (!errors.Is(err, mcp.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "may or may not have been executed")) {
				t.Error(err)
			}
		})
	}
}

func TestTimeoutText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(&testserver.Options{Fault: "never-answers"})}.start(t, host.Options{Timeout: 5 * time.Second})
		_, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`))
		if want := `[MCP:x] tool "echo" timed out: no response within 5s`; err == nil || err.Error() != want {
			t.Errorf("have %q, want %q", err, want)
		}
	})
}

func TestFailures(t *testing.T) {
	t.Run("initialize fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fs := fakes{"good": newFake(nil), "bad": newFake(&testserver.Options{Fault: "initialize-error"})}
			h := newHost(t, fs.with(host.Options{}))
			d := h.SetServers(t.Context(), fs.servers())
			if d.Err() != nil || !strings.Contains(d.Errors["bad"].Error(), "out of order today") || h.Tool("mcp__good__echo") == nil {
				t.Errorf("%v, %v", d.Err(), d.Errors)
			}
		})
	})
	t.Run("tools/list fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := mcptest.New(t)
			server.Tool("t", nil, nil)
			server.Inject("tools/list", mcptest.Refuse(-32603, "no tools today"))
			h := hostOf(t, host.Options{}, map[string]*mcptest.Server{"x": server})
			s, _ := h.ServerStatus("x")
			if s.State != host.Connected || len(s.Tools) > 0 || s.Err == nil || !strings.Contains(s.Err.Error(), "failed to list tools: no tools today (code -32603)") {
				t.Errorf("%+v, %v", s, s.Err)
			}
		})
	})
	t.Run("process dies during a call", func(t *testing.T) {
		h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
		if err := h.SetServers(t.Context(), []*host.Server{child("x", &testserver.Options{Fault: "dies-mid-call"})}).Err(); err != nil {
			t.Fatal(err)
		}
		_, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`))
		if !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("%v", err)
		}
	})
	t.Run("context canceled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := fakes{"x": newFake(nil)}.start(t, host.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := h.Tool("mcp__x__slow").Execute(ctx, raw(`{"seconds":60}`))
			if e, ok := err.(*host.Error); !ok || e.Code != "CANCELED" || !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	})
}

func TestConcurrentCallsGetTheirOwnResults(t *testing.T) {
	f := newFake(nil)
	h := fakes{"x": f}.start(t, host.Options{})
	done := make(chan error)
	for i := range 50 {
		go func() { // ends with the call
			want := fmt.Sprint("message ", i)
			text, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"`+want+`"}`))
			if err == nil && text != want {
				err = errors.New("result of another call: " + text)
			}
			done <- err
		}()
	}
	for range 50 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if v := f.Violations(); v != nil {
		t.Errorf("%q", v)
	}
}

func TestErrorsOfToolsReachTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(&testserver.Options{Fault: "string-error"})}.start(t, host.Options{})
		_, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`))
		if e, ok := err.(*host.Error); !ok || e.Category != host.CategoryTool || e.Error() != `[MCP:x] tool "echo" failed: boom` {
			t.Errorf("%v", err)
		}
		_, err = h.Tool("mcp__x__fail").Execute(t.Context(), nil)
		if !errors.Is(err, host.ErrTool) || !strings.Contains(err.Error(), "This tool always fails.") {
			t.Errorf("%v", err)
		}
		reasons := fakes{"y": newFake(&testserver.Options{Fault: "error-with-data"})}.start(t, host.Options{})
		_, err = reasons.Execute(t.Context(), "mcp__y__echo", raw(`{"message":"hi"}`))
		if want := `[MCP:y] tool "echo" failed: Invalid params (code -32602): city must be one of Rome, Oslo; see http://***@h/`; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		_, err = h.Tool("mcp__x__echo").Execute(t.Context(), raw(`[1]`))
		if err == nil || !strings.Contains(err.Error(), "not a JSON object") {
			t.Errorf("%v", err)
		}
	})
}

func TestClientsHaveTheNamesOfTheSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		client, err := h.Client(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.CallTool(t.Context(), "unknown", nil)
		if call, ok := err.(*mcp.CallError); !ok || call.Server != "x" {
			t.Errorf("%v", err)
		}
	})
}

// TestServersOfOneHostAreKeptApart: two servers have a tool of the same name with
// different definitions, and the host's options have a cache and a checker of
// outputs. Nothing that one server said is used for the other.
func TestServersOfOneHostAreKeptApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := func(schema, result string) *mcptest.Server {
			s := mcptest.New(t)
			s.TTL = 100 * time.Second
			tool := s.Tool("t", nil, func(*mcptest.Call) (any, error) {
				return &mcp.CallToolResult{StructuredContent: mcp.RawMessage(result)}, nil
			})
			tool.Description, tool.OutputSchema = result, mcp.RawMessage(schema)
			s.Resource("file:///r", "text/plain", result)
			return s
		}
		servers := map[string]*mcptest.Server{"a": server(`{"type":"number"}`, "1"), "b": server(`{"type":"boolean"}`, "true")}
		h := hostOf(t, host.Options{Client: &mcp.Options{Cache: mcp.CacheSize(1 << 20), Interceptors: []mcp.Interceptor{new(jsonschema.Outputs).Intercept}}}, servers)
		for range 2 {
			for name, want := range map[string]string{"a": "1", "b": "true"} {
				c, err := h.Client(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				tools, err := c.ListTools(t.Context())
				if err != nil || len(tools) != 1 || tools[0].Description != want {
					t.Errorf("tools of %s: %+v, %v", name, tools, err)
				}
				res, err := c.CallTool(t.Context(), "t", nil)
				if err != nil || string(res.StructuredContent) != want {
					t.Errorf("result of %s: %+v, %v", name, res, err)
				}
				read, err := c.ReadResource(t.Context(), "file:///r")
				if err != nil || read.Contents[0].Text != want {
					t.Errorf("resource of %s: %+v, %v", name, read, err)
				}
			}
		}
	})
}

func TestSerialServerGetsOneCallAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(nil)}
		servers := fs.servers()
		servers[0].Serial = true
		h := newHost(t, fs.with(host.Options{Timeout: 15 * time.Second}))
		if err := h.SetServers(t.Context(), servers).Err(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		call := func(ctx context.Context, end chan<- error) {
			_, err := h.Execute(ctx, "mcp__x__slow", raw(`{"seconds":10,"steps":1}`))
			end <- err
		}
		first, second, impatient := make(chan error, 1), make(chan error, 1), make(chan error, 1)
		go call(t.Context(), first)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		go call(t.Context(), second)
		go call(ctx, impatient)
		if err := <-impatient; !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		// The time in the queue is not part of a call's timeout.
		if err := <-first; err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := <-second; err != nil || time.Since(began) != 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A slowLogin is a Transport that has the user log in first.
type slowLogin struct {
	mcp.Transport
	time time.Duration
}

func (s slowLogin) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	resume := pause.Begin(ctx, "https://example.com/login")
	time.Sleep(s.time)
	resume()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return s.Transport.Open(ctx, h)
}

// The time of a login counts neither for the connection nor for the call.
func TestLoginTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := fakes{"x": newFake(nil)}.with(host.Options{ConnectTimeout: 5 * time.Second, Timeout: 5 * time.Second})
		dial := o.Dialers[config.SDK]
		o.Dialers[config.SDK] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			tr, err := dial(context.Background(), d)
			return slowLogin{tr, 10 * time.Minute}, err
		}
		if err := newHost(t, o).SetServers(t.Context(), []*host.Server{{Name: "x", Type: config.SDK}}).Err(); err != nil {
			t.Error(err)
		}
	})
}

func TestSerialCoversResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(nil)}
		servers := fs.servers()
		servers[0].Serial = true
		h := newHost(t, fs.with(host.Options{}))
		h.SetServers(t.Context(), servers)
		go h.CallTool(t.Context(), "x", "slow", map[string]any{"seconds": 5, "steps": 1}) // ends after 5 s
		synctest.Wait()
		began := time.Now()
		if _, err := h.ReadResource(t.Context(), "x", "echo://text"); err != nil {
			t.Error(err)
		}
		if d := time.Since(began); d != 5*time.Second {
			t.Errorf("the resource was read after %v", d)
		}
	})
}
