package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestCrashedServerReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		events := h.Events(t.Context())
		tool := h.Tool("mcp__x__echo")
		f.crash()
		awaitState(t, events, "x", host.Reconnecting)
		if len(h.Tools()) > 0 {
			t.Error("a crashed server still has tools")
		}
		start := time.Now()
		// A call waits until the server is connected again.
		if text, err := tool.Execute(t.Context(), raw(`{"message":"again"}`)); err != nil || text != "again" {
			t.Errorf("%q, %v", text, err)
		}
		if took := time.Since(start); took < 800*time.Millisecond || took > time.Second {
			t.Errorf("reconnected after %v", took)
		}
		if h.Tool("mcp__x__echo") == nil {
			t.Error("the tools are still missing")
		}
	})
}

func TestCrashLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		events := h.Events(t.Context())
		for i := range 5 {
			f.crash()
			if i < 4 {
				awaitState(t, events, "x", host.Connected)
			}
		}
		e := awaitState(t, events, "x", host.Failed)
		if !errors.Is(e.Err, host.ErrCrashLoop) {
			t.Errorf("error: %v", e.Err)
		}
		if _, err := h.CallTool(t.Context(), "x", "echo", nil); !errors.Is(err, host.ErrCrashLoop) {
			t.Errorf("a call of a failed server: %v", err)
		}
		if f.opened() != 5 {
			t.Errorf("opened %d times", f.opened())
		}
		if err := h.Connect(t.Context(), "x"); !errors.Is(err, host.ErrCrashLoop) {
			t.Errorf("Connect to a failed server: %v", err)
		}
		for what, again := range map[string]func(){ // after a repair
			"Reconnect":    func() { _ = h.Reconnect(t.Context(), "x") },
			"SetServers":   func() { h.SetServers(t.Context(), fakes{"x": f}.servers()) },
			"five minutes": func() { time.Sleep(5*time.Minute + time.Second) },
		} {
			again()
			synctest.Wait()
			if got := state(t, h, "x"); got != host.Connected {
				t.Errorf("after %s the server is %v", what, got)
			}
			for state(t, h, "x") != host.Failed {
				f.crash()
				time.Sleep(time.Minute / 2)
			}
		}
	})
}

func TestOccasionalCrashesAreNoLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		events := h.Events(t.Context())
		for range 12 {
			time.Sleep(time.Minute)
			f.crash()
			awaitState(t, events, "x", host.Connected)
		}
	})
}

func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.fail = errors.New("refused")
		h := newHost(t, fakes{"x": f}.with(host.Options{Retry: host.Retry{Max: 7}}))
		events := h.Events(t.Context())
		d := h.SetServers(t.Context(), fakes{"x": f}.servers())
		if err := d.Err(); err == nil || d.Errors["x"] == nil {
			t.Errorf("%+v, %v", d, err)
		}
		start, last := time.Now(), time.Now()
		for i, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
			if i < 6 {
				e := await(t, events, "a retry", func(e host.Event) bool { return e.State == host.Reconnecting })
				if i > 0 {
					if got := e.Time.Sub(last); got > want*time.Second || got < want*time.Second/3 {
						t.Errorf("retry %d after %v", i, got)
					}
				}
				last = e.Time
			}
		}
		e := awaitState(t, events, "x", host.Failed)
		if total := time.Since(start); total > 91*time.Second || total < 72*time.Second || f.opened() != 8 {
			t.Errorf("gave up after %v and %d attempts: %v", total, f.opened(), e.Err)
		}
	})
}

// A call reconnects a failed server, which is then supervised again.
func TestServerRevivedByCallIsSupervised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		events := h.Events(t.Context())
		f.failWith(errors.New("refused"))
		f.crash()
		awaitState(t, events, "x", host.Failed)
		f.failWith(nil)
		if _, err := h.CallTool(t.Context(), "x", "echo", map[string]any{"message": "hi"}); err != nil {
			t.Fatal(err)
		}
		awaitState(t, events, "x", host.Connected)
		f.crash()
		awaitState(t, events, "x", host.Reconnecting)
		awaitState(t, events, "x", host.Connected)
	})
}

// The second connection needs no probe.
func TestServerThatDiesOnProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{Fault: "discover-dies"})
		h := fakes{"x": f}.start(t, host.Options{})
		if f.opened() != 2 {
			t.Fatalf("opened %d times", f.opened())
		}
		if err := h.Reconnect(t.Context(), "x"); err != nil || f.opened() != 3 {
			t.Errorf("opened %d times: %v", f.opened(), err)
		}
	})
}

// methods returns the methods of the messages that a server received after the
// first n.
func (f *fake) methods(n int) string {
	var list []string
	for _, m := range f.Received()[n:] {
		list = append(list, m.Method)
	}
	return strings.Join(list, " ")
}

func TestLegacyServerIsNotProbedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20250618}})
		h := fakes{"x": f}.start(t, host.Options{})
		if got := f.methods(0); !strings.HasPrefix(got, "server/discover initialize ") {
			t.Errorf("the first connection: %s", got)
		}
		n := len(f.Received())
		if err := h.Reconnect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if got := f.methods(n); !strings.HasPrefix(got, "initialize ") {
			t.Errorf("the second connection: %s", got)
		}
		// After a failed attempt the server may be another program: it is probed.
		f.failWith(errors.New("refused"))
		if err := h.Reconnect(t.Context(), "x"); err == nil {
			t.Fatal("connected to a server that refuses")
		}
		f.failWith(nil)
		n = len(f.Received())
		if err := h.Reconnect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if got := f.methods(n); !strings.HasPrefix(got, "server/discover ") {
			t.Errorf("after a failure: %s", got)
		}
	})
}

// TestWedgedServerIsNotProbedAgain: the first connection costs the time of the
// probe and a second process, the next one neither.
func TestWedgedServerIsNotProbedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{Fault: "discover-wedges"})
		began := time.Now()
		h := fakes{"x": f}.start(t, host.Options{})
		if took := time.Since(began); f.opened() != 2 || took > 1500*time.Millisecond {
			t.Errorf("opened %d times within %v", f.opened(), took)
		}
		began = time.Now()
		if err := h.Reconnect(t.Context(), "x"); err != nil || f.opened() != 3 || time.Since(began) > 0 {
			t.Errorf("opened %d times within %v: %v", f.opened(), time.Since(began), err)
		}
	})
}

// TestSlowServerOfBothErasIsModernAgain: the second connection waits for the
// response that came late in the first one.
func TestSlowServerOfBothErasIsModernAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{Fault: "discover-slow", Delay: 4 * time.Second, ProtocolVersions: []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125}})
		h := fakes{"x": f}.start(t, host.Options{})
		time.Sleep(5 * time.Second)
		n := len(f.Received())
		if err := h.Reconnect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if got := f.methods(n); !strings.HasPrefix(got, "server/discover ") || strings.Contains(got, "initialize") {
			t.Errorf("the second connection: %s", got)
		}
	})
}

// TestServerThatAnswersNotifications: its responses to them fail no call.
func TestServerThatAnswersNotifications(t *testing.T) {
	for _, fault := range []string{"answers-notifications", "refuses-notifications"} {
		synctest.Test(t, func(t *testing.T) {
			h := fakes{"x": newFake(&testserver.Options{Fault: fault})}.start(t, host.Options{})
			if len(h.Tools()) == 0 {
				t.Error(fault, h.Status())
			}
		})
	}
}

func TestProtocolVersionsOfTheProgramWin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}})
		allowed := []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125}
		h := fakes{"x": f}.start(t, host.Options{Client: &mcp.Options{ProtocolVersions: allowed}})
		for range 2 {
			s, err := h.ServerStatus("x")
			if err != nil || s.Info.ProtocolVersion != mcp.ProtocolVersion20251125 {
				t.Errorf("%+v, %v", s, err)
			}
			allowed[1] = mcp.ProtocolVersion20251125
			if err := h.Reconnect(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
		}
		allowed[0], allowed[1] = mcp.ProtocolVersion20260728, mcp.ProtocolVersion20260728
		if err := h.Reconnect(t.Context(), "x"); err == nil {
			t.Errorf("a legacy server where only a modern one is allowed was connected")
		}
	})
}

func TestStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		fs := fakes{"x": f}
		h := newHost(t, fs.with(host.Options{}))
		lazy := fs.servers()
		lazy[0].Lazy = true
		h.SetServers(t.Context(), lazy)
		events := h.Events(t.Context())
		if got := state(t, h, "x"); got.String() != "disconnected" || f.opened() != 0 {
			t.Errorf("at first: %v", got)
		}
		call := func() error {
			_, err := h.CallTool(t.Context(), "x", "echo", map[string]any{"message": "hi"})
			return err
		}
		if err := call(); err != nil { // connects lazily
			t.Fatal(err)
		}
		f.crash()
		awaitStates(t, events, "connecting", "connected", "reconnecting", "connected")
		f.failWith(errors.New("refused"))
		f.crash()
		awaitStates(t, events, "reconnecting", "reconnecting", "reconnecting", "failed")
		f.failWith(nil)
		if err := call(); err != nil { // ERROR → CONNECTING
			t.Fatal(err)
		}
		if err := h.Disconnect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		awaitStates(t, events, "connecting", "connected", "disconnected")
	})
}

// awaitStates waits for the given state changes and fails on others.
func awaitStates(t *testing.T, events <-chan host.Event, want ...string) {
	t.Helper()
	for _, w := range want {
		e := await(t, events, w, func(e host.Event) bool { return e.Kind == host.StateChanged })
		if e.State.String() != w {
			t.Errorf("the state is %v, want %s", e.State, w)
		}
	}
}

func TestErrorCategories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{
			"refused":  newFake(nil),
			"silent":   newFake(&testserver.Options{Fault: "mute"}),
			"protocol": newFake(&testserver.Options{Fault: "initialize-malformed"}),
			"version":  newFake(&testserver.Options{Fault: "initialize-odd-version"}),
		}
		fs["refused"].fail = errors.New("connection refused")
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: -1}}))
		servers := append(fs.servers(), &host.Server{Name: "configuration", Type: config.Stdio, Command: "${NO_SUCH_VARIABLE_HERE}"})
		d := h.SetServers(t.Context(), servers)
		for name, want := range map[string]host.Category{
			"refused": host.CategoryConnection, "silent": host.CategoryConnection, "protocol": host.CategoryProtocol, "version": host.CategoryProtocol, "configuration": host.CategoryConfiguration,
		} {
			e, ok := d.Errors[name].(*host.Error)
			if !ok || e.Category != want || e.Server != name || e.Code == "" || e.Time.IsZero() || e.Err == nil || !strings.HasPrefix(e.Error(), "[MCP:"+name+"] ") {
				t.Errorf("%s: %+v", name, d.Errors[name])
			}
			if e.Retryable() != (want == host.CategoryConnection) {
				t.Errorf("%s: retryable is %v", name, e.Retryable())
			}
		}
	})
}

// The host retries only if that can help.
func TestRetryPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.fail = errors.New("refused")
		h := newHost(t, fakes{"x": f}.with(host.Options{Retry: host.Retry{Max: 4, Initial: 10 * time.Second, Cap: 50 * time.Second, Multiplier: 3}}))
		events := h.Events(t.Context())
		start := time.Now()
		h.SetServers(t.Context(), fakes{"x": f}.servers())
		awaitState(t, events, "x", host.Failed)
		if took := time.Since(start); f.opened() != 5 || took > 140*time.Second || took < 112*time.Second { // 10+30+50+50, less a fifth at most
			t.Errorf("%d attempts took %v", f.opened(), took)
		}
		// A retry without the user's authorization is useless.
		locked := newFake(nil)
		locked.fail = errors.New("401")
		o := fakes{"x": locked}.with(host.Options{})
		o.Dialers[config.HTTP] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			d.Classify = func(error) host.Category { return host.CategoryAuthentication }
			return pipe(locked.open), nil
		}
		l := newHost(t, o)
		l.SetServers(t.Context(), []*host.Server{{Name: "x", Type: config.HTTP, URL: "http://h/"}})
		time.Sleep(time.Hour)
		if n := locked.opened(); state(t, l, "x") != host.NeedsAuth || n != 1 {
			t.Errorf("%d attempts for a server that requires authorization", n)
		}
		bad := newFake(&testserver.Options{Fault: "initialize-malformed"})
		b := newHost(t, fakes{"x": bad}.with(host.Options{}))
		b.SetServers(t.Context(), fakes{"x": bad}.servers())
		if n := bad.opened(); state(t, b, "x") != host.Failed || n > 2 {
			t.Errorf("%d attempts for a server that violates the protocol", n)
		}
	})
}

func TestCallsOfFailingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{Fault: "never-answers"})
		h := fakes{"x": f}.start(t, host.Options{Timeout: time.Minute})
		events := h.Events(t.Context())
		echo := h.Tool("mcp__x__echo")
		start := time.Now()
		_, err := echo.Execute(t.Context(), raw(`{"message":"hi"}`))
		if err == nil || !strings.Contains(err.Error(), `tool "echo" timed out`) || time.Since(start) != time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		// The connection ends during a call.
		go func() { time.Sleep(time.Second); f.crash() }()
		add := h.Tool("mcp__x__add")
		_, err = h.Tool("mcp__x__slow").Call(t.Context(), map[string]any{"seconds": 30})
		if err != nil { // the tool is read-only, so the host repeats the call
			t.Error(err)
		}
		awaitState(t, events, "x", host.Connected)
		// The server stays unreachable.
		f.failWith(errors.New("connection refused"))
		f.crash()
		if _, err = echo.Execute(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%v", err)
		}
		if got := f.opened(); got != 2+3 {
			t.Errorf("opened %d times, want 3 retries", got)
		}
		// A further call makes one attempt.
		if _, err = echo.Execute(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "connection refused") || f.opened() != 6 {
			t.Errorf("%v after %d attempts", err, f.opened())
		}
		// When the server is reachable, calls succeed again.
		f.failWith(nil)
		if _, err = add.Execute(t.Context(), raw(`{"a":1,"b":2}`)); err != nil {
			t.Error(err)
		}
	})
}

func TestDisconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		if h.Tool("mcp__x__echo") == nil {
			t.Error("the tool is missing")
		}
		if err := h.Disconnect(t.Context(), "x"); err != nil || len(h.Tools()) > 0 {
			t.Errorf("%q, %v", names(h.Tools()), err)
		}
		if got := state(t, h, "x"); got != host.Disconnected {
			t.Errorf("the server is %v", got)
		}
	})
}

// A disabled server keeps its connection, but its tools are hidden.
func TestSetEnabled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		echo := h.Tool("mcp__x__echo")
		if err := h.SetEnabled("x", false); err != nil {
			t.Fatal(err)
		}
		s, _ := h.ServerStatus("x")
		if len(h.Tools()) > 0 || s.Word() != "disabled" || s.State != host.Connected || len(s.Tools) > 0 {
			t.Errorf("%+v", s)
		}
		if _, err := echo.Call(t.Context(), nil); !errors.Is(err, host.ErrDisabled) {
			t.Errorf("a call of a disabled server: %v", err)
		}
		if err := h.SetEnabled("x", true); err != nil || h.Tool("mcp__x__echo") == nil || f.opened() != 1 {
			t.Errorf("enabled again: %v, opened %d times", err, f.opened())
		}
	})
}
