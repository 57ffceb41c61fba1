package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		file := filepath.Join(t.TempDir(), "session")
		runWithServer(t, "call", "echo", "message=hi", "--record", file, "--protocol", version).want(t, 0, "hi\n", "")
		replay := []string{"--", "mcpecho", "serve", "--replay", file}
		runCommand(t, append([]string{"call", "echo", "message=hi"}, replay...)...).want(t, 0, "hi\n", "")
		o := runCommand(t, append([]string{"call", "echo", "message=other"}, replay...)...)
		if o.status != failure.Refused || !strings.Contains(o.stderr, "no recorded request matches") {
			t.Errorf("%+v", o)
		}
		testutil.CheckPrivate(t, file)
	}
}

func TestRecordOfAShellMasksSecrets(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session")
	o := runScript(t, "call echo message=hunter2hunter2\ncall echo {\"message\": \"x\", \"password\": \"swordfish\"}\nrestart\ntools",
		"--record", file, "--env", "API_KEY=hunter2hunter2")
	data, err := os.ReadFile(file)
	text := string(data)
	if err != nil || strings.Contains(text, "hunter2") || strings.Contains(text, "swordfish") || !strings.Contains(text, "\n2 ") || !strings.Contains(text, "\nend ") {
		t.Errorf("%+v\n%s %v", o, text, err)
	}
}

// TestRecordingsAreKept when the same line records again, even if it fails.
func TestRecordingsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "session.rec")
	runWithServer(t, "call", "echo", "message=first", "--record", file).want(t, 0, "first\n", "")
	runWithServer(t, "call", "echo", "message=second", "--record", file).want(t, 0, "second\n", "session.1.rec")
	runCommand(t, "tools", "--record", file, "--", filepath.Join(dir, "nosuch")).want(t, failure.Unreachable, "", "session.2.rec")
	for name, want := range map[string]string{"session.1.rec": "first", "session.2.rec": "second"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}

	// Two proxies at once: each file has one session.
	trace := filepath.Join(dir, "trace.jsonl")
	for range 2 {
		p := startProxy(t, "PROXY_TEST=kept", "--record", file, "--trace", trace)
		defer func() { p.Kill(); _ = p.Wait() }()
		_, _ = io.WriteString(p.In, proxyInitialize+"\n")
		if _, err := p.Line(); err != nil {
			t.Fatal(err, p.Stderr)
		}
	}
	for _, name := range []string{"session.rec", "session.4.rec", "trace.jsonl", "trace.1.jsonl"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Count(string(data), `"method":"initialize"`) != 1 {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
}

// TestKilledProxy: its recording has everything that happened before.
func TestKilledProxy(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session")
	p := startProxy(t, "PROXY_TEST=killed", "--record", file)
	_, _ = io.WriteString(p.In, proxyInitialize+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`+"\n")
	for range 2 {
		if _, err := p.Line(); err != nil {
			t.Fatal(err, p.Stderr)
		}
	}
	p.Kill()
	_ = p.Wait()
	runCommand(t, "call", "echo", "message=hi", "--protocol", "2025-11-25", "--", "mcpecho", "serve", "--replay", file).want(t, 0, "hi\n", "")
	runCommand(t, "serve", "--replay", file).want(t, 0, "", "session has no end: the program that recorded it was killed, or still runs; entries that are used: 5")
}

// TestRecordingsInPlaceOfOthers: each suggestion works.
func TestRecordingsInPlaceOfOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	runWithServer(t, "call", "echo", "message=hi", "--record", "session.rec").want(t, 0, "hi\n", "")
	testutil.Must(t, os.WriteFile("script.py", []byte("print()\n"), 0o600))
	for line, want := range map[string]string{
		"tools session.rec":                   "mcpecho tools -- mcpecho serve --replay session.rec",
		"call session.rec echo message=hi":    "mcpecho call echo message=hi -- mcpecho serve --replay session.rec",
		"serve --replay sesion.rec":           "mcpecho serve --replay session.rec",
		"serve --replay=sesion.rec":           "mcpecho serve --replay=session.rec",
		"serve --replay script.py":            "mcpecho tools --record script.py.rec https://example.com/mcp",
		"proxy --timeout 5s -- mcpecho serve": "mcpecho proxy -- mcpecho serve",
		"proxy session.rec":                   "mcpecho proxy -- mcpecho serve --replay session.rec",
	} {
		o := runCommand(t, strings.Fields(line)...)
		if got := suggestion(o.stderr); o.status != failure.Usage || got != want {
			t.Errorf("%s: %v, want %s", line, o, want)
			continue
		}
		if next := strings.Fields(want)[1:]; !strings.Contains(want, "https://") { // which would leave this machine
			if o := runCommand(t, next...); o.status == failure.Usage || o.status == failure.Unreachable {
				t.Errorf("%s: %v", want, o)
			}
		}
	}
}

// TestView prints recordings and traces, also under the words of other programs, and
// follows a file that grows.
func TestView(t *testing.T) {
	t.Chdir(t.TempDir())
	runWithServer(t, "call", "echo", "message=hi", "--record", "session.rec", "--trace", "session.trace").want(t, 0, "hi\n", "")
	for _, line := range []string{"view session.rec", "show session.trace", "logs session.rec", "view session.rec --method tools/call"} {
		if o := runCommand(t, strings.Fields(line)...); o.status != 0 || strings.Count(o.stdout, " B  tools/call echo\n") != 2 || o.stderr != "" {
			t.Errorf("%s: %v", line, o)
		}
	}
	if o := runCommand(t, "view", "session.rec", "--method", "tools/call", "-v"); strings.Count(o.stdout, "\n") != 4 || !strings.Contains(o.stdout, `"message":"hi"`) {
		t.Error(o)
	}
	if o := runCommand(t, "view", "session.rec", "--method", "tools/call", "--json"); strings.Count(o.stdout, "\n") != 2 || !strings.Contains(o.stdout, `"kind":"response","method":"tools/call","name":"echo","ms":`) {
		t.Error(o)
	}
	if o := runCommand(t, "view", "sesion.rec"); suggestion(o.stderr) != "mcpecho view session.rec" {
		t.Error(o)
	}
	testutil.Must(t, os.WriteFile("script.py", []byte("print()\n"), 0o600))
	runCommand(t, "view", "script.py").want(t, failure.Usage, "", "script.py: recording: line 1: this is no recording")
	whole, err := os.ReadFile("session.rec")
	if err != nil {
		t.Fatal(err)
	}
	half := len(whole) / 2
	testutil.Must(t, os.WriteFile("growing.rec", whole[:half], 0o600))
	grow := &growingOutput{t: t, rest: whole[half:]}
	if status := run(t.Context(), []string{"view", "-f", "growing.rec"}, &environment{stdout: grow, stderr: io.Discard, stdin: strings.NewReader(""), getenv: os.Getenv, name: "mcpecho"}); status != 0 {
		t.Error(status)
	}
	if got, want := grow.b.String(), runCommand(t, "view", "session.rec").stdout; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A growingOutput makes a file grow when the program has read what is there.
type growingOutput struct {
	t    *testing.T
	b    strings.Builder
	rest []byte
}

func (w *growingOutput) Write(p []byte) (int, error) {
	if w.rest != nil {
		f, err := os.OpenFile("growing.rec", os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.Write(w.rest)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			w.t.Error(err)
		}
		w.rest = nil
	}
	return w.b.Write(p)
}

// TestClosedOutput: a server whose messages, or whose URL, no client can read does not
// start. os/exec connects a closed output to the null device, as Go programs do.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"serve", "serve --http 0", "proxy -- mcpecho serve", "proxy --http 127.0.0.1:0 -- mcpecho serve"} {
		cmd := exec.CommandContext(t.Context(), mcpechoPath(t), strings.Fields(line)...)
		stderr := new(strings.Builder)
		cmd.Stderr = stderr
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != failure.Usage || !strings.Contains(stderr.String(), "standard output is closed") {
			t.Errorf("%s: %v, %s", line, err, stderr)
		}
	}
}

func TestBadRecordings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session")
	runCommand(t, "serve", "--replay", file).want(t, failure.Usage, "", `there is no file "`+file+`"; to record a server, type: mcpecho tools --record `+file+" https://example.com/mcp")
	if err := os.WriteFile(file, []byte("stdmcp recording 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "serve", "--replay", file).want(t, failure.Usage, "", "truncated")
	runCommand(t, "serve", "--replay", file, "--protocol", "2025-11-25").want(t, failure.Usage, "", "type: mcpecho serve --replay ")
	runWithServer(t, "tools", "--record", filepath.Join(file, "no")).want(t, failure.Usage, "", native(t, "not a directory"))
}
