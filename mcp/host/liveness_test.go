package host_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

// A website is a server in memory at a URL.
type website struct {
	*testserver.HTTPServer
	engine *testserver.Server
	client *http.Client
}

func newWebsite(t *testing.T, o *testserver.Options) *website {
	t.Helper()
	engine := testserver.New(o)
	s, err := testserver.StartHTTP(engine, &testserver.HTTPOptions{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	return &website{s, engine, s.Client()}
}

// host returns a host with the server "x" of that type, which is connected.
func (w *website) host(t *testing.T, kind string, o host.Options) (*host.Host, func()) {
	t.Helper()
	o.Dialers = dialers.All(&dialers.Options{Client: w.client})
	h := host.New(&o)
	if err := h.AddServer(t.Context(), w.server(kind)); err != nil {
		t.Error(err)
	}
	return h, func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		w.Close()
		w.client.CloseIdleConnections()
	}
}

func (w *website) server(kind string) *host.Server {
	url := w.URL
	if kind == config.SSE {
		url = w.SSE
	}
	return &host.Server{Name: "x", Type: kind, URL: url}
}

// The kinds of servers at a URL. Every one can be away.
var websites = []struct {
	name, kind string
	options    testserver.Options
}{
	{"modern", config.HTTP, testserver.Options{}},
	{"legacy", config.HTTP, onlyVersion(mcp.ProtocolVersion20251125)},
	{"legacy, 400 after a restart", config.HTTP, testserver.Options{Fault: "session-lost-400-null-id", ProtocolVersions: []string{mcp.ProtocolVersion20251125}}},
	{"HTTP+SSE", config.SSE, testserver.Options{}},
}

func onlyVersion(v string) testserver.Options {
	return testserver.Options{ProtocolVersions: []string{v}}
}

func echo(ctx context.Context, h *host.Host, message string) error {
	res, err := h.CallTool(ctx, "x", "echo", map[string]any{"message": message})
	if err == nil && res.Text() != message {
		err = fmt.Errorf("result %q", res.Text())
	}
	return err
}

// TestFigureOutage has a server that is down for 40 s.
func TestFigureOutage(t *testing.T) {
	for _, tt := range websites {
		for _, called := range []bool{true, false} {
			for _, gateway := range []int{0, 502, 503, 504} {
				what := tt.name + ", noticed by keep-alive"
				if called {
					what = tt.name + ", noticed by a call"
				}
				if gateway != 0 {
					what += fmt.Sprint(", responses ", gateway)
				}
				t.Run(what, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { outageFigure(t, what, tt.kind, &tt.options, called, gateway) })
				})
			}
		}
	}
}

func outageFigure(t *testing.T, what, kind string, o *testserver.Options, called bool, gateway int) {
	w := newWebsite(t, o)
	h, end := w.host(t, kind, host.Options{})
	defer end()
	tool := h.Tool("mcp__x__echo")
	events := h.Events(t.Context())
	w.Gateway(gateway)
	w.Down()
	if gateway != 0 {
		w.Up() // what is in front of the server is reachable
	}
	down := time.Now()
	var calls sync.WaitGroup
	wait := func() {
		calls.Go(func() {
			// The call never leaves this process, or may be repeated.
			text, err := tool.Execute(t.Context(), raw(`{"message":"waits"}`))
			if err != nil || text != "waits" {
				t.Errorf("a call during the outage: %q, %v", text, err)
			}
		})
	}
	if called {
		wait()
	}
	left := await(t, events, "tools leave", func(e host.Event) bool { return len(e.Removed) > 0 })
	synctest.Wait()
	if len(h.Tools()) > 0 || state(t, h, "x") == host.Connected {
		t.Errorf("%v with %d tools", state(t, h, "x"), len(h.Tools()))
	}
	gone := left.Time.Sub(down)
	limit := 2 * time.Second
	if !called {
		limit += 30 * time.Second // until keep-alive
	}
	if gone > limit {
		t.Errorf("tools leave after %v", gone)
	}
	time.Sleep(time.Until(down.Add(20 * time.Second)))
	wait()
	time.Sleep(time.Until(down.Add(40 * time.Second)))
	w.Up()
	w.Gateway(0)
	up := time.Now()
	back := await(t, events, "tools return", func(e host.Event) bool { return len(e.Added) > 0 })
	figure(t, "%s: tools leave after %v, return %v after the server, budget 2s", what, gone, back.Time.Sub(up))
	if back.Time.Sub(up) > 2*time.Second {
		t.Error("over budget")
	}
	calls.Wait()
	if err := echo(t.Context(), h, "after"); err != nil {
		t.Error(err)
	}
}

// TestOutagesAreNoCrashes: the limits of retries and crashes are for programs.
func TestOutagesAreNoCrashes(t *testing.T) {
	for _, tt := range websites {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWebsite(t, &tt.options)
				h, end := w.host(t, tt.kind, host.Options{})
				defer end()
				for i := range 10 {
					w.Down()
					_ = echoWithin(t, h, time.Second)
					time.Sleep(5 * time.Second)
					w.Up()
					if err := echo(t.Context(), h, fmt.Sprint(i)); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

func echoWithin(t *testing.T, h *host.Host, d time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return echo(ctx, h, "hi")
}

// TestLongOutage: checks become rare, calls no longer wait, and the server is
// found when it is back.
func TestLongOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, nil)
		h, end := w.host(t, config.HTTP, host.Options{})
		defer end()
		events := h.Events(t.Context())
		w.Up()
		w.Gateway(503)
		err := echoWithin(t, h, time.Second)
		var e *host.Error
		if !errors.As(err, &e) || e.Code != "TIMEOUT" || e.Server != "x" {
			t.Errorf("a call: %v", err)
		}
		time.Sleep(time.Hour)
		s, _ := h.ServerStatus("x")
		if s.State != host.Reconnecting || s.Err == nil || s.Attempts < 80+3600/37 || s.Attempts > 81+3600/24 {
			t.Errorf("%v after %d checks: %v", s.State, s.Attempts, s.Err)
		}
		start := time.Now()
		err = echo(t.Context(), h, "hi")
		if !errors.As(err, &e) || e.Category != host.CategoryConnection || time.Since(start) > time.Second {
			t.Errorf("a call after %v: %v", time.Since(start), err)
		}
		changes := 0
		for drained := false; !drained; {
			select {
			case e := <-events:
				if e.Kind == host.StateChanged {
					changes++
				}
			default:
				drained = true
			}
		}
		if changes > 4 {
			t.Errorf("%d changes of the state were reported", changes)
		}
		w.Gateway(0)
		if err := echo(t.Context(), h, "a call makes the host check at once"); err != nil {
			t.Error(err)
		}
	})
}

// TestServerThatStartsAfterTheHost: a refused connection is not a failed try.
func TestServerThatStartsAfterTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, nil)
		w.Down()
		h := host.New(&host.Options{Dialers: dialers.All(&dialers.Options{Client: w.client})})
		d := h.SetServers(t.Context(), []*host.Server{w.server(config.HTTP)})
		if d.Errors["x"] == nil {
			t.Error("no error")
		}
		time.Sleep(time.Minute)
		w.Up()
		time.Sleep(2 * time.Second)
		if len(h.Tools()) == 0 {
			t.Error("the server was not found:", h.Overview())
		}
		_ = h.Shutdown(context.Background())
		w.Close()
		w.client.CloseIdleConnections()
	})
}

// TestHalfOpenConnections are noticed by keep-alive, and replaced in one round.
func TestHalfOpenConnections(t *testing.T) {
	for _, tt := range websites {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n = 30
				w := newWebsite(t, &tt.options)
				var servers []*host.Server
				for i := range n {
					s := w.server(tt.kind)
					s.Name = fmt.Sprintf("s%02d", i)
					servers = append(servers, s)
				}
				h := host.New(&host.Options{Dialers: dialers.All(&dialers.Options{Client: w.client})})
				if d := h.SetServers(t.Context(), servers); d.Err() != nil {
					t.Fatal(d.Err())
				}
				before := len(w.engine.Received())
				w.Freeze()
				time.Sleep(75 * time.Second)
				for _, s := range servers {
					ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
					if res, err := h.CallTool(ctx, s.Name, "echo", map[string]any{"message": "hi"}); err != nil || res.Text() != "hi" {
						t.Errorf("%s: %v, %v", s.Name, res, err)
					}
					cancel()
				}
				// A new connection takes up to five requests, and every server has had
				// at most three pings.
				if got := len(w.engine.Received()) - before; got > n*(5+3+1) {
					t.Errorf("%d requests for %d servers", got, n)
				}
				if err := h.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
				w.Close()
				w.client.CloseIdleConnections()
			})
		})
	}
}

// TestBusyServerIsNotPinged: a server that responds to nothing during a call is
// not away.
func TestBusyServerIsNotPinged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, nil)
		h, end := w.host(t, config.HTTP, host.Options{})
		defer end()
		before := len(w.engine.Received())
		if _, err := h.CallTool(t.Context(), "x", "slow", map[string]any{"seconds": 300, "steps": 10}); err != nil {
			t.Error(err)
		}
		for _, m := range w.engine.Received()[before:] {
			if m.Method == "server/discover" || m.Method == "ping" {
				t.Error("pinged during a call")
			}
		}
	})
}

// TestCallsInProgressOutliveRefusedConnections: a server that shuts down gracefully
// still responds to them.
func TestCallsInProgressOutliveRefusedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, nil)
		h, end := w.host(t, config.HTTP, host.Options{})
		defer end()
		var calls sync.WaitGroup
		calls.Go(func() {
			if _, err := h.CallTool(t.Context(), "x", "slow", map[string]any{"seconds": 20, "steps": 10}); err != nil {
				t.Error("a call in progress:", err)
			}
		})
		time.Sleep(time.Second)
		w.client.CloseIdleConnections()
		w.Refuse()
		if err := echoWithin(t, h, 3*time.Second); err == nil || len(h.Tools()) > 0 {
			t.Errorf("%v, %d tools", err, len(h.Tools()))
		}
		calls.Wait()
	})
}

// TestCallsWhoseResponseHasBrokenEnd: the calls that wait to resume a response end while
// the server refuses connections, and those whose response is open do not.
func TestCallsWhoseResponseHasBrokenEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, &testserver.Options{Fault: "drops"})
		h, end := w.host(t, config.HTTP, host.Options{})
		defer end()
		client, err := h.Client(t.Context(), "x") // the host would repeat the call, as the tool is read-only
		if err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		calls.Go(func() {
			if _, err := h.CallTool(t.Context(), "x", "slow", map[string]any{"seconds": 40, "steps": 10}); err != nil {
				t.Error("the call whose response is open:", err)
			}
		})
		time.Sleep(time.Second)
		calls.Go(func() {
			began := time.Now()
			_, err := client.CallTool(t.Context(), "echo", map[string]any{"message": "hi"})
			if took := time.Since(began); !errors.Is(err, mcp.ErrOutcomeUnknown) || took < 10*time.Second || took > 15*time.Second {
				t.Errorf("the call whose response has broken: %v after %v", err, took)
			}
		})
		time.Sleep(100 * time.Millisecond)
		w.client.CloseIdleConnections()
		w.Refuse()
		calls.Wait()
		if got := state(t, h, "x"); got == host.Connected {
			t.Error("the host is still connected")
		}
	})
}

// TestRetryNever: with a negative Max the host connects only if the program asks.
func TestRetryNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, nil)
		h, end := w.host(t, config.HTTP, host.Options{Retry: host.Retry{Max: -1}})
		defer end()
		w.Down()
		_ = echoWithin(t, h, time.Second)
		if got := state(t, h, "x"); got != host.Failed {
			t.Errorf("the server is %v", got)
		}
		w.Up()
		time.Sleep(time.Hour)
		if err := echo(t.Context(), h, "hi"); err == nil || state(t, h, "x") != host.Failed {
			t.Errorf("a call connected: %v", err)
		}
		if err := h.Connect(t.Context(), "x"); err != nil {
			t.Error(err)
		}
	})
}

// TestFailedServerIsTriedAgain: its program may have been installed meanwhile.
func TestFailedServerIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.fail = errors.New("refused")
		fs := fakes{"x": f}
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: 1}}))
		again := []struct {
			what string
			do   func()
		}{
			{"SetServers", func() { h.SetServers(t.Context(), fs.servers()) }},
			{"AddServer", func() { _ = h.AddServer(t.Context(), fs.servers()[0]) }},
			{"by itself", func() { time.Sleep(5*time.Minute + time.Second) }},
		}
		h.SetServers(t.Context(), fs.servers())
		for _, a := range again {
			f.failWith(errors.New("refused"))
			if c, err := h.Client(t.Context(), "x"); err == nil {
				_ = c.Close()
			}
			time.Sleep(10 * time.Second)
			if got := state(t, h, "x"); got != host.Failed {
				t.Fatalf("the server is %v", got)
			}
			f.failWith(nil)
			a.do()
			synctest.Wait()
			if got := state(t, h, "x"); got != host.Connected {
				t.Errorf("%s: the server is %v", a.what, got)
			}
			f.failWith(errors.New("refused"))
			f.crash()
		}
		var opened []int
		for range 3 {
			time.Sleep(time.Hour)
			opened = append(opened, f.opened())
		}
		if n := opened[2] - opened[1]; n != opened[1]-opened[0] || n < 10 || n > 12 || !slices.IsSorted(opened) {
			t.Errorf("attempts after each hour: %v", opened)
		}
	})
}
