package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
)

// A server that takes long to start shows what it writes meanwhile, and what it has
// shown stays when the user gives up.
func TestStartOfServerIsShown(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho 'downloading \\033[2J it' >&2\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := startInPty(t, 80, "tools", "--", script)
	p.until("server: downloading ")
	p.typed("\x03")
	shown, status := p.end()
	if status != failure.Interrupted || strings.Contains(shown, "\x1b[2J") || strings.Count(shown, "downloading") != 1 || !strings.Contains(shown, "interrupted") {
		t.Errorf("status %d, %q", status, shown)
	}
}

// A list that is longer than the screen goes to $PAGER.
func TestLongListIsPaged(t *testing.T) {
	t.Parallel()
	pager := []string{"PAGER=sed 's/^/PAGED /'"}
	shown, status := startInPtyWith(t, 30, pager, "tools", "--no-color", "--", "mcpecho", "serve").end()
	if status != 0 || !strings.HasPrefix(shown, "PAGED ") {
		t.Errorf("status %d, %q", status, shown)
	}
	shown, _ = startInPtyWith(t, 120, pager, "resources", "--no-color", "--", "mcpecho", "serve").end()
	if strings.Contains(shown, "PAGED") {
		t.Errorf("a short list is paged: %q", shown)
	}
}
