package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// A person at a remote shell has the browser on another machine: it is sent to
// an address where nothing answers, which the person pastes. One whose browser
// is on this machine need not.
func TestLoginOnATerminal(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	t.Setenv("BROWSER", filepath.Join(home, "none"))
	url := authServer(t, nil) + "/mcp"
	for _, here := range []bool{false, true} {
		p := startInPty(t, 80, "login", url)
		p.until("paste the address of that page here:\r\n")
		_, page, _ := strings.Cut(p.output.String(), "Open this page in a browser:\r\n\r\n")
		page, _, _ = strings.Cut(page, "\r\n")
		browser := &http.Client{}
		if !here {
			browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		}
		resp, err := browser.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !here {
			p.typeLine("what?")
			p.until("This is another address. Paste the one that begins with http://127.0.0.1:")
			p.typeLine(resp.Header.Get("Location"))
		}
		p.wantEnd(0, "Logged in to "+url+".\n")
		runCommand(t, "call", url, "echo", "message=hi").want(t, 0, "hi\n", "")
		runCommand(t, "logout", url).want(t, 0, "Logged out of "+url+".\n", "")
	}
}

// TestLoginKeepsItsURLOutOfArguments: the browser has a URL of mcpecho in its arguments, which
// every account of the machine can read. It leads to the login page once; a second use ends
// the login.
func TestLoginKeepsItsURLOutOfArguments(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	url := authServer(t, nil) + "/mcp"
	for _, twice := range []bool{true, false} {
		dir := t.TempDir()
		program, opened := filepath.Join(dir, "browser"), filepath.Join(dir, "opened")
		testutil.Must(t, os.WriteFile(program, []byte("#!/bin/sh\nprintf %s \"$*\" >"+opened+".new; mv "+opened+".new "+opened+"\n"), 0o700))
		stdout, stderr, status := newTranscript(), newTranscript(), make(chan int, 1)
		e := &environment{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, self: mcpechoPath(t), name: "mcpecho",
			getenv: func(key string) string { return map[string]string{"BROWSER": program}[key] }}
		go func() { status <- run(t.Context(), []string{"login", url}, e) }() // ends with the login
		var arguments []byte
		if !testutil.Eventually(func() bool { arguments, _ = os.ReadFile(opened); return len(arguments) > 0 }) ||
			!strings.HasPrefix(string(arguments), "http://127.0.0.1:") || strings.ContainsAny(string(arguments), "?=") {
			t.Fatalf("the arguments of the browser are %q", arguments)
		}
		client := &http.Client{}
		if twice {
			client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			for _, want := range []int{http.StatusFound, http.StatusGone} {
				resp, err := client.Get(string(arguments))
				testutil.Must(t, err)
				_ = resp.Body.Close()
				if resp.StatusCode != want || (want == http.StatusFound) != strings.Contains(resp.Header.Get("Location"), "state=") {
					t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
				}
			}
			if s := <-status; s != failure.Forbidden || !strings.Contains(stderr.String(), "two programs have asked for the page") {
				t.Errorf("%d %s", s, stderr)
			}
			continue
		}
		resp, err := client.Get(string(arguments))
		testutil.Must(t, err)
		_ = resp.Body.Close()
		client.CloseIdleConnections()
		if s := <-status; s != 0 {
			t.Errorf("%d %s", s, stderr)
		}
	}
}
