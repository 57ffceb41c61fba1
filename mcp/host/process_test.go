package host_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// pidOf returns the process id of a server.
func pidOf(t testing.TB, h *host.Host, server string) int {
	t.Helper()
	res, err := h.CallTool(t.Context(), server, "process", nil)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := mcp.DecodeValue(res.StructuredContent)
	m, _ := v.(map[string]any)
	pid, _ := m["pid"].(float64)
	if pid == 0 {
		t.Fatalf("no process id in %s", res.StructuredContent)
	}
	return int(pid)
}

// gone reports whether a process has ended. On a busy machine that may take
// slightly longer than Close waits.
func gone(pid int) bool {
	return testutil.Eventually(func() bool { return !alive(pid) })
}

// kill kills a process.
func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// The error quotes standard error, and the other servers are connected.
func TestProcessThatExitsAtStart(t *testing.T) {
	h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
	d := h.SetServers(t.Context(), []*host.Server{child("good", nil), child("bad", &testserver.Options{Fault: "exits-at-start"})})
	if d.Err() != nil || len(d.Errors) != 1 || !strings.Contains(d.Errors["bad"].Error(), "no configuration file") {
		t.Errorf("%v, %v", d.Err(), d.Errors) // the warning quotes what the server said
	}
	if h.Tool("mcp__good__echo") == nil {
		t.Error("the other server is not connected")
	}
}

// TestProgramThatEndsAtOnceIsStartedOnce: without retries, a program is started once, whatever
// it does before it ends. One that has read the probe may be of a legacy server that the probe
// ends: it is started a second time, without a probe.
func TestProgramThatEndsAtOnceIsStartedOnce(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("there is no sh")
	}
	for name, script := range map[string]string{
		"with a failure": "exit 1", "with success": "exit 0", "after a message on standard error": "echo missing >&2; exit 2",
		"after a line that is not a message": "echo hello; exit 1", "after the first request": "read line; exit 1",
		"by a signal": "kill -9 $$", "after half a message": `printf '{"jsonrpc"'; exit 1`, "after closing its output": "exec >&-; exit 1",
	} {
		starts := filepath.Join(t.TempDir(), "starts")
		h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
		d := h.SetServers(t.Context(), []*host.Server{{Name: "x", Command: "sh", Args: []string{"-c", "echo >>" + starts + "; " + script}}})
		if d.Errors["x"] == nil {
			t.Errorf("a program that ends %s: no error", name)
		}
		want := 1
		if strings.Contains(script, "read") {
			want = 2
		}
		if text, _ := os.ReadFile(starts); len(text) != want {
			t.Errorf("a program that ends %s is started %d times", name, len(text))
		}
	}
}

func TestKilledProcessIsRestarted(t *testing.T) {
	h := newHost(t, &host.Options{Naming: host.ServerTool, Retry: host.Retry{Initial: time.Millisecond}})
	if err := h.SetServers(t.Context(), []*host.Server{child("x", nil)}).Err(); err != nil {
		t.Fatal(err)
	}
	events := h.Events(t.Context())
	kill(pidOf(t, h, "x"))
	e := await(t, events, "tools are removed", func(e host.Event) bool { return len(e.Removed) > 0 })
	if e.Server != "x" || len(e.Removed) < 10 {
		t.Errorf("%+v", e)
	}
	e = await(t, events, "tools are added", func(e host.Event) bool { return len(e.Added) > 0 })
	text, err := h.Tool("x__echo").Execute(t.Context(), raw(`{"message":"back"}`))
	if err != nil || text != "back" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestMissingProgram(t *testing.T) {
	h := newHost(t, nil)
	start := time.Now()
	d := h.SetServers(t.Context(), []*host.Server{{Name: "x", Type: config.Stdio, Command: "no-such-program-npx"}})
	err := d.Errors["x"]
	if e, ok := err.(*host.Error); !ok || e.Category != host.CategoryConfiguration || e.Code != "PROGRAM_NOT_FOUND" || !errors.Is(err, exec.ErrNotFound) ||
		!strings.HasPrefix(err.Error(), `[MCP:x] failed to connect: start server "no-such-program-npx": `) || time.Since(start) > testutil.Timeout {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if state(t, h, "x") != host.Failed {
		t.Error("the host retries")
	}
	err = h.AddServer(t.Context(), &host.Server{Name: "y", Type: config.Stdio, Command: "no-such-program-npx -y server"})
	if err == nil || !strings.HasSuffix(err.Error(), "; put arguments into args, not into command") {
		t.Errorf("%v", err)
	}
}

func TestReconnectStartsNewProcess(t *testing.T) {
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

func TestStderr(t *testing.T) {
	h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
	events := h.Events(t.Context())
	h.SetServers(t.Context(), []*host.Server{child("x", &testserver.Options{Fault: "exits-at-start"})})
	e := await(t, events, "a line", func(e host.Event) bool { return e.Kind == host.Logged })
	s, _ := h.ServerStatus("x")
	if e.Line != "fatal: no configuration file" || !strings.Contains(s.Stderr, e.Line) {
		t.Errorf("%+v, %q", e, s.Stderr)
	}
}

// Processes end even if they ignore the end of standard input.
func TestShutdownEndsProcesses(t *testing.T) {
	h := host.New(nil)
	polite, deaf := child("polite", nil), child("deaf", &testserver.Options{Fault: "ignores-eof"})
	if d := h.SetServers(t.Context(), []*host.Server{polite, deaf}); d.Err() != nil || len(d.Errors) > 0 {
		t.Fatal(d.Errors)
	}
	var pids []int
	for _, name := range []string{"polite", "deaf"} {
		pids = append(pids, pidOf(t, h, name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d still exists", pid)
		}
	}
	if len(h.Tools()) > 0 {
		t.Error("tools remain after Shutdown")
	}
	if _, err := h.CallTool(t.Context(), "polite", "echo", nil); !errors.Is(err, host.ErrShutdown) {
		t.Errorf("a call after Shutdown: %v", err)
	}
}

func TestProcessLifecycle(t *testing.T) {
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
		t.Error("the process does not exist")
	}
	if err := h.Reconnect(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	again := pidOf(t, h, "x")
	if !gone(pid) || again == pid {
		t.Error("the process was not replaced")
	}
	if err := h.Disconnect(t.Context(), "x"); err != nil || !gone(again) {
		t.Errorf("the process still exists: %v", err)
	}
}
