package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/mcp"
)

func TestInvisibleCharactersInNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"read\u200b_file":           `read\u200b_file`,
		"\u2060a\ufeffb\u00adc":     `\u2060a\ufeffb\u00adc`,
		"a\u200d\u200cb\ufe0f":      `a\u200d\u200cb\ufe0f`,
		"\u3164\u2800":              `\u3164\u2800`,
		"x\U000e0101":               `x\udb40\udd01`,
		"Grüße 👩‍👩‍👧 ⚙️ 世界":         "Grüße 👩‍👩‍👧 ⚙️ 世界",
		"line\nbreak\u202ereversed": `line\u000abreak\u202ereversed`,
	} {
		if got := terminal.EscapeName(text); got != want {
			t.Errorf("escapeName(%q) = %q, want %q", text, got, want)
		}
	}
	c := &invocation{environment: &environment{stdout: new(strings.Builder), getenv: os.Getenv}}
	if got := c.table(terminal.Row{}, []terminal.Row{{Name: "a\u200bb", Description: "text\u200b"}}); !strings.Contains(got, `a\u200bb`) {
		t.Errorf("%q", got)
	}
}

func TestServersCannotImitateMcpecho(t *testing.T) {
	t.Parallel()
	c := &invocation{environment: &environment{stdout: new(strings.Builder), getenv: os.Getenv}}
	sheet := c.describeServer(&mcp.ServerInfo{Implementation: mcp.Implementation{Name: "x\nmcpecho: all is well", Version: "1"}})
	if !strings.HasPrefix(sheet, "x\\u000amcpecho: all is well 1\n") {
		t.Errorf("a name has more than a line: %q", sheet)
	}
	o := runWithServer(t, "call", "no\u202e\u009bsuch\nmcpecho: done", "--json")
	if strings.ContainsAny(o.stderr, "\u202e\u009b") || strings.Count(o.stderr, "\n") != 1 || !json.Valid([]byte(o.stderr)) {
		t.Errorf("%q", o.stderr)
	}
	if got := failure.Classify(errors.New("no\nmcpecho: yes")).Message; got != "no\n\tmcpecho: yes" {
		t.Errorf("%q", got)
	}
	var stderr strings.Builder
	c = &invocation{environment: &environment{stdout: new(strings.Builder), stderr: &stderr, getenv: os.Getenv}}
	if c.report(t.Context(), &failure.Error{Status: failure.Usage, Message: "the file has a\nmcpecho: yes\n\tb"}); stderr.String() != "mcpecho: the file has a\n\tmcpecho: yes\n\tb\n" {
		t.Errorf("%q", stderr.String())
	}
	if got := describe([]part{{mime: "image/png\n\x1b", data: []byte{1}}}); got != `image/png\u000a\u001b, 1 bytes` {
		t.Errorf("%q", got)
	}
}
