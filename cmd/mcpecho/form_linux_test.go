package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

const (
	keyUp, keyDown, keyLeft, keyHome = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[H"
)

// The keys of the line editor work in a form: they move in the line, and lead
// through the choices.
func TestEditForm(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	p := startInPty(t, 80, "call", web.URL, "ask_elicitation", "--no-color")
	p.until("  Name: ")
	p.typed("dx" + keyLeft + "a\x1b[3~" + keyHome + "A\r") // Delete
	p.until("optional: ")
	p.typed(keyUp + "36\r")
	p.until("[no]: ")
	p.typed("y\t\r")
	p.until("[green]: ")
	p.typed(keyDown + keyDown + keyDown + keyDown + keyUp + "\r") // around, back to blue
	p.until("[y/N] ")
	p.typed("y\r")
	p.wantEnd(0, `{"action":"accept","content":{"age":36,"color":"blue","name":"Ada","subscribe":true}}`+"\n")
}

// On a narrow terminal the questions break between words.
func TestFormFitsTheTerminal(t *testing.T) {
	t.Parallel()
	p := startInPty(t, 40, "call", webServer(t, nil, nil).URL, "ask_elicitation", "--no-color")
	p.until("Press Enter for the value in brackets\r\nor to omit an optional field, Ctrl-D\r\nto cancel.\r\n  Name: ")
	p.typed("Ada\r")
	p.until("  age: a whole number, at least 0, at\r\n  most 150, optional: ")
	p.typed(ctrlD)
	p.wantEnd(0, "")
}

// The shell recalls what the user entered for an argument before, and takes JSON of
// several lines.
func TestFormInTheShell(t *testing.T) {
	t.Parallel()
	p := startInPty(t, 100, "shell", "--no-color", "--no-state", "--", "mcpecho", "serve")
	for _, message := range []string{"first", keyUp} {
		p.shown("stdmcp-echo> ")
		p.typed("call echo\r")
		p.shown("  message (")
		p.typed(message + "\r")
		p.shown("\nfirst\r\n")
	}
	p.typed("exit\r")
	p.wantEnd(0, "")
}

// Ctrl-C in a form ends the program and leaves the terminal as it was.
func TestInterruptForm(t *testing.T) {
	t.Parallel()
	p := startInPty(t, 80, "call", "echo", "--no-color", "--", "mcpecho", "serve")
	p.until("  message (")
	p.typed("hal\x03")
	if shown, status := p.end(); status != failure.Interrupted || !strings.Contains(shown, "hal") {
		t.Errorf("status %d, %q", status, shown)
	}
	if !echoes(t, p.master) {
		t.Error("what is typed is not shown any more")
	}
}

// A program that ends while a question is open, as its server has gone, leaves the
// terminal as it was.
func TestServerEndsDuringForm(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	p := startInPty(t, 80, "call", "ask_elicitation", "--no-color", "--protocol", "2025-11-25", "--env", "GORACE=atexit_sleep_ms=0",
		"--", "sh", "-c", "echo $$ >"+file+"; exec "+mcpechoPath(t)+" serve")
	p.until("  Name: ")
	text, err := os.ReadFile(file)
	testutil.Must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	testutil.Must(t, err)
	testutil.Must(t, syscall.Kill(pid, syscall.SIGKILL))
	if shown, status := p.end(); status == 0 {
		t.Errorf("status %d, %q", status, shown)
	}
	if !echoes(t, p.master) {
		t.Error("what is typed is not shown any more")
	}
}
