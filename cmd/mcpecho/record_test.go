package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/recording"
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
	for range 2 {
		p := startProxy(t, "PROXY_TEST=kept", "--record", file)
		defer func() { p.Kill(); _ = p.Wait() }()
		_, _ = io.WriteString(p.In, proxyInitialize+"\n")
		if _, err := p.Line(); err != nil {
			t.Fatal(err, p.Stderr)
		}
	}
	for _, name := range []string{"session.rec", "session.4.rec"} {
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
		"serve --replay sesion.rec": "mcpecho serve --replay session.rec",
		"serve --replay=sesion.rec": "mcpecho serve --replay=session.rec",
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

// TestView prints recordings, also under the words of other programs, and
// follows a file that grows.
func TestView(t *testing.T) {
	t.Chdir(t.TempDir())
	// Without a version, a slow server is asked in both eras, and refuses one.
	runWithServer(t, "call", "echo", "message=hi", "--protocol", "2026-07-28", "--record", "session.rec").want(t, 0, "hi\n", "")
	for _, line := range []string{"view session.rec", "show session.rec", "logs session.rec", "view session.rec --method tools/call"} {
		if o := runCommand(t, strings.Fields(line)...); o.status != 0 || strings.Count(o.stdout, " B  tools/call echo\n") != 2 || o.stderr != "" {
			t.Errorf("%s: %v", line, o)
		}
	}
	if o := runCommand(t, "view", "session.rec", "--method", "tools/call", "-v"); strings.Count(o.stdout, "\n") != 5 || !strings.Contains(o.stdout, `"message":"hi"`) {
		t.Error(o)
	}
	if o := runCommand(t, "view", "session.rec", "--method", "tools/call", "--json"); strings.Count(o.stdout, "\n") != 3 || !strings.Contains(o.stdout, `"kind":"response","method":"tools/call","name":"echo","ms":`) {
		t.Error(o)
	}
	if o := runCommand(t, "view", "sesion.rec"); suggestion(o.stderr) != "mcpecho view session.rec" {
		t.Error(o)
	}
	testutil.Must(t, os.WriteFile("script.py", []byte("print()\n"), 0o600))
	runCommand(t, "view", "script.py").want(t, failure.Usage, "", "script.py: recording: line 1: this is not a recording")
	all := runCommand(t, "view", "session.rec").stdout
	lines := strings.SplitAfter(strings.TrimSuffix(all, "\n"), "\n")
	for line, want := range map[string]string{
		"view session.rec -n 2":            strings.Join(lines[len(lines)-3:], ""),
		"view session.rec --lines 0":       lines[len(lines)-1],
		"view session.rec --errors":        "0 of ",
		"view session.rec --tool e*":       "tools/call echo",
		"view session.rec --tool e* -n 1":  "2 of ",
		"view session.rec --last 100":      all,
		"view session.rec --errors --json": `{"kind":"summary",`,
		"view session.rec --grep HI":       "tools/call echo",
		"view session.rec --grep nosuch":   "0 of ",
	} {
		if o := runCommand(t, strings.Fields(line)...); o.status != 0 || !strings.Contains(o.stdout, strings.TrimSpace(want)) || o.stderr != "" {
			t.Errorf("%s: %v, want %s", line, o, want)
		}
	}
	// A filter that matches nothing leads to one that does, if it is misspelled.
	for line, want := range map[string]string{
		"view session.rec --method tool/call":  "mcpecho view session.rec --method tools/call",
		"view session.rec --method=nosuch -v":  "",
		"view session.rec --tool=ehco":         "mcpecho view session.rec --tool echo",
		"view session.rec --sender me":         "",
		"view session.rec --connection 7":      "",
		"view session.rec --id 99 --tool echo": "",
	} {
		o := runCommand(t, strings.Fields(line)...)
		if o.status != failure.Usage || o.stdout != "" || suggestion(o.stderr) != want || !strings.Contains(o.stderr, "; it has ") {
			t.Errorf("%s: %v, want %s", line, o, want)
		}
		if want == "" {
			continue
		}
		if o := runCommand(t, strings.Fields(want)[1:]...); o.status != 0 {
			t.Errorf("%s: %v", want, o)
		}
	}
	runCommand(t, "view", "session.rec", "-n", "x").want(t, failure.Usage, "", `must be a number of lines, not "x"`)
	testutil.Must(t, os.WriteFile("empty", nil, 0o600))
	runCommand(t, "view", "empty").want(t, 0, "    0.000     -                             file  ! the recording has no end: the program that wrote it was killed, or still runs\n0 messages, 0 errors\n", "")
}

// TestRecordOnStandardError: "--record -" prints what view prints, while the session runs, and
// hides secrets; --trace is the same flag.
func TestRecordOnStandardError(t *testing.T) {
	t.Parallel()
	call := []string{"call", "echo", `{"message":"hunter2hunter2"}`, "-e", "TOKEN=hunter2hunter2", "--protocol", "2025-11-25"}
	o := runWithServer(t, append(call, "--trace", "-")...)
	if o.status != 0 || strings.Count(o.stderr, " B  tools/call echo\n{\"jsonrpc\"") != 2 || strings.Contains(o.stderr, "hunter2") || !strings.Contains(o.stderr, `{"message":"***"}`) {
		t.Error(o)
	}
	if o := runWithServer(t, append(call, "--record", "-", "--json")...); o.status != 0 || strings.Count(o.stderr, `"kind":"response","method":"tools/call","name":"echo","ms":`) != 1 {
		t.Error(o)
	}
	runWithServer(t, append(call, "--record", "a", "--trace", "b")...).want(t, failure.Usage, "", "--trace is the same")
}

// TestFollow: view --follow goes on when a file grows, when it is truncated, and when
// another file replaces it, as when an editor starts a proxy again.
func TestFollow(t *testing.T) {
	if !apart(t) {
		return
	}
	t.Chdir(t.TempDir())
	// Without a version, a slow server is asked in both eras, and refuses one.
	runWithServer(t, "call", "echo", "message=hi", "--protocol", "2026-07-28", "--record", "session.rec").want(t, 0, "hi\n", "")
	whole, err := os.ReadFile("session.rec")
	if err != nil {
		t.Fatal(err)
	}
	half := len(whole) / 2
	once := strings.TrimSuffix(runCommand(t, "view", "session.rec").stdout, "\n")
	once = once[:strings.LastIndexByte(once, '\n')+1]
	testutil.Must(t, os.WriteFile("f", whole[:half], 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	out := &followingOutput{t: t, steps: []followStep{
		{"tools/list\n", func() error { return appendTo("f", whole[half:]) }},
		{"tools/call echo\n", func() error {
			return errors.Join(os.WriteFile("new", whole, 0o600), os.Rename("f", "f.1"), os.Rename("new", "f"))
		}},
		{"replaced", func() error { return nil }},
		{"tools/call echo\n", func() error { return os.Truncate("f", 0) }},
		{"truncated", func() error { return appendTo("f", whole) }},
		{"tools/call echo\n", func() error { cancel(); return nil }},
	}}
	e := &environment{stdout: out, stderr: io.Discard, stdin: strings.NewReader(""), getenv: os.Getenv, name: "mcpecho"}
	if status := run(ctx, []string{"view", "-f", "f"}, e); status != failure.Interrupted || len(out.steps) > 0 {
		t.Errorf("status %d, %d steps are left", status, len(out.steps))
	}
	got, remarks := out.b.String(), 0
	parts := strings.SplitAfter(got, "\n")
	got = ""
	for _, line := range parts {
		if strings.Contains(line, "  file  ") {
			remarks++
		} else {
			got += line
		}
	}
	if want := strings.Repeat(once, 3); !strings.HasPrefix(got, want) || remarks != 2 || !strings.Contains(got[len(want):], " messages, 0 errors\n") {
		t.Errorf("%s\nwant %s", out.b.String(), want)
	}
}

// TestFollowWaits: view --follow waits for a file that does not exist yet.
func TestFollowWaits(t *testing.T) {
	if !apart(t) {
		return
	}
	t.Chdir(t.TempDir())
	f, err := os.Create("made")
	testutil.Must(t, err)
	w := recording.NewWriter(f)
	w.End(1, "here")
	testutil.Must(t, errors.Join(w.Close(), f.Close()))
	ctx, cancel := context.WithCancel(t.Context())
	stderr := &followingOutput{t: t, steps: []followStep{{"mcpecho: waiting for session\n", func() error { return os.Rename("made", "session") }}}}
	out := &followingOutput{t: t, steps: []followStep{{"here\n", func() error { cancel(); return nil }}}}
	e := &environment{stdout: out, stderr: stderr, stdin: strings.NewReader(""), getenv: os.Getenv, name: "mcpecho"}
	if status := run(ctx, []string{"view", "-f", "session"}, e); status != failure.Interrupted || len(out.steps) > 0 || strings.Count(stderr.b.String(), "waiting") != 1 {
		t.Errorf("status %d, %q, %q", status, out.b.String(), stderr.b.String())
	}
	// A directory is not a file to wait for.
	runCommand(t, "view", "-f", ".").want(t, failure.Usage, "", "neither a regular file nor a pipe")
}

func appendTo(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// A followStep is done when the program has printed a text.
type followStep struct {
	after string
	do    func() error
}

// A followingOutput does the steps in their order.
type followingOutput struct {
	t     *testing.T
	b     strings.Builder
	seen  int // bytes in which earlier steps have found their texts
	steps []followStep
}

func (w *followingOutput) Write(p []byte) (int, error) {
	w.b.Write(p)
	for len(w.steps) > 0 {
		step := w.steps[0]
		at := strings.LastIndex(w.b.String()[w.seen:], step.after)
		if at < 0 {
			break
		}
		w.seen += at + len(step.after)
		w.steps = w.steps[1:]
		if err := step.do(); err != nil {
			w.t.Error(err)
		}
	}
	return len(p), nil
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
	runCommand(t, "serve", "--replay", file).want(t, failure.Usage, "", `there is no file "`+file+`"; --record FILE with a command records a server`)
	if err := os.WriteFile(file, []byte("stdmcp recording 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "serve", "--replay", file).want(t, failure.Usage, "", "truncated")
	runCommand(t, "serve", "--replay", file, "--protocol", "2025-11-25").want(t, failure.Usage, "", "--protocol does not work with --replay")
	runWithServer(t, "tools", "--record", filepath.Join(file, "no")).want(t, failure.Usage, "", native(t, "not a directory"))
}

// TestReplayNamesWhatIsMissing: mcpecho reports a request that is missing in a recording
// neither as a fault nor as a change of the server.
func TestReplayNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tools.rec")
	runWithServer(t, "tools", "--record", file)
	r := runCommand(t, "check", "--", "mcpecho", "serve", "--replay", file)
	if r.status != 0 || strings.Contains(r.stdout, "wrong ") || !strings.Contains(r.stdout, ", prompts/list, ") || !strings.Contains(r.stdout, ": not in the recording") {
		t.Error(r)
	}
	r = runCommand(t, "diff", file, "mcpecho serve --replay "+file)
	if r.status != 0 || !strings.Contains(r.stdout, "prompts: not compared") || strings.Contains(r.stdout, "tools") {
		t.Error(r)
	}
}

// TestReplayEndsAsTheServerDid: the replay of a server that exits at a request exits there,
// and says how the recorded one did.
func TestReplayEndsAsTheServerDid(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "crash.rec")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := recording.NewWriter(f)
	const ask = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	w.Message(1, true, []byte(ask))
	w.End(1, "exited with status 3")
	w.Refusal(1, []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"mcpecho proxy: exited with status 3"}}`))
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	in, typed := io.Pipe()
	go func() { _, _ = io.WriteString(typed, ask+"\n") }() // ends when the program reads it
	out, stderr := new(strings.Builder), new(strings.Builder)
	status := run(t.Context(), []string{"serve", "--replay", file}, &environment{stdin: in, stdout: out, stderr: stderr, getenv: func(string) string { return "" }, name: "mcpecho"})
	if status != 4 || out.String() != "" || !strings.Contains(stderr.String(), "the recorded server ended here: exited with status 3") {
		t.Error(status, out, stderr)
	}
	_ = typed.Close()
}
