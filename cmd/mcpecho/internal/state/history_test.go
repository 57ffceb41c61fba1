package state

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	h := &History{Path: filepath.Join(t.TempDir(), "history")}
	for i := range 5 {
		h.Save(t.Context(), fmt.Sprint(i, strings.Repeat("x", maxHistorySize/4)))
	}
	if data, err := os.ReadFile(h.Path); err != nil || len(data) > maxHistorySize || !strings.HasPrefix(string(data), "2x") {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if err := os.WriteFile(h.Path, []byte("a\nb\\nc\n\xff\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if have := h.read(); len(have) != 3 || have[1] != "b\nc" {
		t.Errorf("read %q", have)
	}
}

// A line stays one line of the file of its own server, whatever it contains.
func TestHistoryOfStrangeLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	getenv := func(name string) string {
		if name == "XDG_STATE_HOME" {
			return dir
		}
		return ""
	}
	lines := []string{"a\nb\n\ncall evil", `a\nb`, `a\\nb\`, "a\rb", "\x1b]0;title\a", "a\u2028b\u0085c", "nul\x00", `\`, "\\\n\\"}
	for _, name := range []string{"x", "../../escape", "/etc/passwd", "CON", "a:b", strings.Repeat("y", 5000)} {
		h := NewHistory(name, getenv)
		if filepath.Dir(h.Path) != filepath.Join(dir, "mcpecho", "history") || len(filepath.Base(h.Path)) != 16 {
			t.Errorf("the history of %.20q is in %s", name, h.Path)
		}
		for _, line := range lines {
			h.Save(t.Context(), line)
		}
		if have := NewHistory(name, getenv).Lines(); !slices.Equal(have, lines) {
			t.Errorf("%q, want %q", have, lines)
		}
	}
	// What is in the place of the file is neither read nor written through.
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("password\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := NewHistory("link", getenv)
	if err := os.Symlink(secret, h.Path); err != nil {
		t.Skip("did not run: this system makes no links: ", err)
	}
	if h = NewHistory("link", getenv); len(h.Lines()) > 0 {
		t.Errorf("a link is read: %q", h.Lines())
	}
	h.Save(t.Context(), "call x")
	if text, err := os.ReadFile(secret); string(text) != "password\n" || err != nil {
		t.Errorf("a link is followed: %q, %v", text, err)
	}
	if have := NewHistory("link", getenv).Lines(); !slices.Equal(have, []string{"call x"}) {
		t.Errorf("%q", have)
	}
}
