package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

// serveRecording serves a recording over HTTP, and returns its standard output.
func serveRecording(t *testing.T, file string) (urls []string) {
	t.Helper()
	stdout := newTranscript()
	ended := make(chan int, 1)
	ctx, cancel := context.WithCancel(context.Background())
	e := &environment{stdin: strings.NewReader(""), stdout: stdout, stderr: io.Discard, getenv: func(string) string { return "" }, name: "mcpecho"}
	go func() { ended <- run(ctx, []string{"serve", "--replay", file, "--http", "127.0.0.1:0"}, e) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	stdout.until(t, "/mcp\n")
	return strings.Fields(stdout.String())
}

// runUpdate runs a shell that calls tools of which one changes a resource, and calls
// another one when the shell has reported the change. It returns the output.
func runUpdate(t *testing.T, args ...string) string {
	t.Helper()
	stdin, script := io.Pipe()
	defer script.Close()
	stdout := newTranscript()
	ended := make(chan int, 1)
	e := &environment{stdin: stdin, stdout: stdout, stderr: io.Discard, getenv: func(string) string { return "" }, name: "mcpecho"}
	go func() { ended <- run(t.Context(), append([]string{"shell"}, args...), e) }()
	_, _ = io.WriteString(script, "watch echo://text\ncall echo message=hi\ncall slow seconds=0.01 steps=2\ncall update\n")
	stdout.until(t, "updated echo://text\n")
	_, _ = io.WriteString(script, "call add a=2 b=40\n")
	_ = script.Close()
	if status := <-ended; status != 0 {
		t.Errorf("shell %q: status %d, output %q", args, status, stdout.String())
	}
	return stdout.String()
}

func TestReplayOverHTTP(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28", "2024-11-05"} {
		file := filepath.Join(t.TempDir(), "session")
		runUpdate(t, webServer(t, nil, nil).URL, "--protocol", version, "--record", file)
		urls := serveRecording(t, file)
		if modern := version == "2026-07-28"; modern != (len(urls) == 1) {
			t.Errorf("%s: %q", version, urls)
		}
		for _, url := range urls {
			if o := runUpdate(t, url); !strings.Contains(o, "\n42\n") {
				t.Errorf("%s, %s: %q", version, url, o)
			}
			runCommand(t, "call", url, "add", "a=2", "b=40").want(t, 0, "42\n", "")
			runCommand(t, "call", url, "add", "a=2", "b=41").want(t, failure.Refused, "", "no recorded request matches")
		}
	}
}

func TestReplayOverHTTPAsksAgain(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		file := filepath.Join(t.TempDir(), "session")
		call := []string{"call", webServer(t, nil, nil).URL, "ask_roots", "--root", "."}
		original := runCommand(t, append(call, "--record", file, "--protocol", version)...)
		for _, url := range serveRecording(t, file) {
			call[1] = url
			runCommand(t, call...).want(t, 0, original.stdout, "")
		}
	}
}

// TestRecordsWhicheverTransportWorks: the second one, too.
func TestRecordsWhicheverTransportWorks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session")
	web := webServer(t, nil, &testserver.HTTPOptions{SSEOnly: true})
	runCommand(t, "call", web.SSE, "echo", "message=hi", "--record", file).want(t, 0, "hi\n", "")
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"tools/call"`) {
		t.Errorf("%d bytes are recorded, %v", len(text), err)
	}
}

func TestReplayOverHTTPRefusesStrangers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session")
	runWithServer(t, "tools", "--record", file, "--protocol", "2025-11-25")
	url := serveRecording(t, file)[0]
	for _, test := range []struct {
		method, path, origin, session, body string
		status                              int
	}{
		{"POST", "/mcp", "https://example.com", "", "{}", http.StatusForbidden},
		{"POST", "/mcp", "", "none", "{}", http.StatusNotFound},
		{"POST", "/mcp", "", "", "{", http.StatusBadRequest},
		{"POST", "/mcp", "", "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, http.StatusAccepted},
		{"POST", "/message?session=none", "", "", "{}", http.StatusNotFound},
		{"GET", "/mcp", "", "", "", http.StatusMethodNotAllowed},
		{"DELETE", "/mcp", "", "", "", http.StatusMethodNotAllowed},
		{"GET", "/", "", "", "", http.StatusNotFound},
	} {
		r, err := http.NewRequestWithContext(t.Context(), test.method, strings.TrimSuffix(url, "/mcp")+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range map[string]string{"Origin": test.origin, "Mcp-Session-Id": test.session} {
			if value != "" {
				r.Header.Set(key, value)
			}
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != test.status {
			t.Errorf("%+v: %s", test, res.Status)
		}
	}
}
