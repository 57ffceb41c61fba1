package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestTrustIsAskedOnce(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": `{"mcpServers":{"theirs":SERVER}}`})
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	p := startInPty(t, 80, "call", "theirs", "echo", "message=hi")
	p.until("API_KEY=***\r\n")
	p.until("Do you trust it? [y/N] ")
	p.typeLine("y")
	p.wantEnd(0, "hi\n")
	runCommand(t, "call", "theirs", "echo", "message=hi").want(t, 0, "hi\n", "")
	if o := runCommand(t, "servers"); !strings.Contains(o.stdout, "theirs\tconnected") {
		t.Errorf("%+v", o)
	}
	data, err := os.ReadFile(".mcp.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(".mcp.json", []byte(strings.Replace(string(data), `"serve"`, `"serve","-q"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "call", "theirs", "echo", "message=hi").want(t, failure.Usage, "", "is not trusted")
}

// TestNamesOfFoldersInTheQuestion: the author of an archive chooses the names of folders, too.
func TestNamesOfFoldersInTheQuestion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x\x1b]0;forged\a.\n\truns forged\n")
	if err := os.MkdirAll(filepath.Join(dir, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(dir)
	for _, text := range []string{`{"mcpServers":{"theirs":{"command":"touch"}}}`, "{"} {
		if err := os.WriteFile(filepath.Join(".cursor", "mcp.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if o := runCommand(t, "servers", "-c", "cursor"); strings.Contains(o.stdout+o.stderr, "\x1b]") || strings.Contains(o.stdout+o.stderr, "\truns forged") {
			t.Errorf("%+v", o)
		}
		if text == "{" {
			continue
		}
		o := runCommand(t, "tools", "theirs", "-c", "cursor")
		o.want(t, failure.Usage, "", "to trust it, type: mcpecho trust theirs -c cursor\n\truns touch\n")
		if strings.Contains(o.stderr, "\truns forged") {
			t.Errorf("%+v", o)
		}
		p := startInPty(t, 400, "tools", "theirs", "-c", "cursor")
		p.until("Do you trust it? [y/N] ")
		p.typeLine("n")
		if text, _ := p.end(); strings.Contains(text, "\x1b]0") || strings.Count(text, `\u001b]0;forged\u0007.\u000a`) != 2 {
			t.Errorf("%q", text)
		}
	}
}

// With --no-state, mcpecho asks each time, and writes no file.
func TestTrustIsNotKeptWithoutState(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": `{"mcpServers":{"theirs":SERVER}}`})
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	for range 2 {
		p := startInPty(t, 80, "call", "theirs", "echo", "message=hi", "--no-state")
		p.until("Do you trust it? [y/N] ")
		p.typeLine("y")
		p.wantEnd(0, "hi\n")
	}
	runCommand(t, "trust", "theirs", "--no-state").want(t, failure.Usage, "", "type: mcpecho tools theirs --no-state -c .mcp.json\n")
	if o := runCommand(t, "tools", "theirs", "--no-state", "-c", ".mcp.json"); o.status != 0 {
		t.Errorf("%+v", o)
	}
	runCommand(t, "trust", "--no-state").want(t, 0, "", "You trust no servers")
	if files, err := os.ReadDir(home); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}

// A file without an end, or one without a writer, is a problem and hangs nothing.
func TestConfigurationThatIsNoRegularFile(t *testing.T) {
	if !apart(t) {
		return
	}
	inProject(t, nil)
	for name, create := range map[string]func(string) error{
		"fifo":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"large": func(path string) error {
			f, err := os.Create(path)
			if err == nil {
				err = f.Truncate(1 << 30)
				f.Close()
			}
			return err
		},
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for _, file := range []string{".mcp.json", "other.json"} {
			t.Run(name+" as "+file, func(t *testing.T) {
				t.Chdir(t.TempDir())
				if err := create(file); err != nil {
					t.Fatal(err)
				}
				lines := [][]string{{"servers"}, {"completion", "servers"}, {"tools", "x"}}
				if file != ".mcp.json" {
					lines = [][]string{{"servers", "-c", file}, {"servers", file}, {"tools", file + ":x"}}
				}
				for _, line := range lines {
					cmd := exec.Command(mcpechoPath(t), line...)
					cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
					kill := time.AfterFunc(testutil.Timeout, func() { cmd.Process.Kill() })
					out, _ := cmd.CombinedOutput()
					kill.Stop()
					said := strings.Contains(string(out), "not a regular file") || strings.Contains(string(out), "larger than 4 MiB")
					if cmd.ProcessState.ExitCode() < 0 || said != (line[0] != "completion") {
						t.Errorf("%q: %v, %s", line, cmd.ProcessState, out)
					}
				}
			})
		}
	}
}

// The second signal ends the program wherever it is; here it waits for the end of a server
// that ignores SIGTERM.
func TestSecondSignalEndsProgram(t *testing.T) {
	t.Parallel()
	for s, want := range map[os.Signal]int{syscall.SIGTERM: failure.Terminated, os.Interrupt: failure.Interrupted} {
		started := filepath.Join(t.TempDir(), "started")
		cmd := exec.Command(mcpechoPath(t), "tools", "--", "sh", "-c", `trap "" TERM; touch "$0"; while :; do sleep 1; done`, started)
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // if it is still running
		if !testutil.Eventually(func() bool { _, err := os.Stat(started); return err == nil }) {
			t.Fatal("the server does not start")
		}
		began, ended := time.Now(), make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		// The kernel merges signals that have not been delivered, so the second one is
		// repeated; a shell user would press the key once more, too.
		repeat, timeout := time.NewTicker(20*time.Millisecond), time.After(testutil.Timeout)
		for waiting := true; waiting; {
			select {
			case <-ended:
				waiting = false
			case <-repeat.C:
				_ = cmd.Process.Signal(s)
			case <-timeout:
				cmd.Process.Kill()
				t.Fatal("still running")
			}
		}
		repeat.Stop()
		if code := cmd.ProcessState.ExitCode(); code != want && code >= 0 { // -1: killed by the signal
			t.Errorf("%v: %v", s, cmd.ProcessState)
		}
		if took := time.Since(began); took > 2500*time.Millisecond { // less than the server takes to end
			t.Errorf("%v: it ended after %v", s, took)
		}
	}
}

// TestClosedTerminal: the server of a terminal that is closed ends as after Ctrl-C, with
// its standard input, and with time to store what it has.
func TestClosedTerminal(t *testing.T) {
	t.Parallel()
	stored := filepath.Join(t.TempDir(), "stored")
	script := mcpechoPath(t) + " serve; sleep 0.2; echo >" + stored
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP) // under nohup, this program and those it starts would ignore it
	defer signal.Stop(signals)
	cmd := exec.Command(mcpechoPath(t), "watch", "--", "sh", "-c", script)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(testutil.Timeout, func() { cmd.Process.Signal(syscall.SIGQUIT) }) // the program prints its goroutines
	defer kill.Stop()
	text := bufio.NewReader(stderr)
	if line, err := text.ReadString('\n'); err != nil || !strings.HasPrefix(line, "Watching") {
		t.Fatal(line, err)
	}
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	rest, _ := io.ReadAll(text)
	_ = cmd.Wait()
	if _, err := os.Stat(stored); err != nil || cmd.ProcessState.ExitCode() != failure.HungUp {
		t.Errorf("%v, %v: %s", err, cmd.ProcessState, rest)
	}
}

// TestAddThroughLinkOfProject: a project's file that is a link to another folder is named and
// stays as it is, while one inside of the project is changed in its place.
func TestAddThroughLinkOfProject(t *testing.T) {
	inProject(t, map[string]string{"mcp.json": "{}"})
	testutil.SetConfigHome(t, t.TempDir())
	mine := filepath.Join(os.Getenv("HOME"), ".mcp.json")
	before, err := os.ReadFile(mine)
	if err != nil || os.Symlink(mine, ".mcp.json") != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"add x -- mcpecho serve", "remove mine"} {
		if o := runCommand(t, strings.Fields(line)...); o.status != failure.Usage || !strings.Contains(o.stderr, "is a link to "+mine) {
			t.Errorf("%s: %+v", line, o)
		}
	}
	if after, err := os.ReadFile(mine); string(after) != string(before) {
		t.Errorf("%s, %v", after, err)
	}
	if err := errors.Join(os.Remove(".mcp.json"), os.Symlink("mcp.json", ".mcp.json")); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "add", "x", "--", "mcpecho", "serve").want(t, 0, "Added x to .mcp.json. To try it, type: mcpecho tools x\n", "")
	runCommand(t, "call", "x", "echo", "message=hi").want(t, 0, "hi\n", "")
	if info, err := os.Lstat(".mcp.json"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestAddTrustsWhatTheUserTyped: another user of a shared folder changes the entry at once.
func TestAddTrustsWhatTheUserTyped(t *testing.T) {
	inProject(t, map[string]string{})
	testutil.SetConfigHome(t, t.TempDir())
	theirs := []byte(`{"mcpServers":{"x":{"command":"theirs"}}}`)
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if _, err := os.Stat(".mcp.json"); err == nil {
				_ = os.WriteFile("theirs", theirs, 0o600)
				_ = os.Rename("theirs", ".mcp.json")
			}
		}
	})
	for range 20 {
		_ = os.Remove(".mcp.json")
		runCommand(t, "add", "x", "--", "mcpecho", "serve")
		if e := config.Parse(theirs, ".mcp.json", "project").Server("x"); state.IsTrusted(e) {
			t.Error("the entry of another user is trusted")
			break
		}
	}
	close(done)
	group.Wait()
}
