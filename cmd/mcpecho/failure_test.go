package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/system"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

func TestFailuresOfServers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		o      testserver.Options
		args   string
		status int
		kind   string
		says   string
	}{
		{"exits at start", testserver.Options{Fault: "exits-at-start"}, "tools", failure.Unreachable, "crashed", "exited with status 3"},
		{"prints its usage", testserver.Options{Fault: "usage-and-exit"}, "tools", failure.Unreachable, "crashed", "is not an MCP message"},
		{"mute", testserver.Options{Fault: "mute"}, "tools --connect-timeout 200ms", failure.Unreachable, "timeout", "within 200ms"},
		{"refuses to begin", testserver.Options{Fault: "initialize-error"}, "tools", failure.Refused, "server_error", "initialize"},
		{"unknown protocol version", testserver.Options{Fault: "initialize-odd-version"}, "tools", failure.Unreachable, "protocol", "1999-12-31"},
		{"silent", testserver.Options{Fault: "never-answers"}, "call echo message=hi --timeout 100ms", failure.Unreachable, "timeout", "within 100ms"},
		{"silent read", testserver.Options{Fault: "never-answers"}, "call echo {} --timeout 100ms", failure.Unreachable, "timeout", "within 100ms"},
		{"dies", testserver.Options{Fault: "dies-mid-call"}, "call echo message=hi", failure.Unreachable, "crashed", "exited with status"},
		{"cut off", testserver.Options{Fault: "cut-off"}, "call echo message=hi", failure.Unreachable, "crashed", "exited with status"},
		{"no UTF-8", testserver.Options{Fault: "invalid-utf8"}, "call echo message=hi", failure.Unreachable, "protocol", "UTF-8"},
		{"unknown kind of result", testserver.Options{Fault: "unknown-result-type"}, "call echo message=hi", failure.Unreachable, "protocol", "riddle"},
		{"endless list", testserver.Options{Fault: "same-cursor"}, "tools", failure.Unreachable, "protocol", "twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := runWithFault(t, &test.o, append(strings.Fields(test.args), "--json")...)
			var line struct {
				Error struct {
					Kind, Message string
					Code          int64
				}
			}
			if err := json.Unmarshal([]byte(o.stderr), &line); err != nil || strings.Count(o.stderr, "\n") != 1 {
				t.Fatalf("standard error: %q, %v", o.stderr, err)
			}
			if o.status != test.status || o.stdout != "" || line.Error.Kind != test.kind || !strings.Contains(line.Error.Message, test.says) {
				t.Errorf("status %d, output %q, error %+v", o.status, o.stdout, line.Error)
			}
			if (line.Error.Code != 0) != (test.kind == "server_error") {
				t.Errorf("code %d", line.Error.Code)
			}
		})
	}
}

// TestVariablesThatWereNotPassed: the failure says what to type, and the line works.
func TestVariablesThatWereNotPassed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("did not run: there is no shell")
	}
	t.Setenv("MCPECHO_TEST_KEY", "the-value")
	const script = `echo "Error: MCPECHO_TEST_KEY is $MCPECHO_TEST_KEY" >&2; exit 1`
	advice := "\nMCPECHO_TEST_KEY is set here but not passed to servers; pass it with "
	o := runCommand(t, "tools", "-q", "--", "/bin/sh", "-c", script)
	line := "type: mcpecho tools -q -e MCPECHO_TEST_KEY -- /bin/sh -c '" + script + "'\n"
	if o.status != failure.Unreachable || !strings.HasSuffix(o.stderr, advice+"-e\n"+line) {
		t.Errorf("%s\nwant %s", o.stderr, line)
	}
	o = runCommand(t, "tools", "-q", "-e", "MCPECHO_TEST_KEY", "--", "/bin/sh", "-c", script)
	if o.status != failure.Unreachable || strings.Contains(o.stderr, "passed") {
		t.Errorf("with -e: %s", o.stderr)
	}
	inProject(t, map[string]string{"s.json": `{"mcpServers":{"x":{"command":"/bin/sh","args":["-c",` + quoted(script) + `]}}}`})
	o = runCommand(t, "tools", "s.json:x")
	if !strings.HasSuffix(o.stderr, advice+`"env" of the entry in s.json, or with -e`+"\ntype: mcpecho tools s.json:x -e MCPECHO_TEST_KEY\n") {
		t.Error(o.stderr)
	}
}

func TestUnusualLists(t *testing.T) {
	t.Parallel()
	runWithFault(t, &testserver.Options{Fault: "null-tools"}, "tools").want(t, 0, "", "The server has no tools.")
	runWithFault(t, &testserver.Options{Fault: "null-tools"}, "tools", "--json").want(t, 0, "{\"tools\":null}\n", "")
	runWithFault(t, &testserver.Options{Fault: "null-tool"}, "tools").want(t, 0, "echo\techo\n", "")
	runWithFault(t, &testserver.Options{Fault: "empty-cursor"}, "tools").want(t, 0, "first\tfirst\nsecond\tsecond\n", "")
	runWithFault(t, &testserver.Options{Fault: "empty-cursor-at-end"}, "tools").want(t, 0, "first\tfirst\n", "")
	runWithFault(t, &testserver.Options{Fault: "empty-cursor-at-end"}, "call", "first").want(t, failure.Refused, "", "first") // which the server does not have
}

func TestNoSuchServer(t *testing.T) {
	t.Parallel()
	runCommand(t, "ping", "--", "no-such-program-at-all").want(t, failure.Unreachable, "", "no-such-program-at-all")
}

func TestProgramThatIsNoServer(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh here")
	}
	o := runCommand(t, "ping", "--connect-timeout", "3s", "--", "/bin/sh", "-c", "echo welcome; printf '\\033[31mwhy not\\033[0m\\n' >&2; cat >/dev/null")
	o.want(t, failure.Unreachable, "", "is not an MCP message: welcome\nLast lines of its standard error:\n\twhy not\n")
}

// TestFileThatIsNoProgram: on Unix a script without a first line #!, on Windows any
// script.
func TestFileThatIsNoProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("server.py", []byte("print()\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "tools", "--", "./server.py").want(t, failure.Unreachable, "", "./server.py")
}

// TestBrokenPipe: the reader of the output has read enough.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	if _, err = w.WriteString("x"); !system.IsBrokenPipe(err) {
		t.Error(err)
	}
}

// A closed pipe is not a failure to report, as head has read enough; a script sees it.
func TestClosedOutputIsQuiet(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	r.Close()
	var stderr strings.Builder
	status := run(t.Context(), serverArgs(t, []string{"tools", "--", "mcpecho", "serve"}), &environment{
		stdin: strings.NewReader(""), stdout: w, stderr: &stderr, getenv: os.Getenv, self: mcpechoPath(t), name: "mcpecho"})
	if status != failure.ClosedPipe || stderr.Len() > 0 {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}

func TestFullDiskIsReported(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	status := run(t.Context(), []string{"version"}, &environment{
		stdin: strings.NewReader(""), stdout: failingWriter{}, stderr: &stderr, getenv: os.Getenv, self: mcpechoPath(t), name: "mcpecho"})
	if status != failure.Usage || stderr.String() != "mcpecho: short write\n" {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestConnectTimeout(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]time.Duration{
		"tools https://example.com/mcp":                     15 * time.Second,
		"tools https://example.com/mcp --connect-timeout 1": time.Second,
		"tools -- npx server":                               time.Minute,
		"tools --connect-timeout 2s -- npx server":          2 * time.Second,
		"tools --connect-timeout 0 -- npx server":           -1,
	} {
		c, err := parse(&environment{name: "mcpecho", getenv: os.Getenv}, strings.Fields(line))
		if err != nil || c.connectTimeout() != want {
			t.Errorf("%s: %v, %v", line, c.connectTimeout(), err)
		}
	}
}

var said = regexp.MustCompile(`((?:POST|GET) http://HOST/mcp:) .*`)

// TestFailureMessages shows the messages for servers that fail.
func TestFailureMessages(t *testing.T) {
	t.Parallel()
	text := ""
	add := func(what, line string, o result) {
		text += "# " + what + "\n$ mcpecho " + line + "\n" + o.stderr + "[status " + strconv.Itoa(o.status) + "]\n\n"
	}
	for _, test := range []struct{ fault, args string }{
		{"exits-at-start", "tools"},
		{"usage-and-exit", "tools"},
		{"mute", "tools --connect-timeout 200ms"},
		{"initialize-error", "tools"},
		{"initialize-odd-version", "tools"},
		{"never-answers", "call echo {} --timeout 100ms"},
		{"dies-mid-call", "call echo {}"},
		{"invalid-utf8", "call echo {}"},
		{"unknown-result-type", "call echo {}"},
		{"same-cursor", "tools"},
	} {
		o := runWithFault(t, &testserver.Options{Fault: test.fault}, strings.Fields(test.args)...)
		o.stderr = strings.Replace(o.stderr, "initialize: connection closed", "connection closed", 1) // other systems than Linux send it
		add("a server with the fault "+test.fault, test.args+" -- SERVER", o)
	}
	var searched []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !slices.Contains(searched, dir) {
			searched = append(searched, dir)
		}
	}
	missing := runCommand(t, "tools", "--", "no-such-program-at-all")
	missing.stderr = strings.ReplaceAll(missing.stderr, strings.Join(searched, ", "), "DIRECTORIES")
	add("no such program", "tools -- no-such-program-at-all", missing)
	for _, test := range []struct {
		what    string
		handler http.Handler
		args    string
	}{
		{"a server that wants authorization", status(http.StatusUnauthorized, ""), "tools"},
		{"one that does not accept that which it gets", status(http.StatusUnauthorized, ""), "tools -H Authorization:Bearer.123456"},
		{"one that refuses", status(http.StatusForbidden, "not you"), "tools"},
		{"one that has nothing there", http.NotFoundHandler(), "tools"},
		{"the same with -t", http.NotFoundHandler(), "tools -t http"},
		{"one that fails", status(http.StatusInternalServerError, "out of luck"), "tools"},
		{"a web page", status(http.StatusOK, "<html>"), "tools"},
	} {
		web := httptest.NewServer(test.handler)
		name, rest, _ := strings.Cut(test.args, " ")
		o := runCommand(t, append([]string{name, web.URL + "/mcp"}, strings.Fields(rest)...)...)
		web.Close()
		o.stderr = strings.ReplaceAll(o.stderr, web.URL, "http://HOST")
		o.stderr = said.ReplaceAllString(o.stderr, "$1 …") // which others have tests for
		add(test.what, strings.TrimSpace(name+" http://HOST/mcp "+rest), o)
	}
	golden(t, "failures.txt", text)
}

// status is a server with always the same answer.
func status(code int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	})
}
