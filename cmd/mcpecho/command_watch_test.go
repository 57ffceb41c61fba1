package main

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// A transcript is output that is read while it is written.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // buffered; there is more
	done chan struct{} // closed if there will be no more
}

func newTranscript() *transcript {
	return &transcript{more: make(chan struct{}, 1), done: make(chan struct{})}
}

func (o *transcript) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default:
	}
	return o.text.Write(p)
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// until waits for text.
func (o *transcript) until(t *testing.T, text string) {
	t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(o.String(), text) {
		select {
		case <-o.more:
			continue
		case <-o.done:
			if strings.Contains(o.String(), text) {
				return
			}
		case <-late:
		}
		t.Fatalf("waited for %q after %q", text, o.String())
	}
}

// startWatch runs "mcpecho watch" until end is called.
func startWatch(t *testing.T, args ...string) (stdout, stderr *transcript, end func() int) {
	t.Helper()
	stdout, stderr = newTranscript(), newTranscript()
	ctx, cancel := context.WithCancel(t.Context())
	status := make(chan int, 1)
	w := &environment{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho"}
	go func() { // ends with end
		defer close(stdout.done)
		defer close(stderr.done)
		status <- run(ctx, serverArgs(t, append([]string{"watch"}, args...)), w)
	}()
	end = func() int { cancel(); return <-status }
	t.Cleanup(func() { cancel() })
	return stdout, stderr, end
}

func TestWatchPrintsChanges(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"/mcp"}, {"/mcp", "--protocol", "2025-11-25"}, {"/sse"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			web := webServer(t, nil, nil)
			args := append([]string{web.Base + args[0], "echo://text"}, args[1:]...)
			stdout, stderr, end := startWatch(t, args...)
			stderr.until(t, "echo://text. Press Ctrl-C to end.\n")
			runCommand(t, "call", web.URL, "update").want(t, 0, "Updated.\n", "")
			stdout.until(t, "changed prompts\n")
			runCommand(t, "call", web.URL, "add_tool").want(t, 0, "Added tool_001.\n", "")
			stdout.until(t, "changed tools\n")
			if status := end(); status != failure.Interrupted {
				t.Errorf("status %d", status)
			}
			if want := "updated echo://text\nchanged resources\nchanged prompts\nchanged tools\n"; stdout.String() != want {
				t.Errorf("got %q", stdout)
			}
			if want := "Watching " + args[0] + ": tools, prompts, resources, logs, echo://text. Press Ctrl-C to end.\n"; stderr.String() != want {
				t.Errorf("errors %q", stderr)
			}
		})
	}
}

func TestWatchPrintsNotifications(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	stdout, stderr, end := startWatch(t, web.URL, "echo://text", "--json")
	stderr.until(t, "Ctrl-C")
	runCommand(t, "call", web.URL, "update").want(t, 0, "Updated.\n", "")
	stdout.until(t, "prompts")
	end()
	want := `{"method":"notifications/resources/updated","params":{"uri":"echo://text"}}
{"method":"notifications/resources/list_changed"}
{"method":"notifications/prompts/list_changed"}
`
	if stdout.String() != want {
		t.Errorf("got %s", stdout)
	}
}

func TestWatchPrintsLogs(t *testing.T) {
	t.Parallel()
	message := &mcp.LogMessage{Level: mcp.LevelInfo, Logger: "a", Data: mcp.RawMessage("\n\"two\\nlines\"")}
	for json, want := range map[bool]string{
		false: "log info a: two\\u000alines\n",
		true:  `{"method":"notifications/message","params":{"level":"info","logger":"a","data":"two\nlines"}}` + "\n",
	} {
		got := capturePrint(t, func(c *invocation) error {
			c.flags.JSON = json
			(&watcher{c: c}).log(message)
			return nil
		})
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWatchEnds(t *testing.T) {
	t.Parallel()
	t.Run("with the subscription", func(t *testing.T) {
		web := webServer(t, nil, nil)
		_, stderr, end := startWatch(t, web.URL)
		stderr.until(t, "Ctrl-C")
		runCommand(t, "call", web.URL, "end_listen").want(t, 0, "Ended 1.\n", "")
		stderr.until(t, "mcpecho: the server ended the subscription\n")
		if status := end(); status != failure.Unreachable {
			t.Errorf("status %d", status)
		}
	})
	t.Run("with the server", func(t *testing.T) {
		web := webServer(t, nil, &testserver.HTTPOptions{SSEOnly: true})
		_, stderr, end := startWatch(t, web.SSE, "-t", "sse")
		stderr.until(t, "Ctrl-C")
		web.Close()
		stderr.until(t, "mcpecho: ")
		if status := end(); status != failure.Unreachable {
			t.Errorf("status %d: %s", status, stderr)
		}
	})
	t.Run("with its output", func(t *testing.T) {
		web := webServer(t, nil, nil)
		r, out := io.Pipe()
		r.Close()
		stderr, status := newTranscript(), make(chan int, 1)
		w := &environment{stdin: strings.NewReader(""), stdout: out, stderr: stderr, getenv: os.Getenv, self: mcpechoPath(t), name: "mcpecho"}
		go func() { status <- run(t.Context(), []string{"watch", web.URL}, w) }() // ends with the first line
		stderr.until(t, "Ctrl-C")
		runCommand(t, "call", web.URL, "update").want(t, 0, "Updated.\n", "")
		if s := <-status; s != failure.ClosedPipe {
			t.Errorf("status %d, %s", s, stderr)
		}
	})
}

func TestWatchWithoutSubscriptions(t *testing.T) {
	t.Parallel()
	web := webServer(t, &testserver.Options{Without: []string{"subscribe", "listChanged", "logging"}}, nil)
	runCommand(t, "watch", web.URL, "echo://text").want(t, failure.Refused, "", "the server does not support subscriptions to resources")
	runCommand(t, "watch", web.URL).want(t, 0, "", "nothing to watch: the server does not report changes")
	_, stderr, end := startWatch(t, "--protocol", "2025-11-25", web.URL)
	stderr.until(t, "nothing, because the server does not report changes")
	end()
}

// TestListsThatServerDoesNotOffer: they are empty, which is not an error.
func TestListsThatServerDoesNotOffer(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		web := webServer(t, &testserver.Options{Without: []string{"tools", "prompts", "resources"}, ProtocolVersions: []string{version}}, nil)
		for _, list := range []string{"tools", "prompts", "resources", "templates"} {
			key := strings.Replace(list, "templates", "resourceTemplates", 1)
			runCommand(t, list, web.URL).want(t, 0, "", "The server offers no "+list)
			runCommand(t, list, "--json", web.URL).want(t, 0, `{"`+key+`":[]}`+"\n", "")
		}
	}
}
