package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// shServer returns the arguments for a server in sh, which responds to the first message,
// an initialize with the id, reads the next one and then does the rest.
func shServer(id, rest string) []string {
	return []string{"--", "sh", "-c", `read x; echo '{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}'; read x; ` + rest}
}

// TestProxyRecordsUnfinishedLines: what a server writes without a line feed before it ends
// is in the recording, not as a message, as the client has not got it.
func TestProxyRecordsUnfinishedLines(t *testing.T) {
	t.Parallel()
	const ask = proxyInitialize + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	for line, problem := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"resu`:                    "not JSON",
		`Traceback (most recent`:                           "not JSON",
		`{"jsonrpc":"2.0","id":1,"result":{"tools":null}}`: "its end is missing",
	} {
		file := filepath.Join(t.TempDir(), "half.rec")
		o := runCommandWithInput(t, ask, append([]string{"proxy", "--record", file}, shServer("0", "printf '%s' '"+line+"'; exit 3")...)...)
		if strings.Contains(o.stdout, line) || !strings.Contains(o.stdout, "exited with status 3") {
			t.Error(o)
		}
		view := runCommand(t, "view", file)
		for _, want := range []string{"text  ! " + problem + ": " + line, "end  ! server", " - 1 ", `! error -32000: mcpecho proxy: server "sh -c`} {
			if !strings.Contains(view.stdout, want) {
				t.Errorf("%s: %s\nwant %s", line, view.stdout, want)
			}
		}
		file += ".direct"
		runCommand(t, append([]string{"tools", "--protocol", "2025-11-25", "--record", file}, shServer("1", "read x; printf '%s' '"+line+"'; exit 3")...)...)
		if view := runCommand(t, "view", file); !strings.Contains(view.stdout, problem+": "+line) {
			t.Error(view)
		}
	}
}

// TestProxyRecordsWhoSaidIt: the errors that the proxy responds with when the client has
// left are not the server's.
func TestProxyRecordsWhoSaidIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "closed.rec")
	runCommandWithInput(t, proxyInitialize+"\n"+`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n", append([]string{"proxy", "--record", file}, shServer("0", "read x")...)...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), " < ") != 1 || strings.Count(string(text), " <proxy ") != 1 || !strings.Contains(string(text), `end `) {
		t.Errorf("%s", text)
	}
}

// TestPipeWithoutOtherEnd: an interrupt ends a command that waits for a recording from a
// pipe, or for a reader of what it writes to one.
func TestPipeWithoutOtherEnd(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "pipe.rec")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"view", fifo}, {"serve", "--replay", fifo}, {"tools", "--record", fifo, "--", "x"},
		{"check", "--record", fifo, "--", "x"},
		{"proxy", "--record", fifo, "--", "x"}, {"tools", "-o", fifo, "--", "x"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		done := make(chan int, 1)
		go func() { // ends with the command
			done <- run(ctx, line, &environment{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }, name: "mcpecho"})
		}()
		select {
		case status := <-done:
			if status != failure.Interrupted {
				t.Errorf("%q: status %d", line, status)
			}
		case <-time.After(testutil.Timeout):
			t.Fatalf("%q still runs", line)
		}
	}
}

// TestMessagesOnATerminal: what a server has sent reaches a terminal without control sequences,
// from the server and from its recording.
func TestMessagesOnATerminal(t *testing.T) {
	t.Parallel()
	const request = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	server := []string{"--", "sh", "-c", `read -r line; printf '{"jsonrpc":"2.0","id":1,"result":{"x":"\302\233[2J\342\200\256"}}\n'; cat >/dev/null`}
	file := filepath.Join(t.TempDir(), "recorded")
	if o := runCommandWithInput(t, request+"\n", append([]string{"proxy", "--record", file}, server...)...); !strings.Contains(o.stdout, "\u009b[2J\u202e") {
		t.Fatalf("%+v", o)
	}
	for _, args := range [][]string{append([]string{"proxy"}, server...), {"serve", "--replay", file}} {
		p := startInPty(t, 200, args...)
		p.typeLine(request)
		p.until("[2J")
		p.typed("\x04")
		if shown, _ := p.end(); !strings.Contains(shown, `{"x":"\u009b[2J\u202e"}`) || strings.ContainsAny(shown, "\u009b\u202e") {
			t.Errorf("%q: %q", args, shown)
		}
	}
}
