package host_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestToolsOfSeveralServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"one": newFake(nil), "two": newFake(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}})}
		h := fs.start(t, host.Options{})
		for _, server := range []string{"one", "two"} {
			tool := h.Tool("mcp__" + server + "__echo")
			if tool == nil {
				t.Fatalf("no echo of %s in %q", server, names(h.Tools()))
			}
			if text, err := tool.Execute(t.Context(), raw(`{"message":"hi"}`)); err != nil || text != "hi" {
				t.Errorf("%s: %q, %v", server, text, err)
			}
			if tool.Server() != server || tool.Description() != "[MCP:"+server+"] Returns the message it is given." {
				t.Errorf("%s: %q", tool.Server(), tool.Description())
			}
		}
	})
}

func TestSetServersKeepsUnchangedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil), "b": newFake(nil), "c": newFake(nil), "d": newFake(nil)}
		h := newHost(t, fs.with(host.Options{}))
		list := fs.servers() // a, b, c, d
		d := h.SetServers(t.Context(), list[:3])
		if !slices.Equal(d.Added, []string{"a", "b", "c"}) || d.Removed != nil || d.Changed != nil || len(d.Errors) > 0 {
			t.Errorf("first: %+v", d)
		}
		version := h.Snapshot().Version()
		if d := h.SetServers(t.Context(), fs.servers()[:3]); d.Added != nil || d.Removed != nil || d.Changed != nil || h.Snapshot().Version() != version {
			t.Errorf("the same: %+v", d)
		}
		other, fewer := *list[1], *list[2]
		other.Env = []string{"A=b"}                        // needs a new connection
		fewer.Tools = config.Filter{Allow: []string{"e*"}} // keeps its connection
		d = h.SetServers(t.Context(), []*host.Server{&other, &fewer, list[3]})
		if !slices.Equal(d.Added, []string{"d"}) || !slices.Equal(d.Removed, []string{"a"}) || !slices.Equal(d.Changed, []string{"b", "c"}) {
			t.Errorf("then: %+v", d)
		}
		for name, want := range map[string]int{"a": 1, "b": 2, "c": 1, "d": 1} {
			if got := fs[name].opened(); got != want {
				t.Errorf("%s was opened %d times, want %d", name, got, want)
			}
		}
		if h.Tool("mcp__a__echo") != nil || h.Tool("mcp__b__echo") == nil || h.Tool("mcp__c__add") != nil || h.Tool("mcp__c__everything") == nil {
			t.Errorf("tools: %q", names(h.Tools()))
		}
	})
}

func TestHangingServerDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"bad": newFake(&testserver.Options{Fault: "mute"})}
		for _, name := range strings.Fields("a b c d e f g h i j") {
			fs[name] = newFake(nil)
		}
		h := newHost(t, fs.with(host.Options{}))
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		d := h.SetServers(ctx, fs.servers())
		if !slices.Equal(d.Pending, []string{"bad"}) || len(d.Errors) > 0 || time.Since(start) != time.Second {
			t.Errorf("%+v after %v", d, time.Since(start))
		}
		for name := range fs {
			if name != "bad" && state(t, h, name) != host.Connected {
				t.Errorf("%s is %v", name, state(t, h, name))
			}
		}
		if state(t, h, "bad") != host.Connecting {
			t.Errorf("bad is %v", state(t, h, "bad"))
		}
	})
}

func TestRequiredAndLazyServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"lazy": newFake(nil), "good": newFake(nil), "bad": newFake(nil)}
		fs["bad"].fail = errors.New("refused")
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: -1}}))
		list := fs.servers() // bad, good, lazy
		list[2].Lazy = true
		d := h.SetServers(t.Context(), list)
		if d.Err() != nil || d.Errors["bad"] == nil || fs["lazy"].opened() != 0 || state(t, h, "lazy") != host.Disconnected {
			t.Errorf("%+v, %v", d, d.Err())
		}
		if res, err := h.CallTool(t.Context(), "lazy", "echo", map[string]any{"message": "hi"}); err != nil || res.Text() != "hi" {
			t.Errorf("%v, %v", res, err)
		}
		if h.Tool("mcp__lazy__echo") == nil {
			t.Error("a connected lazy server has no tools")
		}
		required := *list[0]
		required.Required = true
		if err := h.SetServers(t.Context(), []*host.Server{&required, list[1]}).Err(); err == nil || !strings.Contains(err.Error(), "required") {
			t.Errorf("a required server failed: %v", err)
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	fs := fakes{"a": newFake(nil), "b": newFake(nil)}
	h := fs.start(t, host.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	jobs := []func(){
		func() { h.SetServers(ctx, fs.servers()[:1]) },
		func() { h.SetServers(ctx, fs.servers()) },
		func() { _ = h.AddServer(ctx, fs.servers()[1]); _ = h.RemoveServer(ctx, "b") },
		func() { _ = h.Reconnect(ctx, "a") },
		func() { _ = h.SetEnabled("a", false); _ = h.SetEnabled("a", true) },
		func() { _ = h.Disconnect(ctx, "b") },
		func() { _ = h.Refresh(ctx, "b").Errors["b"] },
		func() { _, _ = h.CallTool(ctx, "a", "echo", map[string]any{"message": "hi"}) },
		func() { _, _ = h.CallTool(ctx, "b", "echo", map[string]any{"message": "hi"}) },
		func() { h.Overview(); h.Tools(); h.View("a").Unknown() },
		func() {
			for _, tool := range h.Tools() {
				tool.Connected()
			}
		},
		func() {
			for range h.Events(ctx) {
				break
			}
		},
	}
	done := make(chan bool)
	for _, job := range jobs {
		go func() { // ends with ctx
			for ctx.Err() == nil {
				job()
			}
			done <- true
		}()
	}
	for range jobs {
		<-done
	}
}

func TestServerWithoutName(t *testing.T) {
	h := newHost(t, nil)
	d := h.SetServers(t.Context(), []*host.Server{{Type: config.Stdio, Command: "run"}})
	if len(d.Errors) != 1 || d.Added != nil || d.Err() == nil || len(h.Status()) > 0 {
		t.Errorf("%+v", d)
	}
}

// Connections whose settings did not change survive. Calls of changed and
// removed servers end at once with ErrOutcomeUnknown.
func TestSetServersDuringCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"kept": newFake(nil), "filtered": newFake(nil), "moved": newFake(nil), "gone": newFake(nil)}
		h := fs.start(t, host.Options{})
		type outcome struct {
			err   error
			after time.Duration
		}
		start := time.Now()
		outcomes := make(map[string]chan outcome)
		for name := range fs {
			done := make(chan outcome, 1)
			outcomes[name] = done
			client, err := h.Client(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			go func() { // ends with the call, which a Client does not repeat
				_, err := client.CallTool(t.Context(), "slow", map[string]any{"seconds": 30, "steps": 1})
				done <- outcome{err, time.Since(start)}
			}()
		}
		time.Sleep(time.Second)
		list := fs.servers() // filtered, gone, kept, moved
		filtered, moved := *list[0], *list[3]
		filtered.Tools.Deny = []string{"*"}
		moved.Headers = map[string]string{"X": "y"}
		d := h.SetServers(t.Context(), []*host.Server{&filtered, list[2], &moved})
		if d.Err() != nil || len(d.Errors) > 0 || !slices.Equal(d.Changed, []string{"filtered", "moved"}) || !slices.Equal(d.Removed, []string{"gone"}) {
			t.Errorf("%+v", d)
		}
		for name, done := range outcomes {
			o := <-done
			ends := name == "moved" || name == "gone"
			if ends != (o.err != nil) || ends && (!errors.Is(o.err, mcp.ErrOutcomeUnknown) || o.after > 10*time.Second) {
				t.Errorf("%s: %v after %v", name, o.err, o.after)
			}
		}
		if fs["moved"].opened() != 2 || fs["kept"].opened() != 1 || fs["filtered"].opened() != 1 {
			t.Error("wrong connections were replaced")
		}
		if got := names(h.View("filtered", "gone").Tools()); got != nil {
			t.Errorf("tools that should be hidden: %q", got)
		}
		if _, err := h.CallTool(t.Context(), "moved", "echo", map[string]any{"message": "hi"}); err != nil {
			t.Errorf("a call of the changed server: %v", err)
		}
	})
}

func TestAddAndRemoveServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil), "b": newFake(nil), "bad": newFake(nil), "mute": newFake(&testserver.Options{Fault: "mute"}), "more": newFake(nil)}
		fs["bad"].fail = errors.New("refused")
		h := newHost(t, fs.with(host.Options{MaxServers: 4, Retry: host.Retry{Max: -1}}))
		add := func(name string) error { return h.AddServer(t.Context(), &host.Server{Name: name, Type: config.SDK}) }
		if add("a") != nil || add("b") != nil || h.Tool("mcp__a__echo") == nil || h.Tool("mcp__b__echo") == nil {
			t.Errorf("%q", names(h.Tools()))
		}
		if err := add("bad"); err == nil || !strings.Contains(err.Error(), "refused") || state(t, h, "bad") != host.Failed {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.AddServer(ctx, &host.Server{Name: "mute", Type: config.SDK}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if err := add("more"); !errors.Is(err, host.ErrTooManyServers) {
			t.Errorf("%v", err)
		}
		changed := &host.Server{Name: "a", Type: config.SDK, Tools: config.Filter{Allow: []string{"add"}}}
		if err := h.AddServer(t.Context(), changed); err != nil || h.Tool("mcp__a__echo") != nil || h.Tool("mcp__a__add") == nil || fs["a"].opened() != 1 {
			t.Errorf("%v, %q", err, names(h.Tools()))
		}
		if err := h.RemoveServer(t.Context(), "a"); err != nil || len(h.Status()) != 3 || h.Tool("mcp__a__add") != nil || h.Tool("mcp__b__echo") == nil {
			t.Errorf("%v, %q", err, names(h.Tools()))
		}
		if err := h.RemoveServer(t.Context(), "a"); !errors.Is(err, host.ErrUnknownServer) {
			t.Errorf("%v", err)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := add("a"); !errors.Is(err, host.ErrShutdown) {
			t.Errorf("%v", err)
		}
		if _, err := h.CallTool(t.Context(), "never-added", "echo", nil); !errors.Is(err, host.ErrShutdown) {
			t.Errorf("a call of a host that is shut down: %v", err)
		}
	})
}

func TestMaxServersAndTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil), "b": newFake(nil), "c": newFake(nil)}
		h := newHost(t, fs.with(host.Options{MaxServers: 2, Timeout: 7 * time.Second}))
		d := h.SetServers(t.Context(), fs.servers())
		e, ok := d.Errors["c"].(*host.Error)
		if !ok || !errors.Is(e, host.ErrTooManyServers) || e.Category != host.CategoryResource || len(h.Status()) != 2 {
			t.Errorf("%v", d.Errors)
		}
		if s, _ := h.ServerStatus("a"); s.Timeout != 7*time.Second || s.ConnectTimeout != 30*time.Second {
			t.Errorf("timeouts: %v and %v", s.Timeout, s.ConnectTimeout)
		}
	})
}

// One failure is a warning; if all servers fail, Diff.Err returns an error.
func TestServersConnectInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func() *fake { return newFake(&testserver.Options{Fault: "discover-slow", Delay: time.Second}) }
		fs := fakes{"filesystem": slow(), "github": slow(), "database": slow(), "broken": newFake(nil)}
		fs["broken"].fail = errors.New("connection refused")
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: -1}}))
		start := time.Now()
		d := h.SetServers(t.Context(), fs.servers())
		if took := time.Since(start); took != time.Second {
			t.Errorf("three slow servers took %v", took)
		}
		if d.Err() != nil || len(d.Errors) != 1 || !strings.Contains(d.Errors["broken"].Error(), "connection refused") {
			t.Errorf("%v, %v", d.Err(), d.Errors)
		}
		all := newHost(t, fakes{"broken": fs["broken"]}.with(host.Options{Retry: host.Retry{Max: -1}}))
		if err := all.SetServers(t.Context(), fakes{"broken": fs["broken"]}.servers()).Err(); err == nil || !strings.HasPrefix(err.Error(), "all MCP servers failed: ") {
			t.Errorf("all failed: %v", err)
		}
	})
}

func TestNoServers(t *testing.T) {
	h := newHost(t, nil)
	if d := h.SetServers(t.Context(), nil); d.Err() != nil || len(h.Tools()) > 0 || len(h.Status()) > 0 {
		t.Errorf("%+v", d)
	}
}

// Package dialers has a test with a server of each type.
func TestDialerOfEachType(t *testing.T) {
	c := config.Parse([]byte(`{"mcpServers":{"a":{"type":"stdio","command":"c"},"b":{"type":"sse","url":"u"},"c":{"type":"http","url":"u"},
		"d":{"type":"sdk","name":"calc"},"e":{"type":"claudeai-proxy","url":"u","id":"i"}}}`), "", "")
	if len(c.Problems) > 0 || len(c.Servers) != 5 {
		t.Fatal(c.Problems)
	}
	var dialed []string
	dialers := make(host.Dialers)
	for _, kind := range []string{config.Stdio, config.SSE, config.HTTP, config.SDK, config.ClaudeAIProxy} {
		dialers[kind] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			dialed = append(dialed, d.Name+" "+d.Type)
			return nil, errors.New("not today")
		}
	}
	newHost(t, &host.Options{Dialers: dialers, Parallel: 1}).SetServers(t.Context(), c.Servers)
	if len(dialed) != 5 {
		t.Errorf("%q", dialed)
	}
	d := newHost(t, nil).SetServers(t.Context(), c.Servers[1:2])
	if err := d.Errors["b"]; err == nil || !strings.Contains(err.Error(), `no dialer for servers of type "sse"`) {
		t.Errorf("%v", err)
	}
}

func TestSetServersRemovesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		d := h.SetServers(t.Context(), nil)
		if len(d.Added) > 0 || len(d.Removed) != 1 || len(d.Errors) > 0 || len(h.Tools()) > 0 {
			t.Errorf("%+v", d)
		}
	})
}

func TestSilentServersGiveTheirPlacesToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{}
		for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q r s t") {
			fs[name] = newFake(&testserver.Options{Fault: "mute"})
		}
		for _, name := range strings.Fields("w x y z") {
			fs[name] = newFake(nil)
		}
		h := newHost(t, fs.with(host.Options{}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if d := h.SetServers(ctx, fs.servers()); len(d.Pending) != 20 {
			t.Errorf("pending after a second: %q", d.Pending)
		}
	})
}

func TestDisabledInTheConfigurationClosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		server.Tool("write", nil, nil)
		h := hostOf(t, host.Options{}, map[string]*mcptest.Server{"x": server})
		set := func(disabled bool) {
			list := []*host.Server{{Name: "x", Type: config.SDK, Disabled: disabled}}
			if d := h.SetServers(t.Context(), list); len(d.Errors) > 0 {
				t.Fatal(d.Errors)
			}
		}
		connects := func() int64 {
			s, _ := h.ServerStatus("x")
			return s.Metrics.Connects
		}
		server.Inject("write", mcptest.Drop())
		ended := make(chan error, 1)
		go func() { // ends with the call
			_, err := h.CallTool(context.Background(), "x", "write", nil)
			ended <- err
		}()
		synctest.Wait()
		set(true)
		if err := <-ended; !errors.Is(err, mcp.ErrOutcomeUnknown) {
			t.Errorf("the running call: %v", err)
		}
		if s := state(t, h, "x"); s != host.Disconnected {
			t.Errorf("the state is %v", s)
		}
		if _, err := h.Call(t.Context(), "mcp__x__write", nil); !errors.Is(err, host.ErrDisabled) {
			t.Error(err)
		}
		set(false)
		if len(h.Tools()) == 0 || connects() != 2 {
			t.Errorf("%d tools, %d connections", len(h.Tools()), connects())
		}
		_ = h.SetEnabled("x", false) // keeps it
		_ = h.SetEnabled("x", true)
		if len(h.Tools()) == 0 || connects() != 2 {
			t.Errorf("%d tools, %d connections", len(h.Tools()), connects())
		}
	})
}

// TestNothingOfAnotherServer: with settings that lead to another server, the status has
// nothing that the server before has said, whether or not the catalog kept it.
func TestNothingOfAnotherServer(t *testing.T) {
	for _, catalog := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(nil)
			fs := fakes{"x": f}
			o := host.Options{}
			if catalog {
				o.Catalog = host.OpenCatalog(catalogPath(t))
			}
			h := fs.start(t, o)
			time.Sleep(time.Minute)
			if s, _ := h.ServerStatus("x"); s.Info == nil || catalog != (len(s.Resources) > 0) {
				t.Fatalf("catalog %v: %+v", catalog, s)
			}
			f.failWith(errors.New("away"))
			other := fs.servers()
			other[0].Headers = map[string]string{"Tenant": "b"}
			other[0].URL = "https://b.example"
			h.SetServers(t.Context(), other)
			if s, _ := h.ServerStatus("x"); s.Info != nil || len(s.Resources)+len(s.Prompts) > 0 {
				t.Errorf("catalog %v: %+v, %d resources, %d prompts", catalog, s.Info, len(s.Resources), len(s.Prompts))
			}
		})
	}
}
