package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// startShell starts a shell on a terminal, without a history.
func startShell(t *testing.T, args ...string) *pty {
	t.Helper()
	return startInPtyWith(t, 80, []string{"XDG_STATE_HOME=" + t.TempDir()}, args...)
}

func TestShellOnATerminal(t *testing.T) {
	t.Parallel()
	p := startShell(t, "shell", "--no-color", "--", "mcpecho", "serve")
	p.shown("Connected to stdmcp-echo")
	p.shown("stdmcp-echo> ")
	p.typed("call ec\tmess\thi\r")
	p.shown("call echo message=hi")
	p.shown("hi\r\n")
	p.shown("stdmcp-echo> ")
	p.typed("watch echo://text\r")
	p.shown(`Watching echo://text. "unwatch" ends that.`)
	p.shown("stdmcp-echo> ")
	p.typed("call update\r")
	p.until("updated echo://text") // before or after the response
	p.shown("Updated.\r\n")
	p.shown("> ")         // what is typed before goes to the terminal's own line
	p.typed("\x12echo m") // Ctrl-R
	p.shown(`search "echo m": `)
	p.typed("\r")
	p.shown("hi\r\n")
	p.shown("> ")
	p.typed("\x03\x03") // twice at the prompt leaves
	p.wantEnd(failure.Interrupted, "")
	p = startInPtyWith(t, 80, p.cmd.Env, "shell", "--", "mcpecho", "serve")
	p.shown("> ")
	p.typed("\x1b[A")
	p.shown("call echo message=hi") // the history of the session before
	p.typed("\x15exit\r")
	p.wantEnd(0, "")
}

func TestQuestionInTheShell(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	for _, args := range [][]string{{web.URL}, {web.URL, "--protocol", "2025-11-25"}} {
		p := startShell(t, append(args, "--no-color")...) // the URL alone does
		p.shown("> ")
		p.typed("call ask_elicitation\r")
		p.shown("What is your name?")
		p.shown("Name: ")
		p.typed("Ada\r")
		p.shown("optional: ")
		p.typed("36\r")
		p.shown("[no]: ")
		p.typed("\r")
		p.shown("which (arrow keys) [green]: ")
		p.typed("\r")
		p.shown("[y/N] ")
		p.typed("y\r")
		p.shown(`"name":"Ada"`)
		p.shown("> ")
		p.typed("call ask_elicitation\r")
		p.shown("Name: ")
		p.typed("\x03")
		p.shown("interrupted")
		p.shown("> ")
		p.typed("\x04")
		p.wantEnd(0, "")
	}
}

func TestControlCInTheShellCancelsTheCall(t *testing.T) {
	t.Parallel()
	p := startShell(t, "shell", "--", "mcpecho", "serve")
	p.shown("> ")
	p.typed("call slow seconds=60 steps=600\r")
	p.shown("slow [")
	p.typed("\x03")
	p.shown("interrupted\r\n")
	p.shown("> ")
	p.typed("\x03") // the first at the prompt
	p.shown("Press Ctrl-C again to leave")
	p.shown("> ")
	p.typed("call echo message=on\r")
	p.shown("on\r\n")
	p.shown("> ")
	p.typed("\x04")
	p.wantEnd(0, "")
}

func TestShellOffersToRestartItsServer(t *testing.T) {
	t.Parallel()
	server, env := childserver.Command(&testserver.Options{Fault: "dies-mid-call"})
	args := []string{"shell"}
	for _, e := range env {
		args = append(args, "-e", e)
	}
	p := startShell(t, append(append(args, "--"), server...)...)
	p.shown("> ")
	p.typed("call echo message=hi\r")
	p.shown("fatal: out of luck")
	p.shown(`Type "restart" to start it again.`)
	p.typed("tools\r")
	p.shown("Start it again? [y/N] ")
	p.typed("y\r")
	p.shown("before is lost.")
	p.shown("echo")
	p.typed("exit\r")
	p.wantEnd(0, "")
}

func TestHostileServerInTheShell(t *testing.T) {
	t.Parallel()
	for _, f := range testserver.Faults() {
		if !strings.Contains(f.Name, "flood") && !strings.Contains(f.Name, "endless") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			server, env := childserver.Command(&testserver.Options{Fault: f.Name})
			args := []string{"shell", "--timeout", "3s", "--connect-timeout", "5s", "--no-color"}
			for _, e := range env {
				args = append(args, "-e", e)
			}
			p := startShell(t, append(append(args, "--"), server...)...)
			p.typed("tools\rexit\r")
			shown, _ := p.end()
			if len(shown) > 1<<20 {
				t.Errorf("%d bytes were shown", len(shown))
			}
		})
	}
}

func TestShellWithoutControlSequences(t *testing.T) {
	t.Parallel()
	p := startInPtyWith(t, 80, []string{"TERM=dumb", "XDG_STATE_HOME=" + t.TempDir()}, "shell", "--", "mcpecho", "serve")
	p.shown("stdmcp-echo> ")
	p.typed("call echo message=hi\n")
	p.shown("\nhi\r\n")
	p.shown("stdmcp-echo> ")
	p.typed("exit\n")
	if shown, status := p.end(); status != 0 || strings.Contains(shown, "\x1b") {
		t.Errorf("status %d, %q", status, shown)
	}
}

// TestCompletionDoesNotWaitForAPipe: a folder may have any files.
func TestCompletionDoesNotWaitForAPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	testutil.Must(t, syscall.Mkfifo("data", 0o600))
	sh, done := newShell(t), make(chan struct{})
	go func() { // ends with the completion
		sh.complete("call echo message=@data/")
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(testutil.Timeout):
		t.Error("completion waits for a writer")
	}
}
