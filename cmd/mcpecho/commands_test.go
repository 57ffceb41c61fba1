package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
)

func TestCallPrintsTextAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"call", "echo", "message=hi"},
		{"call", "--timeout=50s", "echo", "--connect-timeout", "50s", "message=hi"},
		{"--timeout", "50", "tools/call", "echo", `{"message":"hi"}`},
		{"call-tool", "-q", "echo", `message:="hi"`},
		{"call", "-v", "--no-color", "echo", "message=hi"},
	} {
		runWithServer(t, args...).want(t, 0, "hi\n", "")
	}
	runWithServer(t, "call", "add", "a=2", "b=40").want(t, 0, "42\n", "")
	runWithServer(t, "call", "echo", "message=000123").want(t, 0, "000123\n", "")
	runWithServer(t, "call", "echo", "message=").want(t, 0, "", "")
	runWithServer(t, "call", "fail").want(t, failure.Refused, "This tool always fails.\n", `the tool "fail" failed`)
	runCommandWithInput(t, `{"message":"from a pipe"}`, "call", "echo", "-", "--", "mcpecho", "serve").want(t, 0, "from a pipe\n", "")
}

func TestEveryCommandWithEveryProtocolVersion(t *testing.T) {
	t.Parallel()
	for _, version := range mcp.ProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			for _, line := range []string{"tools", "resources", "templates", "prompts", "info", "info add", "call echo message=hi",
				"read echo://text", "prompt review language=go", "ping"} {
				args := append(strings.Fields(line), "--protocol", version)
				for _, args := range [][]string{args, append(args, "--json")} {
					o := runCommand(t, append(args, "--", "mcpecho", "serve", "--protocol", version)...)
					if o.status != 0 || o.stdout == "" || o.stderr != "" {
						t.Errorf("%v: %+v", args, o)
					}
				}
			}
		})
	}
}

func TestInfoPrintsProtocolVersion(t *testing.T) {
	t.Parallel()
	for _, version := range mcp.ProtocolVersions() {
		o := runCommand(t, "info", "--", "mcpecho", "serve", "--protocol", version)
		if o.status != 0 || !strings.Contains(o.stdout, version) {
			t.Errorf("%s: %+v", version, o)
		}
	}
}

// recordedResults returns the results that the server has sent in a recording.
func recordedResults(t *testing.T, file string) (results []string) {
	t.Helper()
	f, err := os.Open(file)
	testutil.Must(t, err)
	defer f.Close()
	entries, err := recording.Read(f)
	testutil.Must(t, err)
	for _, e := range entries {
		if e.Message.Result != nil && !e.Sent {
			results = append(results, string(e.Message.Result))
		}
	}
	return results
}

func TestJSONIsWhatTheServerSent(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"tools", "resources", "templates", "prompts"} {
		trace := filepath.Join(t.TempDir(), "trace")
		o := runWithServer(t, list, "--json", "--trace", trace)
		results := recordedResults(t, trace)
		o.want(t, 0, results[len(results)-1]+"\n", "")
	}
}

func TestPagesAreJoined(t *testing.T) {
	t.Parallel()
	whole := runWithFault(t, &testserver.Options{}, "tools", "--json")
	paged := runWithFault(t, &testserver.Options{PageSize: 3}, "tools", "--json")
	if whole.status != 0 || paged.status != 0 {
		t.Fatalf("%+v\n%+v", whole, paged)
	}
	var a, b map[string]json.RawMessage
	if err := json.Unmarshal([]byte(whole.stdout), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(paged.stdout), &b); err != nil {
		t.Fatal(err)
	}
	if len(a) != len(b) {
		t.Errorf("members of the whole: %v\nof the pages: %v", a, b)
	}
	for key := range a {
		if string(a[key]) != string(b[key]) {
			t.Errorf("%s of the whole: %s\nof the pages: %s", key, a[key], b[key])
		}
	}
	text := runWithFault(t, &testserver.Options{PageSize: 1}, "tools")
	if text.stdout != runWithFault(t, &testserver.Options{}, "tools").stdout {
		t.Errorf("plain list in pages: %s", text.stdout)
	}
}

func TestListForAProgramHasALineForEachItem(t *testing.T) {
	t.Parallel()
	o := runWithServer(t, "tools")
	if o.status != 0 || !strings.HasPrefix(o.stdout, "echo\tReturns the message it is given.\nadd\tAdds two numbers.\n") {
		t.Errorf("%+v", o)
	}
	o = runWithServer(t, "resources")
	if o.status != 0 || !strings.HasPrefix(o.stdout, "echo://text\t") {
		t.Errorf("%+v", o)
	}
}

// A copy of a picture in the structured content is not printed beside the file of -o.
func TestStructuredCopyOfPicture(t *testing.T) {
	t.Parallel()
	var out, stderr strings.Builder
	c := &invocation{environment: &environment{stdout: &out, stderr: &stderr, getenv: func(string) string { return "" }}, sent: new(recording.Secrets)}
	c.flags.Output = filepath.Join(t.TempDir(), "n.png")
	file, err := os.Create(c.flags.Output)
	testutil.Must(t, err)
	defer file.Close()
	c.output = &output{file: file}
	res := &mcp.CallToolResult{Content: []mcp.Content{{Type: mcp.ContentImage, Data: "aGk=", MIMEType: "image/png"}}, StructuredContent: json.RawMessage(`{"data":"aGk="}`)}
	testutil.Must(t, c.printCall(&conversation{console: c.console()}, res))
	if out.String() != "" || !strings.HasSuffix(stderr.String(), "n.png: image/png, 2 bytes.\n") {
		t.Errorf("%q, %q", out.String(), stderr.String())
	}
	res.StructuredContent = json.RawMessage(`{"width":1}`)
	testutil.Must(t, c.printCall(&conversation{console: c.console()}, res))
	if out.String() != "{\n  \"width\": 1\n}\n" {
		t.Errorf("%q", out.String())
	}
}

func TestStructuredContentWithoutTextIsIndented(t *testing.T) {
	t.Parallel()
	res := &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"b":1.50,"a":[]}`)}
	got := capturePrint(t, func(c *invocation) error { return c.printCall(nil, res) })
	if want := "{\n  \"b\": 1.50,\n  \"a\": []\n}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// capturePrint returns what f prints to a pipe.
func capturePrint(t *testing.T, f func(*invocation) error) string {
	t.Helper()
	var b strings.Builder
	if err := f(&invocation{environment: &environment{stdout: &b, getenv: os.Getenv}}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBinaryGoesToFilesAndPipes(t *testing.T) {
	t.Parallel()
	picture := runWithServer(t, "read", "echo://picture")
	if picture.status != 0 || !strings.HasPrefix(picture.stdout, "\x89PNG") {
		t.Fatalf("%+v", picture)
	}
	runWithServer(t, "call", "image").want(t, 0, picture.stdout, "")

	file := filepath.Join(t.TempDir(), "pixel.png")
	for _, args := range [][]string{{"read", "echo://picture", "-o", file}, {"call", "image", "--output=" + file}} {
		runWithServer(t, args...).want(t, 0, "", "Wrote "+file+": image/png, 70 bytes.")
		if data, err := os.ReadFile(file); err != nil || string(data) != picture.stdout {
			t.Errorf("%v: wrote %q, %v", args, data, err)
		}
	}
	runWithServer(t, "call", "image", "-q", "-o", file).want(t, 0, "", "")
}

func TestTextBesideBinary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "part.bin")
	without := runWithServer(t, "call", "everything")
	if without.status != 0 || !strings.HasPrefix(without.stdout, "A text") ||
		!strings.Contains(without.stderr, "Not shown: image/png, 70 bytes; audio/wav, 44 bytes") {
		t.Errorf("%+v", without)
	}
	if with := runWithServer(t, "call", "everything", "-o", file); with.status != 0 || with.stdout != without.stdout {
		t.Errorf("%+v", with)
	}
	for _, name := range []string{"part.bin", "part-2.bin", "part-3.bin"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestOutputFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "result")
	for _, test := range []struct{ line, want string }{
		{"call echo message=hi", "hi\n"},
		{"read echo://text", runWithServer(t, "read", "echo://text").stdout},
		{"tools --json", runWithServer(t, "tools", "--json").stdout},
	} {
		runWithServer(t, append(strings.Fields(test.line), "-o", file)...).want(t, 0, "", "")
		if data, err := os.ReadFile(file); err != nil || string(data) != test.want {
			t.Errorf("%s: wrote %q, %v", test.line, data, err)
		}
	}
	runWithServer(t, "tools", "-o", filepath.Join(file, "no", "folder")).want(t, failure.Usage, "", native(t, "not a directory"))
}

func TestReadPrintsTextUnchanged(t *testing.T) {
	t.Parallel()
	runWithServer(t, "read", "echo://greeting/Ada").want(t, 0, "Hello, Ada!", "")
}

func TestServerEnvironmentAndDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MCPECHO_TEST_OUTER", "1")
	o := runWithFault(t, nil, "call", "process", "--cwd", dir, "-e", "MCPECHO_TEST_INNER=1")
	if !strings.Contains(o.stdout, strings.ReplaceAll(dir, `\`, `\\`)) || !strings.Contains(o.stdout, "MCPECHO_TEST_INNER") || strings.Contains(o.stdout, "MCPECHO_TEST_OUTER") {
		t.Errorf("%+v", o)
	}
	if o := runWithFault(t, nil, "call", "process", "-e", "MCPECHO_TEST_OUTER"); !strings.Contains(o.stdout, "MCPECHO_TEST_OUTER") {
		t.Errorf("%+v", o)
	}
	if o := runWithFault(t, nil, "call", "process", "--inherit-env"); !strings.Contains(o.stdout, "MCPECHO_TEST_OUTER") {
		t.Errorf("%+v", o)
	}
	runWithServer(t, "ping", "--cwd", filepath.Join(dir, "none")).want(t, failure.Usage, "", "none")
}

func TestVerboseShowsLogsAndStandardError(t *testing.T) {
	t.Parallel()
	o := runWithFault(t, nil, "call", "log", "-v")
	if o.status != 0 || o.stdout != "Logged.\n" || !strings.Contains(o.stderr, "debug echo: ") {
		t.Errorf("%+v", o)
	}
	if quiet := runWithFault(t, nil, "call", "log"); quiet.stderr != "" {
		t.Errorf("%+v", quiet)
	}
	o = runWithFault(t, &testserver.Options{Fault: "floods-stderr", Size: 100}, "call", "echo", "message=hi", "-v")
	if o.status != 0 || !strings.Contains(o.stderr, "server: ") {
		t.Errorf("%+v", o)
	}
}

func TestTour(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	o := runCommand(t, "--trace", trace)
	if o.status != 0 || o.stderr != "" {
		t.Fatalf("%+v", o)
	}
	for _, want := range []string{"protocol 2026-07-28", "\n  over stdio       2025-11-25", "\n  Streamable HTTP  2026-07-28",
		"\n  Streamable HTTP  2025-11-25", "\n  HTTP+SSE         2024-11-05", "Hello, MCP!", `{"sum":42}`, "step 3 of 3", "Everything worked"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("the tour doesn't say %q:\n%s", want, o.stdout)
		}
	}
	if n := strings.Count(o.stdout, "\n"); n > 24 {
		t.Errorf("the tour is %d lines, and a screen 24", n)
	}
	for line := range strings.Lines(o.stdout) {
		if terminal.TextWidth(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	if n := len(recordedResults(t, trace)); n < 35 {
		t.Errorf("%d results in the recording of the tour", n)
	}
	data, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"server/discover", `"initialize"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the tour sends no %s", want)
		}
	}
}

// TestTourFitsANarrowTerminal: it breaks lines between words.
func TestTourFitsANarrowTerminal(t *testing.T) {
	t.Parallel()
	for _, step := range append(tourSteps("0.3"), step{what: "protocol 2026-07-28"}) {
		text := stepText(step.what, "an outcome of several words, which a narrow terminal has no room for", 60)
		for line := range strings.Lines(strings.Repeat(" ", stepColumn) + text) {
			if terminal.TextWidth(strings.TrimRight(line, "\n")) > 60 || !strings.Contains(strings.Join(strings.Fields(text), " "), "→ an outcome of several words, which a narrow terminal has no room for") && step.what != "" {
				t.Errorf("%q", text)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	o := runCommand(t, "version")
	if o.status != 0 || !strings.HasPrefix(o.stdout, "mcpecho "+mcp.Version+" ") || !strings.Contains(o.stdout, "2024-11-05") {
		t.Errorf("%+v", o)
	}
}

// TestCallWaitsForTask, in both eras.
func TestCallWaitsForTask(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		runWithFault(t, &testserver.Options{Tasks: true, ProtocolVersions: []string{version}},
			"call", "research", "topic=frogs", "step_ms=10", "poll_ms=100").want(t, 0, "A report on frogs.\n", "")
	}
}
