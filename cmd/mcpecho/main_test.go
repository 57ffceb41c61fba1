package main

import (
	"bytes"
	"context"
	goflag "flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

var update = goflag.Bool("update", false, "write the golden files")

var child string // what mcpechoPath returns

// TestMain makes the test binary the command when its first argument is not a
// flag, and the test server when its environment says so.
func TestMain(m *testing.M) {
	testutil.LimitDepth()
	childserver.Main()
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
	}
	// The tests wait for processes and limits of time more than they compute.
	goflag.Parse()
	if goflag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = goflag.Set("test.parallel", "10")
	}
	os.Exit(inEmptyHome(m))
}

// inEmptyHome runs the tests for a user who has configured nothing.
func inEmptyHome(m *testing.M) int {
	home, err := os.MkdirTemp("", "mcpecho")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	if child = os.Getenv(apartEnv); child == "" {
		child, err = childBinary(home)
	}
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "LocalAppData", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		os.Setenv(name, home)
	}
	// A test that needs the cache of eras sets it; most servers here share a name.
	os.Setenv("XDG_CACHE_HOME", os.DevNull)
	return m.Run()
}

// apartEnv makes this binary the process that apart starts. Its value is that of child.
const apartEnv = "MCPECHO_TEST_APART"

// apart starts a process for a test that changes the folder or the variables of its process,
// so that others run beside it. It reports whether this is that process.
func apart(t *testing.T) bool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil || os.Getenv(apartEnv) != "" {
		return true
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.v", "-test.short="+strconv.FormatBool(testing.Short()))
	cmd.Env = append(os.Environ(), apartEnv+"="+child)
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case !bytes.Contains(out, []byte("--- PASS: "+t.Name()+" ")):
		t.Skipf("%s", out)
	}
	return false
}

// A result is what a run of the command leaves behind.
type result struct {
	status         int
	stdout, stderr string
}

// mcpechoPath returns the file of the program that children run: this test binary.
func mcpechoPath(testing.TB) string { return child }

// runCommand runs the command in this process, with what a server would be for
// "mcpecho serve". Its output goes to no terminal.
func runCommand(t testing.TB, args ...string) result { return runCommandWithInput(t, "", args...) }

func runCommandWithInput(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), serverArgs(t, args), &environment{
		stdin:  strings.NewReader(stdin),
		stdout: &stdout,
		stderr: &stderr,
		getenv: func(string) string { return "" },
		self:   mcpechoPath(t),
		name:   "mcpecho",
	})
	// The path of the binary differs between runs.
	exe := mcpechoPath(t)
	hide := strings.NewReplacer(exe, "mcpecho", strings.ReplaceAll(exe, `\`, `\\`), "mcpecho", " --env GORACE=atexit_sleep_ms=0", "")
	return result{status, hide.Replace(stdout.String()), hide.Replace(stderr.String())}
}

// serverArgs puts the test binary in place of mcpecho behind --. With the race
// detector that would sleep before it exits, unless told not to.
func serverArgs(t testing.TB, args []string) []string {
	before, server := cutServer(args)
	if name, _ := cutName(before); name == "diff" { // a server may be in quotes
		before = slices.Clone(before)
		for i, arg := range before {
			if after, ok := strings.CutPrefix(arg, "mcpecho "); ok {
				before[i] = shellQuote(mcpechoPath(t)) + " " + after
				args = append(slices.Clone(before), args[len(before):]...)
			}
		}
	}
	if len(server) == 0 || server[0] != "mcpecho" {
		return args
	}
	if name, _ := cutName(before); name != "" && findCommand(name) != nil && slices.Contains(findCommand(name).flags, "env") {
		before = append(before, "--env", "GORACE=atexit_sleep_ms=0")
	}
	if len(server) == 1 { // for the tour of mcpecho; else the test binary would run all tests
		server = append(server, "version")
	}
	for i := range server { // also the second server of diff
		if server[i] == "mcpecho" && (i == 0 || server[i-1] == "--") {
			server[i] = mcpechoPath(t)
		}
	}
	return append(append(before, "--"), server...)
}

// runWithServer runs the command with the echo server as its target.
func runWithServer(t testing.TB, args ...string) result {
	t.Helper()
	return runCommand(t, append(args, "--", "mcpecho", "serve")...)
}

// runWithFault runs the command with a server that is as the options say.
func runWithFault(t testing.TB, o *testserver.Options, args ...string) result {
	t.Helper()
	server, env := childserver.Command(o)
	server[0] = child
	for _, e := range env {
		args = append(args, "--env", e)
	}
	r := runCommand(t, append(append(args, "--"), server...)...)
	r.stderr = strings.Replace(r.stderr, sentBoth, "", 1)
	return r
}

// sentBoth is what a server with a fault reports if a busy machine starts it so
// slowly that the client sends initialize before the response to server/discover.
const sentBoth = "Last lines of its standard error:\n\ttestserver: violation: initialize: sent after server/discover had succeeded\n"

// want checks an outcome. Of standard error it wants a part.
func (o result) want(t testing.TB, status int, stdout, stderr string) {
	t.Helper()
	if o.status != status || o.stdout != stdout || !strings.Contains(unquoted(o.stderr), unquoted(stderr)) || stderr == "" && o.stderr != "" {
		t.Errorf("got status %d, output %q, errors %q\nwant status %d, output %q, errors %q",
			o.status, o.stdout, o.stderr, status, stdout, stderr)
	}
}

// golden compares text with a file in testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(text, "\n"), strings.Split(native(t, string(want)), "\n")
	for i, line := range lines {
		if i >= len(got) || unquoted(got[i]) != unquoted(line) {
			t.Errorf("%s is not what it was; -update writes it anew. Line %d was:\n%s\nNow:\n%s", path, i+1, line, strings.Join(got[min(i, len(got)):], "\n"))
			return
		}
	}
	if len(got) > len(lines) {
		t.Errorf("%s has more lines; -update writes it anew:\n%s", path, strings.Join(got[len(lines):], "\n"))
	}
}

func TestInterruptedBeforeStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	w := &environment{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: os.Getenv, self: mcpechoPath(t), name: "mcpecho"}
	status := run(ctx, []string{"tools", "--", mcpechoPath(t), "serve"}, w)
	result{status, stdout.String(), stderr.String()}.want(t, failure.Interrupted, "", "interrupted")
}
