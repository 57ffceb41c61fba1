package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/serve"
)

// TestServeRequiresLogin logs in to the echo server, as a user does who allows it.
func TestServeRequiresLogin(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	web, err := serve.Start("127.0.0.1:0", nil, true)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	runCommand(t, "tools", web.URL).want(t, failure.Forbidden, "", "type: mcpecho login "+web.URL)
	for _, allow := range []string{"no", "yes"} {
		stdout, stderr, status := newTranscript(), newTranscript(), make(chan int, 1)
		w := &environment{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, self: mcpechoPath(t), name: "mcpecho",
			getenv: func(key string) string { return map[string]string{"BROWSER": home + "/none"}[key] }}
		go func() { status <- run(t.Context(), []string{"login", web.URL}, w) }() // ends with the answer
		stderr.until(t, "\n")
		_, page, _ := strings.Cut(strings.TrimSpace(stderr.String()), "open this page: ")
		resp, err := http.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(text), "Allow <b>127.0.0.1:") {
			t.Errorf("the page is %s", text)
		}
		resp, err = http.PostForm(page, url.Values{"allow": {allow}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := <-status; (got == 0) != (allow == "yes") {
			t.Errorf("%s: status %d, %s", allow, got, stderr.String())
		}
	}
	runCommand(t, "call", web.URL, "echo", "message=hi").want(t, 0, "hi\n", "")
	// An editor without a login can use the server through the proxy.
	runCommand(t, "call", proxyURL(t, web.URL), "echo", "message=hi").want(t, 0, "hi\n", "")
	runCommand(t, "call", "echo", "message=hi", "--env", "HOME", "--env", "XDG_CONFIG_HOME", "--", "mcpecho", "proxy", web.URL).want(t, 0, "hi\n", "")
	runCommand(t, "call", web.SSE, "echo", "message=hi").want(t, failure.Forbidden, "", "login") // another resource
	runCommand(t, "logout", web.URL).want(t, 0, "Logged out of "+web.URL+".\n", "")
	runCommand(t, "ping", web.URL).want(t, failure.Forbidden, "", "login")
	runCommand(t, "serve", "--require-login").want(t, failure.Usage, "", "--require-login needs --http")
}
