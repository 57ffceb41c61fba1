package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// 2.1.1: the manager's configuration.
func TestMinionManagerConfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil), "b": newFake(nil), "c": newFake(nil)}
		h := newHost(t, fs.with(host.Options{MaxServers: 2, Timeout: 7 * time.Second}))
		d := h.SetServers(t.Context(), fs.servers())
		e, ok := d.Errors["c"].(*host.Error)
		if !ok || !errors.Is(e, host.ErrTooManyServers) || e.Category != host.Resource || len(h.Status()) != 2 {
			t.Errorf("%v", d.Errors)
		}
		if s, _ := h.ServerStatus("a"); s.Timeout != 7*time.Second || s.ConnectTimeout != 30*time.Second {
			t.Errorf("the time-outs in effect are %v and %v", s.Timeout, s.ConnectTimeout)
		}
	})
}

// 2.1.1: the kinds of authorization of a client's configuration.
func TestMinionAuthTypes(t *testing.T) {
	for auth, want := range map[string]string{
		`"none"`: "", `{"type":"bearer","token":"t0ken"}`: "Authorization: Bearer t0ken",
		`{"type":"apikey","key":"k3y"}`: "X-API-Key: k3y", `{"type":"oauth","clientId":"c"}`: "",
	} {
		c := config.Parse([]byte(`{"servers":{"x":{"type":"http","url":"http://h/","auth":`+auth+`}}}`), "", "")
		s, err := c.Servers[0].Expand(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for name, value := range s.Headers {
			got = name + ": " + value
		}
		if got != want {
			t.Errorf("%s becomes %q", auth, got)
		}
	}
}

// 3.2 and 7.1: the states, as an observer sees them.
func TestMinionStateMachine(t *testing.T) {
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
		awaitStates(t, events, "reconnecting", "reconnecting", "reconnecting", "error")
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

// awaitStates waits for states, and nothing else, to be told.
func awaitStates(t *testing.T, events <-chan host.Event, want ...string) {
	t.Helper()
	for _, w := range want {
		e := await(t, events, w, func(e host.Event) bool { return e.Kind == host.StateChanged })
		if e.State.String() != w {
			t.Errorf("the state is %v, want %s", e.State, w)
		}
	}
}

// 5.3: connections are not made before the first call, and made again when they
// are lost.
func TestMinionLazyConnection(t *testing.T) { TestMinionStateMachine(t) }

// 8.1 and 8.2: categories and the typed error.
func TestMinionErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{
			"refused":  newFake(nil),
			"silent":   newFake(&testserver.Options{Fault: "mute"}),
			"protocol": newFake(&testserver.Options{Fault: "initialize-malformed"}),
			"version":  newFake(&testserver.Options{Fault: "initialize-odd-revision"}),
		}
		fs["refused"].fail = errors.New("connection refused")
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: -1}}))
		servers := append(fs.servers(), &host.Server{Name: "configuration", Type: config.Stdio, Command: "${NO_SUCH_VARIABLE_HERE}"})
		d := h.SetServers(t.Context(), servers)
		for name, want := range map[string]host.Category{
			"refused": host.Connection, "silent": host.Connection, "protocol": host.Protocol, "version": host.Protocol, "configuration": host.Configuration,
		} {
			e, ok := d.Errors[name].(*host.Error)
			if !ok || e.Category != want || e.Server != name || e.Code == "" || e.Time.IsZero() || e.Err == nil || !strings.HasPrefix(e.Error(), "[MCP:"+name+"] ") {
				t.Errorf("%s: %+v", name, d.Errors[name])
			}
			if e.Retryable() != (want == host.Connection) {
				t.Errorf("%s: retryable is %v", name, e.Retryable())
			}
		}
	})
}

// 8.4: {max, initial, cap, multiplier}. Only what may help is tried again.
func TestMinionRetryPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.fail = errors.New("refused")
		h := newHost(t, fakes{"x": f}.with(host.Options{Retry: host.Retry{Max: 4, Initial: 10 * time.Second, Cap: 50 * time.Second, Multiplier: 3}}))
		events := h.Events(t.Context())
		start := time.Now()
		h.SetServers(t.Context(), fakes{"x": f}.servers())
		awaitState(t, events, "x", host.Failed)
		if took := time.Since(start); f.opened() != 5 || took > 140*time.Second || took < 112*time.Second { // 10+30+50+50, less a fifth at most
			t.Errorf("%d tries took %v", f.opened(), took)
		}
		// Nobody is helped by being asked for authorization again and again.
		locked := newFake(nil)
		locked.fail = errors.New("401")
		o := fakes{"x": locked}.with(host.Options{})
		o.Dialers[config.HTTP] = func(d *host.DialParams) (mcp.Transport, error) {
			d.Classify = func(error) host.Category { return host.Authentication }
			return pipe(locked.open), nil
		}
		l := newHost(t, o)
		l.SetServers(t.Context(), []*host.Server{{Name: "x", Type: config.HTTP, URL: "http://h/"}})
		time.Sleep(time.Hour)
		if n := locked.opened(); state(t, l, "x") != host.NeedsAuth || n != 1 {
			t.Errorf("a server that wants authorization was tried %d times", n)
		}
		bad := newFake(&testserver.Options{Fault: "initialize-malformed"})
		b := newHost(t, fakes{"x": bad}.with(host.Options{}))
		b.SetServers(t.Context(), fakes{"x": bad}.servers())
		if n := bad.opened(); state(t, b, "x") != host.Failed || n > 2 {
			t.Errorf("a server that breaks the protocol was tried %d times", n)
		}
	})
}

// 2.1.1 and 2.1.4: metrics.
func TestMinionMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		slow := h.Tool("mcp__x__slow")
		for _, seconds := range []string{"10", "20"} {
			if _, err := slow.Execute(t.Context(), raw(`{"seconds":`+seconds+`,"steps":1}`)); err != nil {
				t.Fatal(err)
			}
		}
		before := time.Now()
		h.Tool("mcp__x__fail").Run(t.Context(), raw(`{"message":"out of paper"}`))
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

// 5.1, 5.2 and 2.2.1: names, and capabilities in three layers.
func TestMinionCapabilities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil), "slack": newFake(nil)}.start(t, host.Options{Naming: host.MCPUnderscore})
		all := len(h.Tools())
		for _, test := range []struct {
			capabilities host.Capabilities
			tools        int
		}{
			{host.Capabilities{"mcp_integration"}, all}, {host.Capabilities{"mcp_github"}, all / 2},
			{host.Capabilities{"mcp_github_echo"}, 1}, {host.Capabilities{"mcp_github_echo", "mcp_slack"}, 1 + all/2},
			{host.Capabilities{"revenue_analysis"}, 0}, {nil, 0},
		} {
			v := h.Agent().Can(test.capabilities)
			if got := len(v.Tools()); got != test.tools {
				t.Errorf("%q: %d tools, want %d", test.capabilities, got, test.tools)
			}
			if v.Tool("mcp_github_echo") != nil != test.capabilities.Allow("github", "echo") {
				t.Errorf("%q: CanExecute", test.capabilities)
			}
		}
		limited := h.Agent().Can(host.Capabilities{"mcp_github_echo"}).Tool("mcp_github_echo")
		if text, err := limited.Execute(t.Context(), raw(`{"message":"hi"}`)); err != nil || text != "hi" {
			t.Errorf("%q, %v", text, err)
		}
		// As an Approver the layers decide even for those who got hold of the tool otherwise.
		denied := h.Agent().With(host.Capabilities{"mcp_slack"}.Approve).Tool("mcp_github_echo")
		if _, err := denied.Execute(t.Context(), nil); !errors.Is(err, host.ErrDenied) {
			t.Errorf("%v", err)
		}
	})
}

// 6.3: IsMCPTool, GetMCPToolInfo, ListByServer.
func TestMinionRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil), "slack": newFake(nil)}.start(t, host.Options{Naming: host.MCPUnderscore})
		if h.Tool("mcp_github_echo") == nil || h.Tool("revenue_analyzer") != nil {
			t.Error("IsMCPTool")
		}
		info := h.Tool("mcp_github_echo")
		if info.Server() != "github" || info.Definition().Name != "echo" || info.Parameters()["type"] != "object" || !info.Connected() {
			t.Error("GetMCPToolInfo")
		}
		list := names(h.Agent("github").Tools())
		if len(list) == 0 || slices.ContainsFunc(list, func(name string) bool { return !strings.HasPrefix(name, "mcp_github_") }) {
			t.Errorf("ListByServer: %q", list)
		}
		if err := h.Disconnect(t.Context(), "github"); err != nil || info.Connected() {
			t.Errorf("a tool of a server that was disconnected is connected: %v", err)
		}
	})
}

// 6.1: RefreshTools.
func TestMinionRefreshTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{Fault: "silent-change"})
		h := fakes{"x": f}.start(t, host.Options{})
		before := h.Snapshot()
		if err := h.RefreshTools(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		after := h.Snapshot()
		if len(after.Tools()) != len(before.Tools())+1 || after.Version() <= before.Version() {
			t.Errorf("%d tools, then %d", len(before.Tools()), len(after.Tools()))
		}
	})
}

// 2.2.1: structured results, from text that is JSON as well.
func TestMinionStructuredResults(t *testing.T) {
	for _, test := range []struct {
		res  mcp.CallToolResult
		want string
	}{
		{mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(`{"a":1}`)}}, `{"a":1}`},
		{mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(`plain`)}}, ``},
		{mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(`{"a":1}`)}, StructuredContent: raw(`{"a":2}`)}, `{"a":2}`},
		{mcp.CallToolResult{}, ``},
	} {
		if got := string(host.Structured(&test.res)); got != test.want {
			t.Errorf("have %q, want %q", got, test.want)
		}
	}
	v, err := mcp.Value(raw(`{"a":[1,"x",true,null]}`))
	if m, _ := v.(map[string]any); err != nil || len(m["a"].([]any)) != 4 {
		t.Errorf("%v, %v", v, err)
	}
}

// 9.1: concurrent calls on one connection. They overlap in time.
func TestMinionConcurrency(t *testing.T) {
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

// 4.3: a call whose connection is lost is repeated if that does no harm, and
// only then.
func TestMinionRepeatsCalls(t *testing.T) {
	for annotations, calls := range map[string]int32{`{}`: 1, `{"readOnlyHint":true}`: 2, `{"idempotentHint":true}`: 2, `{"readOnlyHint":false}`: 1} {
		synctest.Test(t, func(t *testing.T) {
			var called atomic.Int32
			server := testserver.Replies(map[string]string{
				"server/discover": `{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"no"}}`,
				"initialize":      `{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`,
				"tools/list":      `{"jsonrpc":"2.0","id":$id,"result":{"tools":[{"name":"t","annotations":` + annotations + `}]}}`,
			})
			f := &fake{other: func() (io.ReadWriteCloser, error) {
				return testserver.Script(func(line string) []string {
					if strings.Contains(line, `"tools/call"`) {
						called.Add(1)
					}
					return server(line)
				}).Pipe(), nil
			}}
			h := fakes{"x": f}.start(t, host.Options{Timeout: 30 * time.Second})
			time.AfterFunc(time.Second, f.crash)
			start := time.Now()
			_, err := h.CallTool(t.Context(), "x", "t", nil)
			if called.Load() != calls || err == nil {
				t.Errorf("%s: the tool was called %d times, %v", annotations, called.Load(), err)
			}
			if calls == 1 && (!errors.Is(err, mcp.ErrOutcomeUnknown) || time.Since(start) != time.Second || !strings.Contains(err.Error(), "may or may not have been executed")) {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
		})
	}
}

func Example_minion() {
	ctx := context.Background()
	h := host.New(fakes{"github": newFake(nil)}.with(host.Options{Naming: host.MCPUnderscore}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "github", Type: config.SDK, Lazy: true}})
	if err := h.Connect(ctx, "github"); err != nil {
		fmt.Println(err)
	}

	// An agent with capabilities, and ExecuteTool, which never returns an error.
	agent := h.Agent().Can(host.Capabilities{"mcp_github_echo"})
	execute := func(name string, params map[string]any) (success bool, result any) {
		t := agent.Tool(name)
		if t == nil {
			return false, "tool not found"
		}
		res, err := t.Call(ctx, params)
		if err != nil {
			return false, err.Error()
		}
		if data := host.Structured(res); data != nil {
			v, _ := mcp.Value(data)
			return !res.IsError, v
		}
		return !res.IsError, res.Text()
	}
	fmt.Println(execute("mcp_github_echo", map[string]any{"message": `{"issue": 42}`}))
	fmt.Println(execute("mcp_github_add_tool", nil))
	// Output:
	// true map[issue:42]
	// false tool not found
}
