package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// A heldServer is a running "mcpecho hold".
type heldServer struct {
	stdout, stderr *transcript
	end            context.CancelFunc
	ended          chan int // the exit status
}

// holdServer runs "mcpecho hold" until the test or end ends it.
func holdServer(t *testing.T, args ...string) *heldServer {
	t.Helper()
	if runtime.GOOS == "plan9" || runtime.GOOS == "wasip1" || runtime.GOOS == "js" {
		t.Skip("this system has no Unix sockets between processes")
	}
	h := &heldServer{stdout: newTranscript(), stderr: newTranscript(), ended: make(chan int, 1)}
	var ctx context.Context
	ctx, h.end = context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // ends with ctx, or the server
		defer close(done)
		defer close(h.stdout.done)
		defer close(h.stderr.done)
		h.ended <- run(ctx, serverArgs(t, append([]string{"hold"}, args...)), &environment{stdin: strings.NewReader(""), stdout: h.stdout, stderr: h.stderr, getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho"})
	}()
	t.Cleanup(func() {
		h.end()
		<-done
	})
	return h
}

// begun waits until the session has begun.
func (h *heldServer) begun(t *testing.T) *heldServer {
	t.Helper()
	h.stdout.until(t, "@")
	return h
}

// TestSessionIsLikeTheServer runs each command with a server, and with a session.
func TestSessionIsLikeTheServer(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		name := "like-" + version
		holdServer(t, name, "--", "mcpecho", "serve", "--protocol", version).begun(t)
		picture := filepath.Join(t.TempDir(), "picture")
		for _, line := range []string{
			"watch echo://text --json", // before there are logs, which the session keeps
			"tools", "tools --json", "templates", "skills check", "skills read greet", "info --json", "info echo --json",
			"call echo message=hi", "call echo message=hi --json", "call echo", "call fail", "call fail --json", "call nothing", "call nothing {} --json",
			"call everything", "call log -v", "call image", "call image -o " + picture, "call big bytes=100000",
			"read echo://text", "read echo://nothing", "prompt review language=go", "complete prompt review language g",
			"raw tools/list", "raw tools/list {}", "raw nothing", "raw notifications/nothing", "raw tool/list", "task get nothing",
		} {
			words := strings.Fields(line)
			one := func(args []string) result {
				if words[0] != "watch" {
					return runCommand(t, args...)
				}
				stdout, stderr, end := startWatch(t, args[1:]...)
				stderr.until(t, "Watching")
				return result{end(), stdout.String(), stderr.String()}
			}
			direct := one(append(append([]string{}, words...), "--", "mcpecho", "serve", "--protocol", version))
			held := one(append([]string{words[0], "@" + name}, words[1:]...))
			if words[0] == "skills" || words[0] == "task" {
				held = one(append(append([]string{}, words...), "@"+name))
			}
			if words[0] == "skills" && len(words) > 2 {
				held = one([]string{"skills", "read", "@" + name, words[2]})
			} else if words[0] == "task" && len(words) > 2 {
				held = one([]string{"task", "get", "@" + name, words[2]})
			}
			// What to type names the session.
			hide := func(s string) string {
				s, _, _ = strings.Cut(s, "for a list, type")
				s, _, _ = strings.Cut(s, "type: ")
				s = strings.ReplaceAll(s, "some servers offer tools only with --sampling or --root; ", "")
				return strings.ReplaceAll(s, mcpechoPath(t)+" serve --protocol "+version, "@"+name)
			}
			if held.status != direct.status || held.stdout != direct.stdout || strings.TrimSpace(hide(held.stderr)) != strings.TrimSpace(hide(direct.stderr)) {
				t.Errorf("%s, %s:\nheld:   %d %.600q\n%q\ndirect: %d %.600q\n%q", version, line, held.status, held.stdout, held.stderr, direct.status, direct.stdout, direct.stderr)
			}
		}
	}
}

// TestSessionKeepsState: what one caller has done, another one sees.
func TestSessionKeepsState(t *testing.T) {
	t.Parallel()
	holdServer(t, "state", "--", "mcpecho", "serve").begun(t)
	runCommand(t, "call", "@state", "add_tool").want(t, failure.Done, "Added tool_001.\n", "")
	runCommand(t, "call", "@state/add_tool").want(t, failure.Done, "Added tool_002.\n", "")
	if r := runCommand(t, "tools", "@state"); !strings.Contains(r.stdout, "tool_002") {
		t.Errorf("%+v", r)
	}
	if r := runCommandWithInput(t, "call add_tool\ntools\n", "shell", "@state"); !strings.Contains(r.stdout, "Added tool_003.\n") || r.status != 0 {
		t.Errorf("%+v", r)
	}
	runCommand(t, "completion", "tools", "@state").want(t, failure.Done, runCommand(t, "tools", "@state", "-q").firstColumn(), "")
	if r := runCommand(t, "servers"); !strings.Contains(r.stdout, "@state\theld: ") || !strings.Contains(r.stdout, "mcpecho serve, 2026-07-28, process "+strconv.Itoa(os.Getpid())+"\n") {
		t.Errorf("%+v", r)
	}
	if r := runCommand(t, "servers", "--json"); !strings.Contains(r.stdout, `{"name":"state","pid":`+strconv.Itoa(os.Getpid())+`,"protocolVersion":"2026-07-28","server":"`) {
		t.Errorf("%+v", r)
	}
	if r := runCommand(t, "call", "@state", "ask_sampling"); !strings.Contains(r.stderr, "add --sampling COMMAND to the command that holds @state, which reads") {
		t.Errorf("%+v", r)
	}
	for command, want := range map[string]bool{"tools": true, "run": true, "check": false, "release": false} {
		if r := runCommand(t, "completion", "servers", command); strings.Contains(r.stdout, "@state\n") != want || strings.Contains("\n"+r.stdout, "\nstate\n") != (command == "release") {
			t.Errorf("%s: %+v", command, r)
		}
	}
}

func (r result) firstColumn() (text string) {
	for line := range strings.Lines(r.stdout) {
		name, _, _ := strings.Cut(line, "\t")
		text += name + "\n"
	}
	return text
}

// TestSessionUsage: what belongs to hold, or to a server of its own, is one sentence.
func TestSessionUsage(t *testing.T) {
	t.Parallel()
	holdServer(t, "usage", "--", "mcpecho", "serve").begun(t)
	for _, test := range []struct{ line, want string }{
		{"call @usage echo --sampling cat", "--sampling belongs to the command that holds the session"},
		{"call @usage echo --root .", "--root belongs to"},
		{"call @usage echo -H a:b", "-H belongs to"},
		{"tools @usage -e A=b", "-e belongs to"},
		{"tools @usage --protocol 2025-11-25", "--protocol belongs to"},
		{"tools @usage -t sse", "-t belongs to"},
		{"call @usage echo --answer accept", "--answer belongs to"},
		{"check @usage", "check needs a server of its own, not a session"},
		{"proxy @usage", "proxy needs a server of its own"},
		{"login @usage", "login needs a server of its own"},
		{"logout @usage", "logout needs a server of its own"},
		{"ui @usage", "ui needs a server of its own"},
		{"diff @usage @usage", "diff needs a server of its own"},
		{"hold other @usage", "hold needs a server of its own"},
		{"hold -- mcpecho serve", "hold needs a name for the session; usage: mcpecho hold "},
		{"hold Upper -- mcpecho serve", "hold needs a name of 1 to 32"},
		{"hold a http://localhost c", `hold does not accept "c"`},
		{"hold", "the server is missing"},
		{"hold usage -- mcpecho serve", "there is a session @usage already; use another name, or end it: mcpecho release usage"},
		{"release Upper", "release needs the name of a session"},
		{"@usage", "a command is missing before \"@usage\"; type: mcpecho tools @usage\n"},
		{"@usage tools", "type: mcpecho tools @usage\n"},
		{"@usage call echo message=a", "type: mcpecho call @usage echo message=a\n"},
		{"@nothing tools", `unknown command "@nothing"`},
		{"tools @Upper", "the name of a session has 1 to 32 of the characters"},
		{"tools @", "the name of a session has 1 to 32 of the characters"},
		{"tools @nothing", "there is no session @nothing in "},
		{"tools @nothing", "; there is @"},
		{"release nothing", "there is no session @nothing"},
		{"tools @-a", "the name of a session has 1 to 32 of the characters"},
		{"release nothing usage-2", "there is no session @nothing"},
		{"call usage echo message=a", "no server is configured as \"usage\"; type: mcpecho call @usage echo message=a\n"},
		{"tools @scope/package", `no server is configured as "@scope/package"`},
	} {
		if r := runCommand(t, strings.Fields(test.line)...); r.status != failure.Usage || r.stdout != "" || !strings.Contains(r.stderr, test.want) {
			t.Errorf("%s: %+v", test.line, r)
		}
	}
}

// TestSessionHintsNameTheProgram as the user has started it.
func TestSessionHintsNameTheProgram(t *testing.T) {
	t.Parallel()
	holdServer(t, "hints", "--", "mcpecho", "serve").begun(t)
	for line, want := range map[string]string{
		"tools @nothing":              `; "./other help hold" says how to begin one`,
		"call @hints echo -H a:b":     "begin the session again with it: ./other hold hints -H …",
		"hold hints -- mcpecho serve": "or end it: ./other release hints",
	} {
		var stdout, stderr strings.Builder
		run(t.Context(), serverArgs(t, strings.Fields(line)), &environment{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "./other"})
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: %s%s", line, stdout.String(), stderr.String())
		}
	}
}

// TestSessionAsks: the server's questions go to hold, and a caller's timeout is paused.
func TestSessionAsks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell with sleep")
	}
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			holdServer(t, "asks"+version, "--answer", "name=Ada", "--root", os.TempDir(), "--sampling", "sleep 3; echo yes", "--", "mcpecho", "serve", "--protocol", version).begun(t)
			for tool, want := range map[string]string{"ask_elicitation": "Ada", "ask_roots": "file://", "ask_sampling": "yes"} {
				args := []string{"call", "@asks" + version, tool}
				if tool == "ask_sampling" {
					args = append(args, "--timeout", "2500ms")
				}
				r := runCommand(t, args...)
				if r.status != 0 || !strings.Contains(r.stdout, want) || strings.Contains(r.stderr, "Answered a question") != (tool == "ask_elicitation") {
					t.Errorf("%s: %+v", tool, r)
				}
			}
		})
	}
}

// TestDeclinedQuestion: callers learn what hold cannot answer, and what would help.
func TestDeclinedQuestion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		h := holdServer(t, "declines", "--", "mcpecho", "serve", "--protocol", version).begun(t)
		runCommand(t, "call", "@declines", "ask_elicitation").want(t, failure.Done, "{\"action\":\"decline\"}\n", "Declined a question of the server, because hold has no terminal: What is your name?\nTo answer it in advance, add --answer FIELD=VALUE for each of name, age, subscribe, color to the command that holds the session.\n")
		h.end()
		<-h.ended
	}
}

// TestWrongAnswerOfHold: hold and callers say that its answer does not fit, and no call fails with it.
func TestWrongAnswerOfHold(t *testing.T) {
	t.Parallel()
	h := holdServer(t, "wrong", "--answer", "accept", "--", "mcpecho", "serve").begun(t)
	runCommand(t, "call", "@wrong", "ask_elicitation").want(t, failure.Done, "{\"action\":\"cancel\"}\n", "--answer does not fit the question")
	h.stderr.until(t, "--answer does not fit the question")
	if r := runCommand(t, "raw", "@wrong", "no/method"); r.status != failure.Refused || strings.Contains(r.stderr, "--answer") {
		t.Errorf("%+v", r)
	}
}

// TestSessionOfConfiguredServer: the entry decides which tools there are.
func TestSessionOfConfiguredServer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.json")
	text := `{"mcpServers": {"few": {"command": ` + strconv.Quote(mcpechoPath(t)) + `, "args": ["serve"], "env": {"GORACE": "atexit_sleep_ms=0"}, "excludeTools": ["fail"], "timeout": "4s"}}}`
	testutil.Must(t, os.WriteFile(file, []byte(text), 0o600))
	holdServer(t, "few", "-c", file).begun(t)
	if r := runCommand(t, "tools", "@few"); strings.Contains(r.stdout, "fail") || !strings.Contains(r.stdout, "echo") || !strings.Contains(r.stderr, "excludes 1 tool") {
		t.Errorf("%+v", r)
	}
	runCommand(t, "call", "@few", "fail", "{}").want(t, failure.Usage, "", `the tool "fail" is excluded by the entry of "few"`)
	runCommand(t, "raw", "@few", "tools/call", `{"name":"fail"}`).want(t, failure.Usage, "", `the tool "fail" is excluded by the entry of "few"`)
	var all sync.WaitGroup // most of them wait for the timeout
	for _, args := range [][]string{{"fail"}, {"fail", "-q"}, {"slow", "seconds=60"}, {"slow", "seconds=60", "--json"}} {
		all.Go(func() {
			var held result
			var both sync.WaitGroup
			both.Go(func() { held = runCommand(t, append([]string{"call", "@few"}, args...)...) })
			direct := runCommand(t, append([]string{"call", file + ":few"}, args...)...)
			both.Wait()
			if held.status != direct.status || held.stdout != direct.stdout || held.stderr != direct.stderr {
				t.Errorf("%s:\nheld:   %+v\ndirect: %+v", args, held, direct)
			}
		})
	}
	if r := runCommand(t, "call", "@few", "slow", "seconds=5", "--timeout", "30s"); r.status != failure.Done {
		t.Errorf("%+v", r)
	}
	all.Wait()
	holdServer(t, "second", file+":few").begun(t)
	runCommand(t, "call", "@second", "echo", "message=a", "--timeout", "30s").want(t, failure.Done, "a\n", "")
}

// TestWatchSession: what arrives while no caller watches is kept for the next watch, and the
// calls of others are seen.
func TestWatchSession(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		h := holdServer(t, "watched", "-v", "--", "mcpecho", "serve", "--protocol", version).begun(t)
		for range 3 {
			runCommand(t, "call", "@watched", "add_tool")
		}
		stdout, stderr, end := startWatch(t, "@watched", "echo://text")
		stdout.until(t, "changed tools\n")
		stderr.until(t, "logs")
		runCommand(t, "call", "@watched", "update")
		stdout.until(t, "updated echo://text\n")
		runCommand(t, "call", "@watched", "log")
		stdout.until(t, "log emergency echo")
		if o := runCommand(t, "call", "@watched", "log", "--log-level", "error"); !strings.Contains(o.stderr, "critical") || strings.Contains(o.stderr, "warning") {
			t.Errorf("beside a watch that wants all: %+v", o)
		}
		second, begun, endSecond := startWatch(t, "@watched")
		begun.until(t, "Press Ctrl-C")
		runCommand(t, "call", "@watched", "add_tool")
		second.until(t, "changed tools\n")
		if status := end(); status != failure.Interrupted || strings.Count(stdout.String(), "log emergency echo") != 2 {
			t.Errorf("status %d: %s", status, stdout)
		}
		endSecond()
		h.end()
		<-h.ended
	}
}

// TestBatchReachesNoCaller, as the client discards it.
func TestBatchReachesNoCaller(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	const server = `while read -r line; do
		id=${line#*'"id":'}; id=${id%%[,\}]*}
		case $line in
		*'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"logging":{}},"serverInfo":{"name":"a","version":"1"}}';;
		*) result={}
			echo '[[[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"batch"}}]]]'
			echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"alone"}}';;
		esac
		case $line in *'"id":'*) echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}';; esac
	done`
	holdServer(t, "batch", "-q", "--protocol", "2025-11-25", "--", "sh", "-c", server).begun(t)
	runCommand(t, "raw", "@batch", "ping").want(t, failure.Done, "{}\n", "")
	stdout, _, end := startWatch(t, "@batch")
	stdout.until(t, "alone")
	if end(); strings.Contains(stdout.String(), "batch") {
		t.Error(stdout)
	}
}

// TestWatchForAWhile: watch ends when the time is over, and its status says whether it printed
// anything.
func TestWatchForAWhile(t *testing.T) {
	t.Parallel()
	holdServer(t, "briefly", "--", "mcpecho", "serve").begun(t)
	runCommand(t, "watch", "@briefly", "--timeout", "1s").want(t, failure.Unreachable, "", "no notification within 1s")
	runCommand(t, "call", "@briefly", "add_tool")
	runCommand(t, "watch", "@briefly", "--timeout", "1s").want(t, failure.Done, "changed tools\n", "Watching @briefly: ")
}

// TestServerForgetsSession: the caller that finds it out, and one that watches, learn that state is lost.
func TestServerForgetsSession(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, &testserver.HTTPOptions{})
	holdServer(t, "forgotten", web.URL, "--protocol", "2025-11-25").begun(t)
	_, watched, _ := startWatch(t, "@forgotten")
	watched.until(t, "Press Ctrl-C")
	web.LoseSessions()
	const lost = "The server has forgotten the session, and what it kept for it: "
	runCommand(t, "call", "@forgotten", "echo", "message=a").want(t, failure.Done, "a\n", lost)
	watched.until(t, lost)
}

// TestServerDiesInSession: the call that is pending, hold and later callers learn why.
func TestServerDiesInSession(t *testing.T) {
	t.Parallel()
	server, env := childserver.Command(&testserver.Options{Fault: "dies-mid-call"})
	args := []string{"dead"}
	for _, e := range env {
		args = append(args, "--env", e)
	}
	h := holdServer(t, append(append(args, "--"), server...)...).begun(t)
	_, watched, endWatch := startWatch(t, "@dead")
	watched.until(t, "Watching")
	r := runCommand(t, "call", "@dead", "echo", "message=a", "--json")
	if r.status != failure.Unreachable || !strings.Contains(r.stderr, `"kind":"crashed"`) || !strings.Contains(r.stderr, "out of luck") {
		t.Errorf("the call: %+v", r)
	}
	if status := <-h.ended; status != failure.Unreachable || !strings.Contains(h.stderr.String(), "the server of @dead has ended: ") || !strings.Contains(h.stderr.String(), "out of luck") {
		t.Errorf("hold: %d %s", status, h.stderr)
	}
	watched.until(t, "out of luck")
	if status := endWatch(); status != failure.Unreachable || !strings.Contains(watched.String(), "@dead has ended: ") {
		t.Errorf("watch: %d %s", status, watched)
	}
	if r := runCommand(t, "call", "@dead", "echo"); r.status != failure.Unreachable || !strings.Contains(r.stderr, "the session @dead has ended: ") || !strings.Contains(r.stderr, "out of luck") {
		t.Errorf("later: %+v", r)
	}
	if r := runCommand(t, "release", "dead"); r.status != failure.Done {
		t.Errorf("release: %+v", r)
	}
	runCommand(t, "call", "@dead", "echo").want(t, failure.Usage, "", "there is no session @dead")
}

// TestCallersWaitForTheServer: also for one that does not start.
func TestCallersWaitForTheServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	h := holdServer(t, "slow", "-e", "GORACE=atexit_sleep_ms=0", "--", "sh", "-c", "sleep 1; exec "+shellQuote(mcpechoPath(t))+" serve")
	if !testutil.Eventually(func() bool { return slices.Contains(hold.Names(), "slow") }) {
		t.Fatal("no session")
	}
	runCommand(t, "call", "@slow", "echo", "message=a").want(t, failure.Done, "a\n", "")
	h.end()
	<-h.ended
	h = holdServer(t, "broken", "--", "sh", "-c", "sleep 1; echo no luck >&2; exit 7")
	if !testutil.Eventually(func() bool { return slices.Contains(hold.Names(), "broken") }) {
		t.Fatal("no session")
	}
	for range 2 { // a caller that waits, and one that comes later
		if r := runCommand(t, "tools", "@broken"); r.status != failure.Unreachable || !strings.Contains(r.stderr, "the session @broken has ended: ") || !strings.Contains(r.stderr, "no luck") {
			t.Errorf("%+v", r)
		}
		if status := <-h.ended; status != failure.Unreachable {
			t.Errorf("hold: %d %s", status, h.stderr)
		}
		h.ended <- failure.Unreachable
	}
}

// TestReleaseSession ends the server before it returns. Only release does.
func TestReleaseSession(t *testing.T) {
	t.Parallel()
	h := holdServer(t, "released", "--", "mcpecho", "serve").begun(t)
	runCommand(t, "raw", "@released", "mcpecho/release").want(t, failure.Refused, "", "mcpecho/release")
	_, stderr, _ := startWatch(t, "@released")
	stderr.until(t, "Watching")
	other := holdServer(t, "released-2", "--", "mcpecho", "serve").begun(t)
	r := runCommand(t, "release", "@released", "absent", "released-2", "absent-2")
	if r.status != failure.Usage || r.stdout != "Released @released.\nReleased @released-2.\n" || !strings.Contains(r.stderr, "no session @absent in ") || !strings.Contains(r.stderr, "no session @absent-2 in ") {
		t.Errorf("%+v", r)
	}
	if status := <-h.ended; status != failure.Done {
		t.Errorf("status %d: %s", status, h.stderr)
	}
	if status := <-other.ended; status != failure.Done {
		t.Errorf("status %d: %s", status, other.stderr)
	}
	runCommand(t, "tools", "@released").want(t, failure.Usage, "", "there is no session @released")
}

// TestShellOfSession: what a server of its own would do is not done.
func TestShellOfSession(t *testing.T) {
	t.Parallel()
	holdServer(t, "shelled", "--", "mcpecho", "serve").begun(t)
	r := runCommandWithInput(t, "call add_tool\nrestart\ncall tool_001\ncheck\n", "shell", "@shelled")
	for _, want := range []string{"Connected to @shelled again. The session goes on.", "check needs a server of its own, not a session"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %q: %+v", want, r)
		}
	}
}

// TestKilledHolder: callers say that it was killed, and the name can be used again.
func TestKilledHolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("did not run: this system has no SIGKILL")
	}
	cmd := exec.Command(mcpechoPath(t), serverArgs(t, []string{"hold", "killed", "--", "mcpecho", "serve"})...)
	out := newTranscript()
	cmd.Stdout = out
	testutil.Must(t, cmd.Start())
	out.until(t, "@killed")
	_, watched, endWatch := startWatch(t, "@killed")
	watched.until(t, "Watching")
	runCommand(t, "call", "@killed", "echo", "message=a").want(t, failure.Done, "a\n", "")
	testutil.Must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	watched.until(t, "@killed has ended: its process was killed")
	if status := endWatch(); status != failure.Unreachable {
		t.Errorf("watch: %d %s", status, watched)
	}
	runCommand(t, "tools", "@killed").want(t, failure.Unreachable, "", "the session @killed has ended: its process was killed")
	holdServer(t, "killed", "--", "mcpecho", "serve").begun(t)
	runCommand(t, "call", "@killed", "echo", "message=b").want(t, failure.Done, "b\n", "")
}

// TestCanceledCaller: the server is told, and the session goes on.
func TestCanceledCaller(t *testing.T) {
	t.Parallel()
	h := holdServer(t, "gone", "-v", "--", "mcpecho", "serve").begun(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	var stderr transcript
	stderr.more = make(chan struct{}, 1)
	status := run(ctx, []string{"call", "@gone", "slow", "seconds=60"}, &environment{stdin: strings.NewReader(""), stdout: &stderr, stderr: &stderr, getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho"})
	if status != failure.Interrupted || time.Since(began) > 20*time.Second {
		t.Errorf("status %d after %v: %s", status, time.Since(began), stderr.String())
	}
	runCommand(t, "call", "@gone", "echo", "message=b").want(t, failure.Done, "b\n", "")
	h.end()
	if status := <-h.ended; status != failure.Interrupted {
		t.Errorf("status %d", status)
	}
}

// TestManyCommands: commands at once, each of which gets its own result.
func TestManyCommands(t *testing.T) {
	t.Parallel()
	holdServer(t, "many", "--", "mcpecho", "serve").begun(t)
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			text := strings.Repeat("x", i+1)
			runCommand(t, "call", "@many", "echo", "message="+text).want(t, failure.Done, text+"\n", "")
		})
	}
	group.Wait()
}
