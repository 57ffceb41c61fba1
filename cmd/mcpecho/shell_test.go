package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// runScript runs a script with the echo server.
func runScript(t testing.TB, script string, flags ...string) result {
	t.Helper()
	return runCommandWithInput(t, script, append(append([]string{"shell"}, flags...), "--", "mcpecho", "serve")...)
}

func TestScript(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		script         string
		status         int
		stdout, stderr string
	}{
		{"", 0, "", ""},
		{"# nothing\n\n", 0, "", ""},
		{"call echo message=hi\ncall add a=1 b=2", 0, "hi\n3\n", ""},
		{"call add {\n  \"a\": 1,\n  \"b\": 2\n}\ncall echo 'message=a b'", 0, "3\na b\n", ""},
		{"call add a=1 b=2 --json\n", 0, "", ""},
		{"tools/call echo message=hi\nexit\ncall echo message=no", 0, "hi\n", ""},
		{"watch echo://text\ncall update\nwait 30s\nunwatch\n", 0, "updated echo://text\nUpdated.\n", ""},
		{"prompt review language=go --json\nexit", 0, "", ""},
		{"call fail\ncall echo message=on", 5, "This tool always fails.\non\n", "mcpecho: the tool \"fail\" failed\n"},
		{"cal echo\n", 1, "", "mcpecho: unknown command \"cal\" (did you mean \"call\""},
		{"call\n", 1, "", "mcpecho: call needs TOOL; usage: call TOOL"},
		{"ping x\n", 1, "", "too many arguments"},
		{"call ech message=hi\n", 5, "", "type: call echo message=hi"},
		{"call add a=1\n", 1, "", "the tool \"add\" requires b"},
		{"serve\n", 1, "", "serve does not work in the shell"},
		{"tools -H 'A: b'\n", 1, "", "--header must be on the command line that starts the shell"},
		{"call echo 'message=hi\n", 1, "", "line 1: a quote or a JSON value is not closed"},
		{"--json\n", 1, "", "a command is missing"},
		{"wait 1ms\n", 4, "", "no notification within 1ms"},
		{"wait x\n", 1, "", "must be a duration"},
		{"call slow seconds=60 --timeout 10ms\n", 4, "", "timeout"},
	} {
		o := runScript(t, test.script)
		if strings.HasPrefix(test.script, "prompt") || strings.HasPrefix(test.script, "watch") {
			o.stdout = strings.ReplaceAll(strings.ReplaceAll(o.stdout, "changed resources\n", ""), "changed prompts\n", "")
		}
		if test.stdout == "updated echo://text\nUpdated.\n" && o.stdout == "Updated.\nupdated echo://text\n" {
			o.stdout = test.stdout // in either order
		}
		if o.status != test.status || test.stdout != "" && o.stdout != test.stdout || !strings.Contains(o.stderr, test.stderr) {
			t.Errorf("%q: %+v\nwant status %d, %q, %q", test.script, o, test.status, test.stdout, test.stderr)
		}
	}
}

// With watch --json, notifications are those of the protocol, one a line.
func TestWatchInTheShellAsJSON(t *testing.T) {
	t.Parallel()
	const update = `{"method":"notifications/resources/updated","params":{"uri":"echo://text"}}` + "\n"
	for _, args := range [][]string{{"--protocol", "2025-11-25"}, nil} {
		o := runCommandWithInput(t, "watch echo://text --json\ncall update\nwait 30s\nunwatch\ncall add_tool\nwait 30s\n",
			append(append([]string{"shell"}, args...), "--", "mcpecho", "serve")...)
		if o.status != 0 || !strings.Contains(o.stdout, update) || strings.Contains(o.stdout, "updated echo") || !strings.Contains(o.stdout, "changed tools\n") {
			t.Errorf("%+v", o)
		}
	}
	o := runScript(t, "watch --json\ncall log\nwait 30s\n", "--protocol", "2025-11-25")
	if o.status != 0 || !strings.Contains(o.stdout, `{"method":"notifications/message","params":{"level":"debug",`) {
		t.Errorf("no log: %+v", o)
	}
}

func TestScriptStopsOnError(t *testing.T) {
	t.Parallel()
	o := runScript(t, "call fail\ncall echo message=on", "--stop-on-error")
	if o.status != failure.Refused || strings.Contains(o.stdout, "on") {
		t.Errorf("%+v", o)
	}
}

// TestEveryCommandWorksInTheShell runs the examples of all commands, without their
// targets.
func TestEveryCommandWorksInTheShell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := ""
	for _, c := range shellCommands() {
		if c.target && !c.web || c.name == "version" || c.name == "help" {
			for _, line := range c.example {
				line, _ = strings.CutSuffix(strings.ReplaceAll(line, "pixel.png", filepath.ToSlash(filepath.Join(dir, "pixel.png"))), " -- mcpecho serve")
				if !strings.Contains(line, "http") && !strings.Contains(line, "--") && !strings.Contains(line, "weather") {
					script += line + "\n"
				}
			}
			script += "help " + c.name + "\n"
		}
	}
	script += "servers\nhelp\nhelp call\ncall --help\ntools\nresources\ntemplates\nprompts\ninfo\nping\nwatch\n"
	if strings.Count(script, "\n") < 30 {
		t.Fatalf("few commands: %s", script)
	}
	if o := runScript(t, script); o.status != 0 {
		t.Errorf("%+v\nof the script\n%s", o, script)
	}
	if o := runScript(t, "bogus --help\nhelp bogus"); o.status != 1 || strings.Count(o.stderr, "unknown command") != 2 {
		t.Errorf("%+v", o)
	}
}

func TestShellKeepsTheSession(t *testing.T) {
	t.Parallel()
	// The tool exists only in the session that added it.
	o := runScript(t, "call add_tool\nwait 30s\ntools --json\ncall echo message=hi")
	if o.status != 0 || !strings.Contains(o.stdout, "changed tools\n") {
		t.Errorf("%+v", o)
	}
}

// A script skips the commands after a crash until restart.
func TestScriptSurvivesACrash(t *testing.T) {
	t.Parallel()
	server, env := childserver.Command(&testserver.Options{Fault: "dies-mid-call"})
	script := func(script string, args ...string) result {
		args = append([]string{"shell"}, args...)
		for _, e := range env {
			args = append(args, "--env", e)
		}
		return runCommandWithInput(t, script, append(append(args, "--"), server...)...)
	}
	o := script("call echo message=hi\ncall echo message=again\nping\n")
	if o.status != failure.Unreachable || strings.Count(o.stderr, "mcpecho: ") != 1 || !strings.Contains(o.stderr, "Skipped 2 commands, as the server had ended") || o.stdout != "" {
		t.Errorf("%+v", o)
	}
	o = script("call echo message=hi\nping\nhelp restart\nrestart\nping\nexit\nping")
	if o.status != failure.Unreachable || strings.Count(o.stderr, "Skipped 1 command,") != 1 || strings.Count(o.stdout, "responded") != 1 {
		t.Errorf("%+v", o)
	}
	o = script("call echo message=hi\nrestart\nping\n", "--stop-on-error")
	if o.status != failure.Unreachable || o.stdout != "" || strings.Contains(o.stderr, "again") {
		t.Errorf("%+v", o)
	}
}

func TestShellErrorsOfTheCommandLine(t *testing.T) {
	t.Parallel()
	runCommandWithInput(t, "tools\n", "shell").want(t, failure.Usage, "", "the server is missing")
	runCommandWithInput(t, "tools\n", "shell", "no-such-server").want(t, failure.Usage, "", "no server is configured")
	runCommandWithInput(t, "tools\n", "shell", "--", "mcpecho-no-such-program").want(t, failure.Unreachable, "", "the program was not found")
}

// newShell returns a shell that is connected to the echo server.
func newShell(t testing.TB, args ...string) *shell {
	t.Helper()
	e := &environment{stdin: strings.NewReader(""), stdout: &strings.Builder{}, stderr: &strings.Builder{},
		getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho"}
	c, err := parse(e, serverArgs(t, append(append([]string{"shell"}, args...), "--", "mcpecho", "serve")))
	if err != nil {
		t.Fatal(err)
	}
	sh := &shell{c: c, lists: make(map[string]*listCache), ended: make(map[*conversation]bool), ctx: t.Context(), console: &terminal.Console{Out: e.stderr}}
	sh.notices = terminal.NewNotices(func(string) {})
	c.shell = sh
	if err := sh.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sh.close)
	return sh
}

func TestCompletionInTheShell(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one file", "two"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	sh := newShell(t)
	for _, test := range []struct{ line, want string }{
		{"", "call"},
		{"ca", "call"},
		{"call ec", "echo"},
		{"tools/call ec", "echo"},
		{"call echo ", "message="},
		{"call add ", "a= b="},
		{"call add a=1 ", "b="},
		{"call add a=1 b=2 ", "<The tool has no further arguments.>"},
		{"call nosuch ", "<the server has no tool"},
		{"call echo message=@", "'message=@one file' message=@two"},
		{"call echo --j", "--json"},
		{"call echo --trace", ""},
		{"call image -o t", "two"},
		{"info ad", "add add_tool"},
		{"read echo://te", "echo://text"},
		{"read echo://greet", "echo://greeting/"},
		{"read echo://greeting/A", "echo://greeting/Ada echo://greeting/Alan"},
		{"prompt rev", "review"},
		{"prompt review ", "language="},
		{"prompt review language=g", "language=go"},
		{"complete ", "prompt resource"},
		{"complete prompt rev", "review"},
		{"complete prompt review ", "language"},
		{"complete resource ", "echo://greeting/{name}"},
		{"complete resource echo://greeting/{name} ", "name"},
		{"help ca", "call"},
		{"tools\ncal", "call"},
		{"call echo {\"message\": \"x\n", ""},
		{"nosuch a", ""},
		{"exi", "exit"},
	} {
		c := sh.complete(test.line)
		texts := []string{}
		for _, candidate := range c.Candidates {
			texts = append(texts, candidate.Text)
		}
		have := strings.Join(texts, " ")
		if len(texts) == 0 && c.Note != "" {
			have = "<" + c.Note + ">"
		}
		if test.line == "" && len(texts) > 15 || strings.HasSuffix(test.want, "tool") {
			have = have[:min(len(have), len(test.want))]
		}
		if test.line == "" {
			test.want = have
		}
		if have != test.want {
			t.Errorf("%q: %s, want %s", test.line, have, test.want)
		}
	}
}

func TestCompletionOfEnums(t *testing.T) {
	t.Parallel()
	s := toolargs.ParseSchema([]byte(`{"properties":{"color":{"enum":["red","dark green"]},"on":{"type":"boolean"},"n":{"enum":[1,2]},"\u001b[2J":{}}}`))
	for line, want := range map[string]string{
		"color=": "color=red 'color=dark green'", "color=r": "color=red", "on=": "on=false on=true", "n:=": "n:=1 n:=2",
		`color:="r`: `'color:="red"'`, "other=": "",
	} {
		c := &completer{typed: line}
		key, value, _ := strings.Cut(line, "=")
		c.value(s, key, value)
		have := []string{}
		for _, candidate := range c.all {
			have = append(have, candidate.Text)
		}
		if strings.Join(have, " ") != want {
			t.Errorf("%s: %s, want %s", line, strings.Join(have, " "), want)
		}
	}
	hostile := &completer{}
	hostile.add("\x1b[2J\u202ename=", true)
	if have := hostile.all[0].Text; have != `"\u001b[2J\u202ename="` {
		t.Errorf("a hostile name becomes %s", have)
	}
}

func TestHistoryIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	getenv := func(name string) string {
		if name == "XDG_STATE_HOME" {
			return dir
		}
		return ""
	}
	c := &invocation{environment: &environment{getenv: getenv}, target: "x"}
	c.flags.Env = []string{"API_KEY=hunter2hunter2"}
	sh := &shell{c: c, ctx: t.Context(), history: state.NewHistory("x", getenv)}
	if have := sh.openHistory().Path; have != sh.history.Path {
		t.Errorf("the history is in %s, not %s", have, sh.history.Path)
	}
	for _, line := range []string{
		"call echo message=hi", "call add {\n\"a\": 1}", " call echo message=blank", `call echo C:\new`,
		"call login password=secret1", `call login {"password": "secret2"}`, "call echo message=hunter2hunter2",
		"call echo 'authorization=Bearer secret3'", `call echo message='{"token": "secret4"}'`, "call echo {\"a\": ",
		"call f token:=\"secret5\"", "call echo message='Bearer secret6'",
	} {
		sh.record(line)
	}
	again := state.NewHistory("x", getenv)
	if have := fmt.Sprintf("%q", again.Lines()); have != `["call echo message=hi" "call add {\n\"a\": 1}" "call echo C:\\new"]` {
		t.Errorf("the file has %s", have)
	}
	if n := len(sh.history.Lines()); n != 11 {
		t.Errorf("%d lines in memory", n)
	}
	if other := state.NewHistory("y", getenv); len(other.Lines()) > 0 {
		t.Errorf("another server has the history %q", other.Lines())
	}
	testutil.CheckPrivate(t, again.Path)
	c.flags.NoState = true
	if have := sh.openHistory().Lines(); len(have) > 0 {
		t.Errorf("%q with --no-state", have)
	}
}

func TestReadCommandOfManyLines(t *testing.T) {
	t.Parallel()
	in := bufio.NewReader(strings.NewReader("a {\n1\n}\nb"))
	text, lines, err := readCommand(t.Context(), in)
	if text != "a {\n1\n}\n" || lines != 3 || err != nil {
		t.Errorf("%q, %d, %v", text, lines, err)
	}
}

// BenchmarkShellCall measures a small call on a connection that is open, from the
// line to the printed result.
func BenchmarkShellCall(b *testing.B) {
	sh := newShell(b)
	commands, _ := shellwords.Split("call echo message=hi")
	for b.Loop() {
		if status, err := sh.run(b.Context(), commands[0]); status != 0 || err != nil {
			b.Fatal(status, err)
		}
	}
}

func TestNoticesAndProgressDoNotShareALine(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	c := &invocation{environment: &environment{stderr: &shown, getenv: os.Getenv}}
	sh := &shell{c: c, editor: new(lineedit.Editor), console: &terminal.Console{Out: &shown}}
	sh.console.Show("slow, 5s")
	sh.printNotice("changed tools")
	if bar, rest, ok := strings.Cut(shown.String(), terminal.ClearLine+"slow, 5s"+terminal.ClearLine); bar != "" || !ok || !strings.HasSuffix(rest, " changed tools\nslow, 5s") {
		t.Errorf("%q", shown.String())
	}
	shown.Reset()
	sh.console.Pause() // for a question
	sh.printNotice("changed prompts")
	if strings.Contains(shown.String(), "prompts") {
		t.Errorf("%q", shown.String())
	}
}

func TestHelpOfWatchInTheShell(t *testing.T) {
	t.Parallel()
	o := runCommandWithInput(t, "help watch\nhelp\n", "shell", "--", "mcpecho", "serve")
	if o.status != 0 || !strings.Contains(o.stdout, "Returns at once.") || strings.Contains(o.stdout, "until interrupted") {
		t.Errorf("%+v", o)
	}
}

// Each command has a result in a shell, or an error with its status.
func TestNoCommandIsIgnoredInAShell(t *testing.T) {
	t.Parallel()
	samples := map[string]string{"call": "echo message=hi", "read": "echo://text", "prompt": "review language=go", "complete": "prompt review language g", "raw": "tools/list", "view": "session.rec", "search": "weather forecast"}
	for _, cmd := range commands() {
		if cmd.name == "watch" {
			continue // watch prints later events
		}
		line := cmd.name + " " + samples[cmd.name]
		o := runCommandWithInput(t, line+"\n", "shell", "--no-state", "--", "mcpecho", "serve")
		if o.stdout+o.stderr == "" {
			t.Errorf("%s: nothing is printed, status %d", line, o.status)
		}
		if slices.Contains(outsideOfShell, cmd.name) != strings.Contains(o.stderr, "does not work in the shell") || strings.Contains(o.stderr, "mcpecho: ") != (o.status != 0) {
			t.Errorf("%s: %+v", line, o)
		}
	}
}

// The shell has its server already, as its suggestions know.
func TestSuggestionsInAShell(t *testing.T) {
	if !apart(t) {
		return
	}
	folder := newFolder(t)
	random := rand.New(rand.NewPCG(2, 0))
	lines := []string{"call echo x=1 -- mcpecho serve", "tools -- node srv.js", "-- node", "call echo hi -- --json"}
	for range 60 {
		line := make([]string, 1+random.IntN(5))
		for i := range line {
			line[i] = fuzzWords[random.IntN(len(fuzzWords))]
		}
		lines = append(lines, strings.Join(line, " "))
	}
	for _, line := range lines {
		if slices.ContainsFunc(words(t, line), func(word string) bool { return slices.Contains([]string{"ui", "--watch", "--follow", "watch"}, word) }) {
			continue
		}
		seen := []string{line}
		for len(seen) > 0 {
			o := runCommandWithInput(t, folder.here.Replace(seen[len(seen)-1])+"\n", "shell", "web", "--no-state")
			next := suggestion(o.stderr)
			if o.status == 0 || next == "" {
				break
			}
			if slices.Contains(seen, next) || len(seen) > 5 {
				t.Errorf("%s\nis led from line to line: %q", line, append(seen, next))
				break
			}
			seen = append(seen, next)
		}
	}
}

// TestNamesThatWouldBeFlags: a server cannot make a completion a flag, such as one that
// writes a file.
func TestNamesThatWouldBeFlags(t *testing.T) {
	c := new(completer)
	c.add("--output=x", false)
	if len(c.all) > 0 {
		t.Error(c.all)
	}
}
