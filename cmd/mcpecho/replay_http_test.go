package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
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
			runCommand(t, "call", url, "add", "a=2", "b=41").want(t, statusRefused, "", "no recorded request matches")
		}
	}
}

// TestReplayWritesBeforeItReads: what a replay writes while a request waits to be
// read goes to the response of the request, and after its end to the next stream.
func TestReplayWritesBeforeItReads(t *testing.T) {
	t.Parallel()
	s := &replaySession{in: make(chan []byte), done: make(chan struct{})}
	server := httptest.NewServer(&replayHandler{sessions: map[string]*replaySession{"": s}})
	defer server.Close()
	defer s.Close()
	const notice, response = `{"jsonrpc":"2.0","method":"notifications/message"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`
	got := make(chan string)
	go func() {
		res, err := http.Post(server.URL+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			got <- err.Error()
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		got <- string(text)
	}()
	testutil.Eventually(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.streams) == 1
	})
	_, _ = s.Write([]byte(notice))
	if _, err := s.Read(); err != nil {
		t.Fatal(err)
	}
	_, _ = s.Write([]byte(response))
	if text, want := <-got, event([]byte(notice))+event([]byte(response)); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
	_, _ = s.Write([]byte(notice)) // perhaps before the handler has returned
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) != 1 {
		t.Errorf("%d messages wait for the next stream, want 1", len(s.held))
	}
}

// TestReplayToTheNewestClient: an ID is that of the newest request with it, as the
// server may not yet know that the client of an older one has gone.
func TestReplayToTheNewestClient(t *testing.T) {
	t.Parallel()
	s := &replaySession{}
	old, newest := &replayStream{id: "1", progress: `"t"`}, &replayStream{id: "1", progress: `"t"`}
	s.add(old)
	s.add(newest)
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}`,
		`{"jsonrpc":"2.0","method":"notifications/message"}`,
	} {
		if s.route([]byte(message)) != newest {
			t.Errorf("another stream for %s", message)
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
