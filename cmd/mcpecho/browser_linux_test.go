package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestBrowserThatFails: the next browser opens the page, in arguments that its user wrote.
func TestBrowserThatFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fails, works, opened := filepath.Join(dir, "fails"), filepath.Join(dir, "works"), filepath.Join(dir, "opened")
	testutil.Must(t, os.WriteFile(fails, []byte("#!/bin/sh\nexit 3\n"), 0o700))
	testutil.Must(t, os.WriteFile(works, []byte("#!/bin/sh\nprintf '%s|' \"$@\" >"+opened+"\n"), 0o700))
	e := &environment{getenv: func(string) string { return dir + "/none:" + fails + " -a:" + works + " --new-window" }}
	if err := e.browse(t.Context(), "https://example.com/"); err != nil {
		t.Fatal(err)
	}
	var got []byte
	if !testutil.Eventually(func() bool { got, _ = os.ReadFile(opened); return string(got) == "--new-window|https://example.com/|" }) {
		t.Errorf("opened with %q", got)
	}
	e.getenv = func(string) string { return fails }
	if err := e.browse(t.Context(), "https://example.com/"); err == nil {
		t.Error("a browser that fails is not an error")
	}
}
