package host_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// Configuration: the example of nanobot's design.
func TestNanobotConfiguration(t *testing.T) {
	c := config.Parse([]byte(`{"mcp":{"servers":{
		"github":{"command":"npx","args":["-y","@modelcontextprotocol/server-github"],"env":{"GITHUB_TOKEN":"ghp_xxx"}},
		"sqlite":{"command":"npx","args":["-y","@modelcontextprotocol/server-sqlite","/path/to/db.sqlite"]},
		"home-assistant":{"transport":"sse","url":"http://100.114.249.118:8123/mcp","headers":{"Authorization":"Bearer xxx"}}}}}`), "config.json", "")
	if len(c.Problems) > 0 || len(c.Servers) != 3 || c.Server("home-assistant").Type != config.SSE || c.Server("github").Env[0] != "GITHUB_TOKEN=ghp_xxx" {
		t.Errorf("%+v, %v", c.Servers, c.Problems)
	}
}

// Tool naming: github__create_issue, and the server's name in the description.
func TestNanobotToolNaming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil)}.start(t, host.Options{Naming: host.ServerTool})
		tool := h.Tool("github__echo")
		if tool == nil || !strings.Contains(tool.Description(), "github") {
			t.Errorf("%q", names(h.Tools()))
		}
	})
}

// Error handling, row 1: a server that fails to start is skipped with a warning.
func TestNanobotServerFailsToStart(t *testing.T) {
	h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
	d := h.SetServers(t.Context(), []*host.Server{child("good", nil), child("bad", &testserver.Options{Fault: "exits-at-start"})})
	if d.Err() != nil || len(d.Errors) != 1 || !strings.Contains(d.Errors["bad"].Error(), "no configuration file") {
		t.Errorf("%v, %v", d.Err(), d.Errors) // the warning quotes what the server said
	}
	if h.Tool("mcp__good__echo") == nil {
		t.Error("the others don't go on")
	}
}

// Row 2: the tools of a crashed server leave the list, and a restart brings
// them back.
func TestNanobotServerCrashes(t *testing.T) {
	h := newHost(t, &host.Options{Naming: host.ServerTool, Retry: host.Retry{Initial: time.Millisecond}})
	if err := h.SetServers(t.Context(), []*host.Server{child("x", nil)}).Err(); err != nil {
		t.Fatal(err)
	}
	events := h.Events(t.Context())
	kill(pidOf(t, h, "x"))
	e := await(t, events, "tools leave", func(e host.Event) bool { return len(e.Removed) > 0 })
	if e.Server != "x" || len(e.Removed) < 10 {
		t.Errorf("%+v", e)
	}
	e = await(t, events, "tools come back", func(e host.Event) bool { return len(e.Added) > 0 })
	text, err := h.Tool("x__echo").Execute(t.Context(), raw(`{"message":"back"}`))
	if err != nil || text != "back" {
		t.Errorf("%q, %v", text, err)
	}
}

// Row 3: a time-out becomes a text for the agent.
func TestNanobotTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(&testserver.Options{Fault: "never-answers"})}.start(t, host.Options{Timeout: 5 * time.Second})
		text, failed := h.Tool("mcp__x__echo").Run(t.Context(), raw(`{"message":"hi"}`))
		if want := `[MCP:x] tool "echo" timed out: no response within 5s`; !failed || text != want {
			t.Errorf("have %q, want %q", text, want)
		}
	})
}

// Row 4: a program that doesn't exist is a clear error at once.
func TestNanobotMissingProgram(t *testing.T) {
	h := newHost(t, nil)
	start := time.Now()
	d := h.SetServers(t.Context(), []*host.Server{{Name: "x", Type: config.Stdio, Command: "no-such-program-npx"}})
	err := d.Errors["x"]
	if e, ok := err.(*host.Error); !ok || e.Category != host.Configuration || e.Code != "PROGRAM_NOT_FOUND" || !errors.Is(err, exec.ErrNotFound) ||
		!strings.Contains(err.Error(), "no-such-program-npx") || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if state(t, h, "x") != host.Failed {
		t.Error("it is tried again")
	}
	err = h.AddServer(t.Context(), &host.Server{Name: "y", Type: config.Stdio, Command: "no-such-program-npx -y server"})
	if err == nil || !strings.HasSuffix(err.Error(), "; put arguments into args, not into command") {
		t.Errorf("%v", err)
	}
}

// Testing: discovery and registration, a round trip, and the lifecycle.
func TestNanobotLifecycle(t *testing.T) {
	h := newHost(t, nil)
	if err := h.SetServers(t.Context(), []*host.Server{child("x", nil)}).Err(); err != nil {
		t.Fatal(err)
	}
	if text, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"round trip"}`)); err != nil || text != "round trip" {
		t.Errorf("%q, %v", text, err)
	}
	pid := pidOf(t, h, "x")
	if err := h.Reconnect(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	if again := pidOf(t, h, "x"); again == pid || !gone(pid) {
		t.Errorf("process %d, then %d", pid, again)
	}
}

func Example_nanobot() {
	ctx := context.Background()
	servers := fakes{"sqlite": newFake(nil)}
	h := host.New(servers.with(host.Options{Naming: host.ServerTool}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, servers.servers())

	// The loop of the agent: the tools of the moment, and a string for each call.
	call := func(name, arguments string) string {
		t := h.Tool(name)
		if t == nil {
			return "Error: no tool " + name
		}
		text, failed := t.Run(ctx, mcp.RawMessage(arguments))
		if failed {
			return "Error: " + text
		}
		return text
	}
	fmt.Println(call("sqlite__echo", `{"message":"3 rows"}`))
	fmt.Println(call("sqlite__fail", `{"message":"no such table"}`))
	// Output:
	// 3 rows
	// Error: no such table
}
