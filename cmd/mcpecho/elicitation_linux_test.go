package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
)

const ctrlD = "\x04"

func TestFillForm(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	for _, args := range [][]string{{web.URL}, {web.URL, "--protocol", "2025-11-25"}, {web.SSE}} {
		args = append([]string{"call"}, append(args, "ask_elicitation", "--no-color")...)
		p := startInPty(t, 80, args...)
		p.until("Question from " + args[1] + "\r\n  What is your name?\r\n")
		p.until("  Name: ")
		p.typeLine("")
		p.until("this field is required\r\n  Name: ")
		p.typeLine("Ada")
		p.until("age: a whole number, at least 0, at most 150, optional: ")
		p.typeLine("151")
		p.until("above the maximum of 150\r\n")
		p.typeLine("36")
		p.until("subscribe: yes or no, optional [no]: ")
		p.typeLine("")
		p.until("    1  red\r\n    2  green\r\n    3  blue\r\n  which (arrow keys) [green]: ")
		p.typeLine("3")
		p.until("Send this answer? [y/N] ")
		p.typeLine("y")
		p.wantEnd(0, `{"action":"accept","content":{"age":36,"color":"blue","name":"Ada","subscribe":false}}`+"\n")
	}
}

func TestDeclineForm(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{ctrlD}, "cancel"},
		{[]string{"Ada\n" + ctrlD}, "cancel"},
		{[]string{"Ada", "", "", "", "no"}, "decline"},
	} {
		p := startInPty(t, 80, "call", web.URL, "ask_elicitation")
		p.until("  Name: ")
		p.typed(strings.Join(test.lines, "\n") + "\n")
		p.wantEnd(0, `{"action":"`+test.want+`"}`+"\n")
	}
	p := startInPty(t, 80, "call", web.URL, "ask_elicitation")
	p.until("  Name: ")
	p.typed("\x03")
	p.wantEnd(failure.Interrupted, "")
}

func TestQuestionsAreDeclinedWithoutTerminal(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	for _, url := range []string{web.URL, web.SSE} {
		runCommand(t, "call", url, "ask_elicitation").
			want(t, 0, `{"action":"decline"}`+"\n", "Declined a question of the server, because this is not a terminal: What is your name?")
	}
}

// newElicitation returns an elicitation that asks on a terminal, and the terminal.
func newElicitation(t *testing.T, env map[string]string) (mcp.Elicitation, *pty) {
	t.Helper()
	master, slave := openPty(t, 80)
	t.Cleanup(func() { slave.Close() })
	if err := master.SetReadDeadline(time.Now().Add(testutil.Timeout)); err != nil {
		t.Fatal(err)
	}
	c := &invocation{target: "https://example.com/mcp", flags: flags.Values{NoColor: true},
		environment: &environment{stdin: slave, stdout: slave, stderr: slave, getenv: func(key string) string { return env[key] }}}
	return c.elicitation(&conversation{console: &terminal.Console{Out: slave}}), &pty{t: t, master: master}
}

func TestPageNeedsConfirmation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	browser, opened := filepath.Join(dir, "browser"), filepath.Join(dir, "opened")
	if err := os.WriteFile(browser, []byte("#!/bin/sh\nprintf %s \"$1\" >"+opened+".new; mv "+opened+".new "+opened+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	e, p := newElicitation(t, map[string]string{"BROWSER": browser})
	page := &mcp.URLRequest{Message: "Pay\x1b[2J me", URL: "https://xn--pypal-4ve.com/a?b=c", Host: "xn--pypal-4ve.com", Punycode: true}
	for _, test := range []struct {
		line string
		want mcp.ElicitAction
	}{{"", mcp.ElicitDecline}, {"n", mcp.ElicitDecline}, {ctrlD, mcp.ElicitCancel}, {"maybe\ny", mcp.ElicitAccept}} {
		if _, err := os.Stat(opened); err == nil {
			t.Fatal("opened without consent")
		}
		p.output.Reset()
		done := make(chan mcp.ElicitAction, 1)
		go func() { // ends with the answer
			action, err := e.OpenURL(t.Context(), page)
			if err != nil {
				t.Error(err)
			}
			done <- action
		}()
		p.until("Question from https://example.com/mcp\r\n  Pay\\u001b[2J me\r\n")
		p.until("a page of xn--pypal-4ve.com:\r\n  https://xn--pypal-4ve.com/a?b=c\r\n")
		p.until("can look like others.\r\nOpen it in your browser? [y/N] ")
		if test.line == ctrlD {
			p.typed(ctrlD)
		} else {
			p.typeLine(test.line)
		}
		if test.want == mcp.ElicitAccept { // the browser asks for the page
			var url []byte
			if !testutil.Eventually(func() bool { url, _ = os.ReadFile(opened); return len(url) > 0 }) || strings.Contains(string(url), "example") {
				t.Fatalf("the arguments of the browser have %q", url)
			}
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			resp, err := client.Get(string(url))
			testutil.Must(t, err)
			_ = resp.Body.Close()
			if resp.Header.Get("Location") != page.URL {
				t.Errorf("opened %v", resp)
			}
			client.CloseIdleConnections()
		}
		if action := <-done; action != test.want {
			t.Errorf("%q: %s", test.line, action)
		}
	}
}

func TestPageWithoutBrowser(t *testing.T) {
	t.Parallel()
	e, p := newElicitation(t, map[string]string{"BROWSER": filepath.Join(t.TempDir(), "none")})
	done := make(chan mcp.ElicitAction, 1)
	go func() { // ends with the answer
		action, _ := e.OpenURL(t.Context(), &mcp.URLRequest{URL: "https://example.com/", Host: "example.com"})
		done <- action
	}()
	p.until("[y/N] ")
	p.typeLine("yes")
	p.until("please open the page yourself")
	if action := <-done; action != mcp.ElicitAccept {
		t.Error(action)
	}
}

// An answer that comes after its question was withdrawn is not one to the next
// question.
func TestOneQuestionAtATime(t *testing.T) {
	t.Parallel()
	e, p := newElicitation(t, nil)
	schema := mcp.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)
	ask := func(ctx context.Context, message string) chan any {
		done := make(chan any, 1)
		go func() { // ends with the answer
			res, err := e.Form(ctx, &mcp.ElicitParams{Message: message, RequestedSchema: schema})
			if err != nil {
				done <- err
			} else {
				done <- res.Content["a"]
			}
		}()
		return done
	}
	ctx, cancel := context.WithCancel(t.Context())
	first := ask(ctx, "First?")
	p.until("  First?\r\n")
	p.until("  a: ")
	second := ask(t.Context(), "Second?")
	if strings.Contains(p.output.String(), "Second?") {
		t.Error("two questions at once")
	}
	p.output.Reset()
	cancel()
	if err := <-first; err != context.Canceled {
		t.Errorf("withdrawn: %v", err)
	}
	p.until("  Second?\r\n")
	p.until("  a: ")
	p.typeLine("two")
	p.until("[y/N] ")
	p.typeLine("y")
	if answer := <-second; answer != "two" {
		t.Errorf("answer %v", answer)
	}
}

func TestUserTrustsProject(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": `{"mcpServers":{"theirs":SERVER}}`})
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, answer := range []string{"", "n", "y"} { // mcpecho remembers the last
		want := failure.Usage
		if answer == "y" {
			want = 0
		}
		p := startInPty(t, 200, "call", "theirs/echo", "message=hello there")
		p.until("The server \"theirs\" in .mcp.json of this folder is not trusted.\r\n")
		p.until("runs " + mcpechoPath(t) + " serve\r\n")
		p.until("Do you trust it? [y/N] ")
		p.typeLine(answer)
		shown, status := p.end()
		if status != want || strings.HasSuffix(shown, "\nhello there\n") != (want == 0) {
			t.Errorf("%q: status %d, %q", answer, status, shown)
		}
	}
}

// What a configuration leaves to the user is asked for, once, and what is
// secret is not shown.
func TestPromptForInputs(t *testing.T) {
	web := webServer(t, nil, nil)
	server := `{"url":"` + web.URL + `","headers":{"X-Key":"${input:key}","X-Place":"${input:place}"}}`
	inProject(t, map[string]string{"other.json": `{"inputs":[{"id":"key","description":"API key","password":true},
		{"id":"place","options":["Rome","Oslo"],"default":"Oslo"}],"servers":{"a":` + server + `,"b":` + server + `}}`})
	for _, args := range [][]string{{"call", "other.json:a", "echo", "message=done"}, {"servers", "other.json"}} {
		p := startInPty(t, 200, args...)
		p.until("API key: ")
		p.typeLine("hunter2hunter2")
		p.until("place (Rome, Oslo) [Oslo]: ")
		p.typeLine("Paris")
		p.until("\"Paris\" is not one of the options.\r\nplace (Rome, Oslo) [Oslo]: ")
		p.typeLine("")
		shown, status := p.end()
		if status != 0 || strings.Contains(shown, "hunter2") || strings.Count(shown, "API key: \r\n") != 1 || strings.Contains(shown, "failed") {
			t.Errorf("%q: status %d, %q", args, status, shown)
		}
	}
	for _, r := range web.Requests() {
		if r.URL == "/mcp" && (r.Header.Get("X-Key") != "hunter2hunter2" || r.Header.Get("X-Place") != "Oslo") {
			t.Errorf("%s %s: %v", r.Method, r.URL, r.Header)
		}
	}
}

// Whoever gives up is left with a terminal that shows what is typed.
func TestCancelInput(t *testing.T) {
	inProject(t, map[string]string{"other.json": `{"inputs":[{"id":"key","password":true}],"servers":{"a":{"command":"a","args":["${input:key}"]}}}`})
	for key, want := range map[string]int{ctrlD: failure.Usage, "\x03": failure.Interrupted} {
		p := startInPty(t, 80, "tools", "other.json:a")
		p.until("key: ")
		if echoes(t, p.master) {
			t.Error("what is typed would be shown")
		}
		p.typed(key)
		p.wantEnd(want, "")
		if !echoes(t, p.master) {
			t.Errorf("%q: what is typed is not shown any more", key)
		}
	}
}

// echoes reports whether a terminal shows what is typed.
func echoes(t *testing.T, master *os.File) bool {
	t.Helper()
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var mode syscall.Termios
	if err := raw.Control(func(fd uintptr) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TCGETS, uintptr(unsafe.Pointer(&mode))); errno != 0 {
			t.Error(errno)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return mode.Lflag&syscall.ECHO != 0
}

// The program discards what the user typed before the question.
func TestTypedBeforeAQuestion(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": `{"mcpServers":{"theirs":SERVER}}`})
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	p := startTypedAhead(t, "y\ny\n", 80, nil, "call", "theirs/echo", "message=hello")
	p.until("Do you trust it? [y/N] ")
	p.typeLine("n")
	if shown, status := p.end(); status != failure.Usage || strings.Contains(shown, "\nhello") {
		t.Errorf("status %d, %q", status, shown)
	}
}

// TestQuestionInBackground: a process that a shell has in the background of its terminal
// declines the question, and does not stop.
func TestQuestionInBackground(t *testing.T) {
	t.Parallel()
	master, slave := openPty(t, 200)
	p := &pty{t: t, master: master, cmd: exec.Command("sh", append([]string{"-c", `set -m; "$@" & wait`, "sh", mcpechoPath(t)}, serverArgs(t, strings.Fields("call ask_elicitation -- mcpecho serve"))...)...)}
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "TERM=xterm")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	testutil.Must(t, p.cmd.Start())
	testutil.Must(t, slave.Close())
	t.Cleanup(func() { _, _ = p.cmd.Process.Kill(), p.cmd.Wait() })
	testutil.Must(t, master.SetReadDeadline(time.Now().Add(20*time.Second)))
	p.until("Declined a question of the server, because a process in the background cannot ask: What is your name?")
	p.until(`{"action":"decline"}`)
}

// TestWithdrawnQuestion: the caller says why it waits, and hold that nothing waits any longer.
func TestWithdrawnQuestion(t *testing.T) {
	t.Parallel()
	p := startInPty(t, 200, "hold", "withdrawn", "--", "mcpecho", "serve")
	p.until("@withdrawn")
	ctx, leave := context.WithCancel(t.Context())
	stderr := newTranscript()
	left := make(chan int)
	go func() { // ends with ctx
		left <- run(ctx, []string{"call", "@withdrawn", "ask_elicitation"}, &environment{stdin: strings.NewReader(""), stdout: stderr, stderr: stderr, getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho"})
	}()
	stderr.until(t, "The terminal of hold shows a question of the server, which waits for an answer: What is your name?\n")
	p.until("  Name: ")
	leave()
	<-left
	p.until("The question is withdrawn.\r\n")
}
