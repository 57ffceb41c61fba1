package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/watchfiles"
	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
)

// TestCheckAgain: a server under development breaks, gets another fault, and is
// repaired. Each time only the difference is printed.
func TestCheckAgain(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh here")
	}
	t.Chdir(t.TempDir())
	server, env := childserver.Command(&testserver.Options{Fault: "same-cursor"})
	script := func(line string) {
		t.Helper()
		if err := os.WriteFile("server.sh", []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	broken := "exec '" + strings.Join(server, "' '") + "'"
	for _, e := range env {
		broken = "export '" + e + "'; " + broken
	}
	correct := "GORACE=atexit_sleep_ms=0 exec '" + mcpechoPath(t) + "' serve"
	script(correct)
	var stdout, stderr bytes.Buffer
	c, err := parse(&environment{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: os.Getenv, name: "mcpecho"},
		[]string{"check", "--watch", "--protocol", "2025-11-25", "--", "sh", "server.sh"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ticks, done := make(chan time.Time), make(chan error)
	go func() { // ends with the context
		done <- c.checkAgain(ctx, watchfiles.New(watchfiles.Named("", c.server...), nil), ticks)
	}()
	now := time.Unix(0, 0)
	// The first tick is received when a check has ended. Its poll sees no change yet.
	poll := func(n int) {
		for range n {
			now = now.Add(time.Second)
			ticks <- now
		}
	}
	want := func(out, errors string) {
		t.Helper()
		poll(1) // ends the check
		poll(1) // and the poll before it
		if got := lateEnd.ReplaceAllString(stdout.String(), ""); !strings.HasPrefix(got, out) || out == "" && got != "" || !strings.Contains(stderr.String(), errors) {
			t.Errorf("%q, %q; want %q and %q", got, stderr.String(), out, errors)
		}
		stdout.Reset()
		stderr.Reset()
	}
	want("stdio, 2025-11-25: nothing wrong\n", "Watching 2 files. Press Ctrl-C to end.")
	script("exit 3 # a syntax error, so to speak")
	poll(2)
	want("", "server.sh changed.\n")
	script(broken)
	poll(2)
	want("stdio, 2025-11-25:\n  wrong    tools/list: server \"stdmcp-echo\": tools/list: the cursor \"again\" occurs twice", "The server works again.\n")
	script(broken + " # as before")
	poll(2)
	want("", "server.sh changed.\n")
	script(correct)
	poll(2)
	want("stdio, 2025-11-25:\n  fixed    tools/list: server \"stdmcp-echo\": tools/list: the cursor \"again\" occurs twice", "server.sh changed.\n")
	cancel()
	if err := <-done; failure.Classify(err).Status != failure.Interrupted {
		t.Error(err)
	}
}

func TestChangedText(t *testing.T) {
	t.Parallel()
	fault := servercheck.Finding{Where: "tools/list", What: "a"}
	one := checked{way: "stdio", version: "v1", found: []servercheck.Finding{fault}}
	other := checked{way: "stdio", version: "v2"}
	for _, test := range []struct {
		before, after []checked
		want          string
	}{
		{nil, []checked{other}, "stdio, v2: nothing wrong\n"},
		{[]checked{one, other}, []checked{one, other}, ""},
		{[]checked{one, other}, []checked{one}, "stdio, v2: does not work any more\n"},
		{[]checked{one}, []checked{{way: "stdio", version: "v1"}}, "stdio, v1:\n  fixed    tools/list: a\n"},
		{[]checked{{way: "http", version: "v1"}}, []checked{one}, "Streamable HTTP, v1: does not work any more\nstdio, v1:\n  wrong    tools/list: a\n"},
	} {
		if got := changedText(test.after, test.before, 0); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestWatchNeedsFiles(t *testing.T) {
	t.Parallel()
	runCommand(t, "check", "--watch", "http://127.0.0.1:1/mcp").want(t, failure.Usage, "", "its command names none: add a PATH; usage: ")
	runWithServer(t, "check", "--watch", "missing").want(t, failure.Usage, "", "missing")
	runWithServer(t, "check", "src").want(t, failure.Usage, "", "does not accept \"src\"")
}
