package host_test

import (
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// pidOf asks a server that is a child process for its process id.
func pidOf(t testing.TB, h *host.Host, server string) int {
	t.Helper()
	res, err := h.CallTool(t.Context(), server, "process", nil)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := mcp.Value(res.StructuredContent)
	m, _ := v.(map[string]any)
	pid, _ := m["pid"].(float64)
	if pid == 0 {
		t.Fatalf("no process id in %s", res.StructuredContent)
	}
	return int(pid)
}

// alive reports whether there is a process of that id, even if it is a zombie.
func alive(pid int) bool {
	if _, err := os.Stat("/proc/self"); err == nil {
		_, err := os.Stat("/proc/" + strconv.Itoa(pid))
		return err == nil
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// gone reports whether a process has ended. On a machine that is very busy that
// may take a moment longer than Close waits for it.
func gone(pid int) bool {
	return testutil.Eventually(func() bool { return !alive(pid) })
}

// kill kills a process the hard way.
func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
