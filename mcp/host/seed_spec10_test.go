package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// Config types: all five have a dialer when there is one, and an error of their
// own when there is none. Package dialers has a test with servers of each.
func TestSpec10ConfigTypes(t *testing.T) {
	c := config.Parse([]byte(`{"mcpServers":{"a":{"type":"stdio","command":"c"},"b":{"type":"sse","url":"u"},"c":{"type":"http","url":"u"},
		"d":{"type":"sdk","name":"calc"},"e":{"type":"claudeai-proxy","url":"u","id":"i"}}}`), "", "")
	if len(c.Problems) > 0 || len(c.Servers) != 5 {
		t.Fatal(c.Problems)
	}
	var dialled []string
	dialers := make(host.Dialers)
	for _, kind := range []string{config.Stdio, config.SSE, config.HTTP, config.SDK, config.ClaudeAIProxy} {
		dialers[kind] = func(d *host.DialParams) (mcp.Transport, error) {
			dialled = append(dialled, d.Name+" "+d.Type)
			return nil, errors.New("not today")
		}
	}
	newHost(t, &host.Options{Dialers: dialers, Parallel: 1}).SetServers(t.Context(), c.Servers)
	if len(dialled) != 5 {
		t.Errorf("%q", dialled)
	}
	d := newHost(t, nil).SetServers(t.Context(), c.Servers[1:2])
	if err := d.Errors["b"]; err == nil || !strings.Contains(err.Error(), `no dialer for servers of type "sse"`) {
		t.Errorf("%v", err)
	}
}

// Status values: all five.
func TestSpec10StatusValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"connected": newFake(nil), "failed": newFake(nil), "pending": newFake(&testserver.Options{Fault: "mute"}), "off": newFake(nil)}
		fs["failed"].fail = errors.New("refused")
		o := fs.with(host.Options{Retry: host.Retry{Max: -1}})
		o.Dialers["http"] = func(d *host.DialParams) (mcp.Transport, error) {
			d.Classify = func(error) host.Category { return host.Authentication }
			return pipe(fs["failed"].open), nil
		}
		h := newHost(t, o)
		events := h.Events(t.Context())
		servers := append(fs.servers(), &host.Server{Name: "locked", Type: config.HTTP, URL: "http://h/", Scope: "claudeai"})
		servers[2].Disabled = true // off
		ctx, cancel := context.WithTimeout(t.Context(), 1e9)
		defer cancel()
		h.SetServers(ctx, servers)
		for name, want := range map[string]string{"connected": "connected", "failed": "failed", "pending": "pending", "off": "disabled", "locked": "needs-auth"} {
			s, err := h.ServerStatus(name)
			if err != nil || s.Status() != want {
				t.Errorf("%s is %s, %v", name, s.Status(), err)
			}
		}
		await(t, events, "authorization needed", func(e host.Event) bool { return e.Kind == host.AuthNeeded && e.Server == "locked" })
		if s, _ := h.ServerStatus("locked"); s.Scope != "claudeai" || s.Err == nil {
			t.Errorf("%+v", s)
		}
		if s, _ := h.ServerStatus("connected"); s.Info.Name == "" || s.Info.Version == "" || s.Tools[0].Annotations == nil || s.Config.Type != config.SDK {
			t.Errorf("%+v", s)
		}
		if _, err := h.ServerStatus("nobody"); !errors.Is(err, host.ErrUnknownServer) {
			t.Errorf("%v", err)
		}
	})
}

// Tool registration and unregistration.
func TestSpec10Registration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		if h.Tool("mcp__x__echo") == nil {
			t.Error("a tool is not registered")
		}
		if err := h.Disconnect(t.Context(), "x"); err != nil || len(h.Tools()) > 0 {
			t.Errorf("%q, %v", names(h.Tools()), err)
		}
		if got := state(t, h, "x"); got != host.Disconnected {
			t.Errorf("the server is %v", got)
		}
	})
}

// SetServers: {added, removed, errors}.
func TestSpec10SetServers(t *testing.T) {
	t.Run("difference", TestSetServersKeepsWhatDidNotChange)
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		d := h.SetServers(t.Context(), nil)
		if len(d.Added) > 0 || len(d.Removed) != 1 || len(d.Errors) > 0 || len(h.Tools()) > 0 {
			t.Errorf("%+v", d)
		}
	})
}

// JSON-RPC: 2.0 with ids that lead back, as the server judges it.
func TestSpec10JSONRPC(t *testing.T) {
	f := newFake(nil)
	h := fakes{"x": f}.start(t, host.Options{})
	done := make(chan error)
	for i := range 50 {
		go func() { // ends with the call
			want := fmt.Sprint("message ", i)
			text, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"`+want+`"}`))
			if err == nil && text != want {
				err = errors.New("the answer to another call: " + text)
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

// Stdio lifecycle: spawned on connect, killed on disconnect. Reconnect tears
// down and starts again.
func TestSpec10StdioLifecycle(t *testing.T) {
	h := newHost(t, nil)
	server := child("x", nil)
	server.Lazy = true
	if d := h.SetServers(t.Context(), []*host.Server{server}); d.Err() != nil || state(t, h, "x") != host.Disconnected {
		t.Fatal(d.Err())
	}
	if err := h.Connect(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	pid := pidOf(t, h, "x")
	if !alive(pid) {
		t.Error("there is no process")
	}
	if err := h.Reconnect(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	again := pidOf(t, h, "x")
	if !gone(pid) || again == pid {
		t.Error("the process was not started anew")
	}
	if err := h.Disconnect(t.Context(), "x"); err != nil || !gone(again) {
		t.Errorf("the process lives on: %v", err)
	}
}

// Toggle: disabled servers don't expose tools but maintain their connection.
func TestSpec10Toggle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		echo := h.Tool("mcp__x__echo")
		if err := h.SetEnabled("x", false); err != nil {
			t.Fatal(err)
		}
		s, _ := h.ServerStatus("x")
		if len(h.Tools()) > 0 || s.Status() != "disabled" || s.State != host.Connected || len(s.Tools) > 0 {
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

// Resource access: ListMcpResources and ReadMcpResource end to end.
func TestSpec10ResourceAccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		list, err := h.ListResources(t.Context(), "x")
		if err != nil || len(list) == 0 {
			t.Fatal(err)
		}
		res, err := h.ReadResource(t.Context(), "x", list[0].URI)
		if err != nil || len(res.Contents) == 0 {
			t.Errorf("%v, %v", res, err)
		}
		if _, err := h.ReadResource(t.Context(), "x", "echo://nothing"); err == nil {
			t.Error("a resource that doesn't exist can be read")
		}
		tools := h.ResourceTools()
		text, err := tools[0].Execute(t.Context(), raw(`{"server":"x"}`))
		if err != nil || !strings.Contains(text, `"uri":"`+list[0].URI+`"`) || !strings.Contains(text, `"server":"x"`) {
			t.Errorf("%s, %v", text, err)
		}
		text, err = tools[1].Execute(t.Context(), raw(`{"server":"x","uri":"`+list[0].URI+`"}`))
		if err != nil || !strings.HasPrefix(text, `{"contents":[{"uri":"`+list[0].URI) {
			t.Errorf("%s, %v", text, err)
		}
	})
}

// Error propagation: what the server says reaches the model.
func TestSpec10ErrorPropagation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(&testserver.Options{Fault: "string-error"})}.start(t, host.Options{})
		_, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`))
		if e, ok := err.(*host.Error); !ok || e.Category != host.ToolCategory || e.Error() != `[MCP:x] tool "echo" failed: boom` {
			t.Errorf("%v", err)
		}
		_, err = h.Tool("mcp__x__fail").Execute(t.Context(), nil)
		if !errors.Is(err, host.ErrTool) || !strings.Contains(err.Error(), "This tool always fails.") {
			t.Errorf("%v", err)
		}
		_, err = h.Tool("mcp__x__echo").Execute(t.Context(), raw(`[1]`))
		if err == nil || !strings.Contains(err.Error(), "not a JSON object") {
			t.Errorf("%v", err)
		}
	})
}

// Annotations inform the permission system. Absent ones mean the worst.
func TestSpec10Annotations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []*host.Call
		ask := func(_ context.Context, c *host.Call) (host.Decision, error) {
			seen = append(seen, c)
			return host.Deny, nil
		}
		h := fakes{"x": newFake(nil)}.start(t, host.Options{Approve: host.Asking(host.ReadOnly, ask)})
		if _, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`)); err != nil {
			t.Errorf("a read-only tool: %v", err)
		}
		_, err := h.Tool("mcp__x__add_tool").Execute(t.Context(), raw(`{}`))
		if !errors.Is(err, host.ErrDenied) || len(seen) != 1 || seen[0].Tool != "add_tool" || seen[0].Annotations.ReadOnly() || string(seen[0].Arguments) != "{}" {
			t.Errorf("%v, asked %+v", err, seen)
		}
		bare := &host.Call{}
		if d, _ := host.ReadOnly(t.Context(), bare); d == host.Allow || !bare.Annotations.Destructive() {
			t.Error("a tool without annotations is taken for harmless")
		}
	})
}

func Example_spec10() {
	ctx := context.Background()
	h := host.New(fakes{"calc": newFake(nil)}.with(host.Options{}))
	defer h.Shutdown(ctx)
	d := h.SetServers(ctx, []*host.Server{{Name: "calc", Type: config.SDK, Scope: "project"}})
	fmt.Println(d.Added, d.Removed, d.Errors)

	// The agent loop: a tool_use of the model becomes a tool_result.
	toolUse := func(name, input string) (content string, isError bool) {
		return h.Tool(name).Run(ctx, mcp.RawMessage(input))
	}
	fmt.Println(toolUse("mcp__calc__add", `{"a":20,"b":22}`))
	for _, s := range h.Status() {
		fmt.Println(s.Name, s.Status(), s.Scope)
	}
	// Output:
	// [calc] [] map[]
	// 42 false
	// calc connected project
}
