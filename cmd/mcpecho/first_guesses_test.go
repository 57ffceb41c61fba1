package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

// A firstGuess is a command line that a user of other programs types first.
type firstGuess struct {
	line  string
	does  string // a part of standard output, with status 0; empty if it cannot work
	names string // otherwise, a part of a line of standard error: the right command
}

// firstGuesses were written down by reading the beginning of the README, and from
// the habits of Inspector's CLI, mcporter, mcpc, fastmcp, claude mcp, curl,
// docker, git and kubectl. everything and web are configured servers.
var firstGuesses = []firstGuess{
	{line: "tools everything", does: "echo\t"},
	{line: "list everything", does: "echo\t"},
	{line: "ls everything", does: "echo\t"},
	{line: "list", does: "everything\tconnected"},
	{line: "ls", does: "everything\tconnected"},
	{line: "status", does: "everything\tconnected"},
	{line: "list tools everything", does: "echo\t"},
	{line: "list prompts everything", does: "review\t"},
	{line: "tools list everything", names: "mcpecho tools everything"},
	{line: "tools-list everything", does: "echo\t"},
	{line: "everything tools", names: "mcpecho tools everything"},
	{line: "everything tools-list", names: "mcpecho tools everything"},
	{line: "everything", names: "mcpecho tools everything"},
	{line: "URL", names: "mcpecho tools URL"},
	{line: "URL tools/list", names: "mcpecho tools URL"},
	{line: "-- SERVER", names: "mcpecho tools -- SERVER"},
	{line: "SERVER tools", names: "mcpecho tools -- SERVER"},
	{line: "--cli URL --method tools/list", names: "mcpecho tools URL"},
	{line: "--cli --method tools/list -- SERVER", names: "mcpecho tools -- SERVER"},
	{line: "URL --method tools/call --tool-name echo --tool-arg message=hi", names: "mcpecho call URL echo message=hi"},
	{line: "call everything echo message=hi", does: "hi\n"},
	{line: "call everything.echo message=hi", does: "hi\n"},
	{line: "call everything/echo message=hi", does: "hi\n"},
	{line: "call everything echo --message hi", names: "mcpecho call everything echo message=hi"},
	{line: "call everything echo message:hi", names: "mcpecho call everything echo message=hi"},
	{line: `call everything echo --args '{"message":"hi"}'`, does: "hi\n"},
	{line: `call everything echo --params '{"message":"hi"}'`, does: "hi\n"},
	{line: `call everything echo -d '{"message":"hi"}'`, does: "hi\n"},
	{line: `call everything echo --arg message=hi`, does: "hi\n"},
	{line: `call everything 'echo(message: "hi")'`, names: "mcpecho call everything echo message=hi"},
	{line: "tools-call everything echo message=hi", does: "hi\n"},
	{line: "tool everything echo message=hi", names: "mcpecho call everything echo message=hi"},
	{line: "tool everything echo", names: "mcpecho info everything echo"},
	{line: "run everything echo message=hi", names: "mcpecho call everything echo message=hi"},
	{line: "exec everything echo message=hi", names: "mcpecho call everything echo message=hi"},
	{line: "describe everything", does: "stdmcp-echo"},
	{line: "describe everything echo", does: "message"},
	{line: "inspect everything", does: "stdmcp-echo"},
	{line: "tools-get everything echo", does: "message"},
	{line: "resources-read everything echo://text", does: "\n"},
	{line: "resource everything echo://text", does: "\n"},
	{line: "prompts-get everything review language=go", does: "go"},
	{line: "add weather URL", does: "weather"},
	{line: "add --transport http forecasts URL", does: "forecasts"},
	{line: "add echoes -- SERVER", does: "echoes"},
	{line: "remove old", does: "old"},
	{line: "rm older", does: "older"},
	{line: "auth web", does: "no login"},
	{line: "login web", does: "no login"},
	{line: "tools everything --verbose", does: "echo\t"},
	{line: "call everything add a=2 b=40 --pretty", does: "42"},
	{line: "tools everything -o json", does: `"tools":[`},
	{line: "tools everything --format json", names: "mcpecho tools everything --json"},
	{line: "-V", does: "mcpecho "},
	{line: "serve --port 0", does: "/mcp\n"},
	{line: "server", names: "mcpecho serve"},
	{line: "start", names: "mcpecho serve"},
	{line: "subscribe everything echo://text", names: "mcpecho watch everything echo://text"},
	{line: "test everything", names: "mcpecho ping everything"},
	{line: "config", names: "mcpecho servers"},
	{line: "repl everything", names: "mcpecho shell everything"},
	{line: "connect URL", names: "mcpecho shell URL"},
	{line: "interactive -- SERVER", names: "mcpecho shell -- SERVER"},
	{line: "doctor everything", names: "mcpecho check everything"},
	{line: "lint URL", names: "mcpecho check URL"},
	{line: "validate -- SERVER", names: "mcpecho check -- SERVER"},
}

const wantGuesses, wantMisuses = 66, 127

const wantSecondGuesses, wantSecondMisuses = 100, 187

// TestFirstGuesses tries each of them in a folder with configured servers.
func TestFirstGuesses(t *testing.T) { testGuesses(t, firstGuesses, wantGuesses) }

func testGuesses(t *testing.T, guesses []firstGuess, want int) {
	folder := newFolder(t)
	right := 0
	for i, o := range folder.runAll(t, len(guesses), func(i int) string { return guesses[i].line }) {
		g := guesses[i]
		switch {
		case g.does != "" && o.status == 0 && (g.does == anything || strings.Contains(o.stdout, g.does)):
			right++
		case g.does == "" && o.status != 0 && saysInALine(o.stderr, folder.shown.Replace(g.names)):
			right++
		default:
			t.Logf("mcpecho %s\nwant %s%s\nstatus %d\n%s%s", g.line, g.does, g.names, o.status, o.stdout, o.stderr)
		}
	}
	t.Logf("%d of %d first guesses are right", right, len(guesses))
	if right < want {
		t.Errorf("%d of %d first guesses are right, want %d", right, len(guesses), want)
	}
}

// anything is what a line does whose output does not matter.
const anything = "*"

func saysInALine(text, want string) bool {
	for line := range strings.Lines(text) {
		if strings.Contains(unquoted(line), unquoted(want)) {
			return true
		}
	}
	return false
}

// A folder has files and servers, for which the tables have names.
type folder struct {
	here, shown *strings.Replacer
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	stream, old := anyServer(t, nil), anyServer(t, &testserver.HTTPOptions{SSEOnly: true})
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.TLS = &tls.Config{}
	secure.StartTLS()
	t.Cleanup(secure.Close)
	nothing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(nothing.Close)
	server := `{"command": "` + filepath.ToSlash(mcpechoPath(t)) + `", "args": ["serve"], "env": {"GORACE": "atexit_sleep_ms=0"}}`
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		filepath.Join(home, ".mcp.json"): `{"mcpServers": {"everything": ` + server + `, "web": {"url": "` + stream.URL + `"}}}`,
		".mcp.json":                      `{"mcpServers": {"theirs": ` + server + `, "old": ` + server + `, "older": ` + server + `}}`,
		"mcp.json":                       `{"mcpServers": {"hidden": ` + server + `}}`,
		"broken.json":                    `{"mcpServers": {"x": {"command": "mcpecho"`,
		"joined.json":                    `{"mcpServers": {"x": {"command": "no-such-program serve"}}}`,
		"neither.json":                   `{"mcpServers": {"x": {"args": ["serve"]}}}`,
		"both.json":                      `{"mcpServers": {"x": {"command": "mcpecho", "url": "http://localhost/mcp"}}}`,
		"bare.json":                      `{"mcpServers": {"x": {"url": "localhost:3001/mcp"}}}`,
		"unset.json":                     `{"mcpServers": {"x": {"url": "http://localhost/mcp", "headers": {"X-Key": "${MCPECHO_UNSET}"}}}}`,
		"type.json":                      `{"mcpServers": {"x": {"type": "websocket", "url": "http://localhost/mcp"}}}`,
		"wrongtype.json":                 `{"mcpServers": {"x": {"type": "sse", "url": "` + stream.URL + `"}}}`,
		"excluded.json":                  `{"mcpServers": {"x": {"command": "` + filepath.ToSlash(mcpechoPath(t)) + `", "args": ["serve"], "excludeTools": ["add"]}}}`,
		"server.py":                      "print()\n",
		"server.js":                      "\n",
		"srv.js":                         "\n",
		"args.json":                      `{"message":"hi"}`,
		"list.json":                      `["hi"]`,
		"wrongcase.json":                 `{"mcpservers": {"x": ` + server + `}}`,
		"servers.toml":                   "[mcp_servers.x]\ncommand = mcpecho\n",
		"broken.toml":                    "[mcp_servers.x\n",
		"servers.yaml":                   "mcpServers:\n  x:\n    command: mcpecho\n",
		"bin.txt":                        "\xff\x00\xfe",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if o := runCommand(t, "tools", "web", "--record", "k.rec"); o.status != 0 {
		t.Fatal(o)
	}
	closed := closedPort(t)
	return &folder{
		here: strings.NewReplacer("SERVER", "mcpecho serve", "OLDBASE", old.Base, "OLDSSE", old.SSE, "OLDURL", old.URL,
			"BASE", stream.Base, "URL", stream.URL, "SSE", stream.SSE, "HOST", strings.TrimPrefix(stream.Base, "http://"),
			"TLSHOST", strings.TrimPrefix(secure.URL, "https://"), "CLOSED", closed, "NOTHING", nothing.URL),
		shown: strings.NewReplacer("mcpecho serve", "SERVER", old.SSE, "OLDSSE", old.URL, "OLDURL", old.Base, "OLDBASE",
			stream.URL, "URL", stream.SSE, "SSE", stream.Base, "BASE", strings.TrimPrefix(stream.Base, "http://"), "HOST",
			strings.TrimPrefix(secure.URL, "https://"), "TLSHOST", closed, "CLOSED", nothing.URL, "NOTHING"),
	}
}

// runAll runs n lines, several at a time, and returns their results with the
// names of the folder.
func (p *folder) runAll(t *testing.T, n int, line func(int) string) []result {
	t.Helper()
	results := make([]result, n)
	slots := make(chan struct{}, 4)
	var all sync.WaitGroup
	for i := range n {
		args := words(t, p.here.Replace(line(i)))
		all.Go(func() {
			slots <- struct{}{}
			o := runUntilOutput(t, args)
			results[i] = result{o.status, p.shown.Replace(o.stdout), p.shown.Replace(o.stderr)}
			<-slots
		})
	}
	all.Wait()
	return results
}

// runUntilOutput is runCommand, except that it interrupts a command that would not end
// after its first line, or after a while without one.
func runUntilOutput(t *testing.T, args []string) result {
	name, _ := cutName(args)
	if c := findCommand(name); c == nil || !c.endless && !slices.Contains(args, "--watch") {
		return runCommand(t, args...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out := &interruptingWriter{cancel: cancel}
	var stderr bytes.Buffer
	status := run(ctx, serverArgs(t, args), &environment{stdin: strings.NewReader(""), stdout: out, stderr: &stderr,
		getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho"})
	if status == failure.Interrupted {
		status = 0 // how it ends normally
	}
	return result{status, out.written.String(), stderr.String()}
}

type interruptingWriter struct {
	written bytes.Buffer
	cancel  func()
}

func (w *interruptingWriter) Write(p []byte) (int, error) {
	w.cancel()
	return w.written.Write(p)
}
