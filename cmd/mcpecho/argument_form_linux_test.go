package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
)

func TestMissingArgumentsAreAskedFor(t *testing.T) {
	t.Parallel()
	p := startInPty(t, 80, "call", "add", "a=40", "--no-color", "--", "mcpecho", "serve")
	p.shown("add needs b")
	p.shown("b: a number (Second number): ")
	p.typed("\n")
	p.shown("this field is required")
	p.typed("two\n")
	p.shown("enter a number")
	p.typed("2\n")
	p.wantEnd(0, "42\n")
	p = startInPty(t, 80, "call", "add", "--no-color", "--", "mcpecho", "serve")
	p.shown("a: ")
	p.typed(ctrlD)
	if shown, status := p.end(); status != failure.Usage || strings.Contains(shown, "brackets") || !strings.Contains(shown, `"add" requires a, b`) {
		t.Errorf("status %d, %q", status, shown)
	}
	shown, status := startInPty(t, 80, "call", "add", "--no-input", "--no-color", "--", "mcpecho", "serve").end()
	if status != failure.Usage || strings.Contains(shown, "needs") {
		t.Errorf("status %d, %q", status, shown)
	}
}

func TestMissingArgumentsInTheShell(t *testing.T) {
	t.Parallel()
	p := startShell(t, "shell", "--no-color", "--", "mcpecho", "serve")
	p.shown("> ")
	p.typed("call add\r")
	p.shown(" number): ")
	p.typed("1\r")
	p.shown(" number): ")
	p.typed("2\r")
	p.shown("3\r\n")
	p.typed("exit\r")
	p.wantEnd(0, "")
}

// A form that the user cancels is not shown again, also when the list of tools is
// from before the command.
func TestCanceledFormInTheShell(t *testing.T) {
	t.Parallel()
	p := startShell(t, "shell", "--no-color", "--", "mcpecho", "serve")
	p.shown("> ")
	p.typed("tools\r")
	p.shown("Asks for roots and keeps no state.")
	p.typed("call add a=1\r")
	p.shown(" number): ")
	p.typed(ctrlD)
	p.shown(`"add" requires b`)
	p.typed("exit\r")
	p.wantEnd(0, "")
}
