package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
)

func TestConsoleWaitsForQuestions(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	c := &terminal.Console{Out: &b}
	c.Show("bar 1")
	c.Pause()
	c.Line("log")
	c.Show("bar 2")
	b.WriteString("question")
	c.Resume()
	if want := terminal.ClearLine + "bar 1" + terminal.ClearLine + "question" + "log\nbar 2"; b.String() != want {
		t.Errorf("got %q", b.String())
	}
}
