package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestServersOfOtherPrograms: naming a program trusts the user's file of it, and not that
// of the project. A server that is added from a file keeps its paths and its limits.
func TestServersOfOtherPrograms(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(dir)
	for name, text := range map[string]string{
		filepath.Join(home, ".cursor", "mcp.json"): `{"mcpServers":{"own":{"command":"./run","envFile":"env","excludeTools":["drop*"],"disabled":true}}}`,
		filepath.Join(dir, ".cursor", "mcp.json"):  `{"mcpServers":{"theirs":{"command":"touch","args":["started"]}}}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runCommand(t, "tools", "theirs", "-c", "cursor").want(t, failure.Usage, "", "is not trusted; to trust it, type: mcpecho trust theirs -c cursor\n\truns touch started\n")
	if o := runCommand(t, "servers", "-c", "cursor", "-c", "none.json"); !strings.Contains(o.stdout, "theirs\tuntrusted: \"trust\" with its name trusts it") {
		t.Errorf("%+v", o)
	}
	if o := runCommand(t, "search", "x", "-c", "cursor"); !strings.Contains(o.stderr, "to trust it, type: mcpecho trust theirs -c cursor\n") {
		t.Errorf("%+v", o)
	}
	for _, file := range [][]string{{"--user"}, {"-c", "mine.json"}} { // whose servers need no trust
		o := runCommand(t, append([]string{"add", "theirs", "--from", "cursor"}, file...)...)
		o.want(t, failure.Usage, "", "is not trusted, and a file of yours would trust it; to trust it, type: mcpecho trust theirs -c cursor\n")
	}
	runCommand(t, "add", "theirs", "--from", "cursor").want(t, 0, "Added theirs to .mcp.json. To try it, type: mcpecho tools theirs\n", "")
	runCommand(t, "tools", "theirs").want(t, failure.Usage, "", "is not trusted")
	if _, err := os.Stat("started"); err == nil {
		t.Error("a program of the project was started")
	}
	// A file of the project with the name of a program is not the program's.
	if err := os.WriteFile("cursor", []byte(`{"mcpServers":{"planted":{"command":"touch","args":["started"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"servers", "-c", "cursor"}, {"tools", "cursor:planted"}, {"tools", "planted", "-c", "cursor"}, {"servers", "cursor"}} {
		runCommand(t, args...)
		if _, err := os.Stat("started"); err == nil {
			t.Fatalf("%q starts a program of the project", args)
		}
	}
	runCommand(t, "trust", "theirs", "-c", "cursor").want(t, 0, "Trusted theirs in "+filepath.Join(dir, ".cursor", "mcp.json")+". Until its entry changes, mcpecho\n  runs touch started\nTo revoke it, type: mcpecho trust --revoke theirs\n", "")

	runCommand(t, "add", "own", "--from", "cursor").want(t, 0, "Added own to .mcp.json. To try it, type: mcpecho tools own\n", "")
	text, err := os.ReadFile(".mcp.json")
	for _, want := range []string{filepath.Join(home, "run"), filepath.Join(home, "env"), "drop*", `"disabled": true`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s, %v", want, text, err)
		}
	}
}

// TestUmaskOfServers: a new file has the permissions that the user chose for new files. It
// sets the umask of the process, so it does not run in parallel.
func TestUmaskOfServers(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(t.TempDir())
	defer syscall.Umask(syscall.Umask(0o077))
	runCommand(t, "add", "a", "--", "ls").want(t, 0, "Added a to .mcp.json. To try it, type: mcpecho tools a\n", "")
	if info, err := os.Stat(".mcp.json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
