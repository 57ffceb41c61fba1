//go:build linux

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// A tmux is a real terminal, to which a test sends keys and whose screen it reads.
type tmux struct {
	t      *testing.T
	socket string
}

func (m *tmux) run(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *tmux) keys(keys ...string) {
	m.t.Helper()
	m.run(append([]string{"send-keys", "-t", "shell"}, keys...)...)
}

// shows waits until the screen contains text.
func (m *tmux) shows(text string) {
	m.t.Helper()
	screen := ""
	if !testutil.Eventually(func() bool {
		screen = m.run("capture-pane", "-p", "-t", "shell")
		return strings.Contains(screen, text)
	}) {
		m.t.Fatalf("the screen does not show\n%s\nbut\n%s", text, screen)
	}
}

// TestShellInTmux tries the editor in a real terminal. scripts/test tools installs tmux.
func TestShellInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux, which scripts/test tools installs")
	}
	m := &tmux{t, filepath.Join(t.TempDir(), "socket")}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	t.Setenv("LC_ALL", "C.UTF-8")
	m.run("-u", "new-session", "-d", "-s", "shell", "-x", "40", "-y", "12",
		mcpechoPath(t)+" shell --no-color -e GORACE=atexit_sleep_ms=0 -- "+mcpechoPath(t)+" serve; sleep 60")
	t.Cleanup(func() { m.run("kill-server") })
	m.shows("stdmcp-echo>")
	m.keys("-l", "call echo message='Grüße 世界 👍 ok'")
	m.shows("stdmcp-echo> call echo message='Grüße\n世界 👍 ok'")
	m.keys("Left", "Left", "Left", "Left", "BSpace", "x")
	m.shows("stdmcp-echo> call echo message='Grüße\n世界 x ok'")
	m.run("resize-window", "-t", "shell", "-x", "60", "-y", "12")
	m.shows("stdmcp-echo> call echo message='Grüße 世界 x ok'")
	m.keys("Enter")
	m.shows("ok'\nGrüße 世界 x ok\nstdmcp-echo>")
	m.run("set-buffer", "call add {\n\"a\": 1,\n\"b\": 41\n}")
	m.run("paste-buffer", "-p", "-t", "shell")
	m.shows("stdmcp-echo> call add {\n  \"a\": 1,\n  \"b\": 41\n  }")
	m.keys("Enter")
	m.shows("}\n42\nstdmcp-echo>")
	m.keys("C-r")
	m.keys("-l", "echo m")
	m.shows(`search "echo m": call echo message='Grüße 世界 x ok'`)
	m.keys("C-g")
	m.keys("-l", "call sl")
	m.keys("Tab")
	m.shows("stdmcp-echo> call slow")
	m.run("resize-window", "-t", "shell", "-x", "16", "-y", "12")
	m.shows("stdmcp-echo> ca\nll slow")
	m.keys("C-u", "C-d")
	m.shows("stdmcp-echo>")
}
