package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/serve"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestHTTPIsVisible: the status, the headers and the time of each HTTP request are in -v and in
// a recording, without the values of secrets.
func TestHTTPIsVisible(t *testing.T) {
	t.Parallel()
	web, err := serve.Start("127.0.0.1:0", nil, false)
	testutil.Must(t, err)
	defer web.Close()
	record := filepath.Join(t.TempDir(), "record")
	o := runCommand(t, "call", web.URL, "echo", "message=hi", "-v", "--record", record, "-H", "Authorization: Bearer hunter2hunter2", "--protocol", "2025-11-25")
	o.want(t, 0, "hi\n", o.stderr)
	for _, want := range []string{"http 1: POST " + web.URL + "; accept: ", "; authorization: ***", "http 1: 200 OK after ", " ms; ", "mcp-session-id: ***", "http 2: 202 Accepted"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("-v shows no %q:\n%s", want, o.stderr)
		}
	}
	data, err := os.ReadFile(record)
	testutil.Must(t, err)
	if text := string(data) + o.stderr; strings.Contains(text, "hunter2") {
		t.Errorf("a secret is in %s", text)
	}
	shown := runCommand(t, "view", record, "-v").stdout
	for _, want := range []string{"http  POST " + web.URL, " ms            http  status 200", `"authorization":"***"`, `"content-type":"application/json"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("view shows no %q:\n%s", want, shown)
		}
	}
	if shown := runCommand(t, "view", record).stdout; strings.Contains(shown, "http") {
		t.Errorf("view without -v:\n%s", shown)
	}
	runCommand(t, "call", "echo", "message=hi", "--", "mcpecho", "serve", "--replay", record).want(t, 0, "hi\n", "")
}

// TestHTTPOfALoginIsVisible: a login shows the requests to the authorization server, too.
func TestHTTPOfALoginIsVisible(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	url, trace := authServer(t, nil)+"/mcp", filepath.Join(home, "trace")
	logIn(t, url, "--trace", trace).want(t, 0, "Logged in to "+url+".\n", "To log in, open this page: ")
	data, err := os.ReadFile(trace)
	testutil.Must(t, err)
	for _, want := range []string{".well-known/oauth-authorization-server", "/register", "/token", `"www-authenticate":`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
	if shown := runCommand(t, "view", trace).stdout; !strings.HasSuffix(shown, "! status 401\n0 messages, 1 error\n") {
		t.Errorf("a login that works is shown as\n%s", shown)
	}
}
