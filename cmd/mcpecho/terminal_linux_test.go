package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
)

// A pty is a pseudo-terminal with a command on it.
type pty struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	output bytes.Buffer // what has been read so far
}

// openPty returns both ends of a pseudo-terminal of the given width.
func openPty(t *testing.T, width uint16) (master, slave *os.File) {
	t.Helper()
	fd, err := syscall.Open("/dev/ptmx", syscall.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil { // so that reading has a deadline
		t.Fatal(err)
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	t.Cleanup(func() { master.Close() })
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var n uint32
	var unlock int32
	size := [4]uint16{24, width}
	if err := raw.Control(func(fd uintptr) {
		for request, arg := range map[uintptr]unsafe.Pointer{
			syscall.TIOCSPTLCK: unsafe.Pointer(&unlock),
			syscall.TIOCGPTN:   unsafe.Pointer(&n),
			syscall.TIOCSWINSZ: unsafe.Pointer(&size),
		} {
			if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg)); errno != 0 {
				t.Error(errno)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	return master, slave
}

// startInPty starts the command on a terminal.
func startInPty(t *testing.T, width uint16, args ...string) *pty {
	t.Helper()
	return startInPtyWith(t, width, nil, args...)
}

// startInPtyWith starts the command on a terminal, with further variables in its
// environment.
func startInPtyWith(t *testing.T, width uint16, env []string, args ...string) *pty {
	t.Helper()
	return startTypedAhead(t, "", width, env, args...)
}

// startTypedAhead starts the command on a terminal on which the user has typed text.
func startTypedAhead(t *testing.T, text string, width uint16, env []string, args ...string) *pty {
	t.Helper()
	master, slave := openPty(t, width)
	defer slave.Close()
	p := &pty{t: t, master: master, cmd: exec.Command(mcpechoPath(t), serverArgs(t, args)...)}
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "TERM=xterm", "NO_COLOR=")
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := master.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	p.typed(text)
	p.until(strings.ReplaceAll(text, "\n", "\r\n")) // Linux delivers it later if it is busy
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = p.cmd.Process.Kill(), p.cmd.Wait() })
	return p
}

// until reads what the terminal shows until text is there.
func (p *pty) until(text string) {
	p.t.Helper()
	buf, pattern := make([]byte, 4096), folded(text)
	for !pattern.Match(p.output.Bytes()) {
		n, err := p.master.Read(buf)
		shown := withoutPasteMarks(p.output.String() + string(buf[:n])) // a mark may come in two parts
		p.output.Reset()
		p.output.WriteString(shown)
		if err != nil {
			p.t.Fatalf("%v while waiting for %q after %q", err, text, p.output.String())
		}
	}
}

// shown waits for text, and forgets what the terminal has shown until then.
func (p *pty) shown(text string) {
	p.t.Helper()
	p.until(text)
	p.output.Next(folded(text).FindIndex(p.output.Bytes())[1])
}

// folded matches text, whose line may be folded at any space: some lines contain the
// path of this program, which is as long as the machine makes it.
func folded(text string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(text), " ", "(?: |\r\n)"))
}

// typed writes keys to the terminal.
func (p *pty) typed(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// typeLine writes a line to the terminal.
func (p *pty) typeLine(line string) {
	p.t.Helper()
	p.typed(line + "\n")
}

// withoutPasteMarks removes what the editor sends before and after a line.
func withoutPasteMarks(s string) string {
	return strings.NewReplacer("\x1b[?2004h", "", "\x1b[?2004l", "").Replace(s)
}

// end reads the rest and returns all that was shown, and the exit status.
func (p *pty) end() (shown string, status int) {
	p.t.Helper()
	_, err := io.Copy(&p.output, p.master) // ends with EIO when the last process has closed the terminal
	if os.IsTimeout(err) {
		p.t.Fatalf("still running after %q", p.output.String())
	}
	_ = p.cmd.Wait()
	shown = progressShown.ReplaceAllString(withoutPasteMarks(p.output.String()), "")
	return strings.ReplaceAll(strings.ReplaceAll(shown, "\r\n", "\n"), mcpechoPath(p.t), "mcpecho"), p.cmd.ProcessState.ExitCode()
}

// wantEnd waits for the end, and checks the exit status and what was shown last.
func (p *pty) wantEnd(status int, last string) {
	p.t.Helper()
	if shown, got := p.end(); got != status || !strings.HasSuffix(shown, last) {
		p.t.Errorf("%q ended with status %d, want %d and %q at the end of %q", p.cmd.Args[1:], got, status, last, shown)
	}
}

// progressShown matches what a slow machine shows from the first second on.
var progressShown = regexp.MustCompile("(\x1b\\[K|\r)*(connecting to |[0-9]+ of [0-9]+ servers? (is|are) starting)[^\x1b]*\x1b\\[K")

func TestListOnATerminalHasColumns(t *testing.T) {
	t.Parallel()
	for _, width := range []uint16{40, 80, 200} {
		shown, status := startInPty(t, width, "tools", "--no-color", "--", "mcpecho", "serve").end()
		if status != 0 || !strings.HasPrefix(shown, "NAME  ") || !strings.Contains(shown, "\necho(") {
			t.Errorf("status %d:\n%s", status, shown)
		}
		for line := range strings.Lines(shown) {
			if n := terminal.TextWidth(strings.TrimSuffix(line, "\n")); n > int(width) {
				t.Errorf("%d columns on a terminal of %d: %q", n, width, line)
			}
		}
	}
}

func TestColorsOnATerminal(t *testing.T) {
	t.Parallel()
	colored, _ := startInPty(t, 80, "tools", "--", "mcpecho", "serve").end()
	if !strings.Contains(colored, "\x1b[1mecho\x1b[0m") {
		t.Errorf("no colors: %q", colored)
	}
	without, _ := startInPty(t, 80, "tools", "--no-color", "--", "mcpecho", "serve").end()
	if strings.Contains(without, "\x1b") {
		t.Errorf("colors in spite of --no-color: %q", without)
	}
}

func TestBinaryIsRefusedOnATerminal(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"read echo://picture", "call image"} {
		shown, status := startInPty(t, 80, append(strings.Fields(line), "--", "mcpecho", "serve")...).end()
		want := "\x1b[31mmcpecho:\x1b[0m the result is binary: image/png, 70 bytes; use -o FILE to save it\n"
		if status != failure.Usage || shown != want {
			t.Errorf("%s: status %d, %q", line, status, shown)
		}
	}
}

func TestServerCannotControlTheTerminal(t *testing.T) {
	t.Parallel()
	hostile := "\x1b]0;owned\a\x1b[2Jover\rwritten \u202etxt"
	args := `{"message":"` + strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\r", `\r`).Replace(hostile) + `"}`
	for _, flags := range [][]string{nil, {"--json", "--no-color"}} {
		shown, status := startInPty(t, 80, append(append([]string{"call", "echo", args}, flags...), "--", "mcpecho", "serve")...).end()
		if status != 0 || strings.ContainsAny(shown, "\x1b\a\r\u202e") || !strings.Contains(shown, `\u001b[2Jover`) {
			t.Errorf("%v: status %d, %q", flags, status, shown)
		}
	}
	shown, status := startInPty(t, 80, "prompt", "no\x1b[31msuch", "--no-color", "--", "mcpecho", "serve").end()
	if status != failure.Refused || strings.Contains(shown, "\x1b") {
		t.Errorf("status %d, %q", status, shown)
	}
}

func TestProgressIsShownAndGoesAway(t *testing.T) {
	t.Parallel()
	shown, status := startInPty(t, 80, "call", "slow", "seconds=0.6", "steps=3", "--", "mcpecho", "serve").end()
	bar := "slow [#############-------] 66% step 2 of 3"
	if status != 0 || !strings.Contains(shown, bar) || !strings.HasSuffix(shown, terminal.ClearLine+"Done after 0.6 seconds.\n") {
		t.Errorf("status %d, %q", status, shown)
	}
	quiet, _ := startInPty(t, 80, "call", "-q", "slow", "seconds=0.3", "--", "mcpecho", "serve").end()
	if quiet != "Done after 0.3 seconds.\n" {
		t.Errorf("with -q: %q", quiet)
	}
}

func TestControlCCancelsTheCall(t *testing.T) {
	t.Parallel()
	trace := t.TempDir() + "/trace"
	p := startInPty(t, 80, "call", "slow", "seconds=60", "steps=600", "--trace", trace, "--", "mcpecho", "serve")
	p.until("slow [")
	p.typed("\x03")
	p.wantEnd(failure.Interrupted, "\x1b[31mmcpecho:\x1b[0m interrupted\n")
	data, err := os.ReadFile(trace)
	if err != nil || !strings.Contains(string(data), "notifications/cancelled") {
		t.Errorf("the server was not told: %s, %v", data, err)
	}
}

func TestWatchOnATerminalPrintsTheTime(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	p := startInPty(t, 80, "watch", web.URL, "echo://text", "--no-color")
	p.until("Press Ctrl-C to end.\r\n")
	if o := runCommand(t, "call", web.URL, "update"); o.status != 0 {
		t.Fatalf("%+v", o)
	}
	p.until("updated echo://text\r\n")
	p.typed("\x03")
	shown, status := p.end()
	line := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d updated echo://text$`)
	if status != failure.Interrupted || !line.MatchString(shown) {
		t.Errorf("status %d, %q", status, shown)
	}
}

func TestSecondControlCKillsAtOnce(t *testing.T) {
	t.Parallel()
	server, env := childserver.Command(&testserver.Options{Fault: "ignores-eof"})
	args := []string{"call", "slow", "seconds=60", "steps=600"}
	for _, e := range env {
		args = append(args, "-e", e)
	}
	p := startInPty(t, 80, append(append(args, "--"), server...)...)
	p.until("slow [")
	// One that comes before the first has been dealt with counts as the same.
	for buf := make([]byte, 4096); ; {
		p.typed("\x03")
		_ = p.master.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		n, err := p.master.Read(buf)
		if p.output.Write(buf[:n]); err != nil && !os.IsTimeout(err) {
			break // no process has the terminal open
		}
	}
	_ = p.cmd.Wait()
	// The system kills the program or, if two signals arrive at once, it exits itself.
	status := p.cmd.ProcessState.ExitCode()
	if shown := p.output.String(); status != -1 && status != failure.Interrupted || strings.Contains(shown, "interrupted") {
		t.Errorf("ended with %v after %q", p.cmd.ProcessState, shown)
	}
}

func TestClosedPipeEndsTheProgramQuietly(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(mcpechoPath(t), serverArgs(t, []string{"tools", "--", "mcpecho", "serve"})...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != failure.ClosedPipe || stderr.Len() > 0 {
		t.Errorf("%v: %s", err, stderr.String())
	}
}

// A message that is longer than a line breaks between words, and never in what the
// user may type.
func TestMessagesOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	shown, _ := startInPty(t, 44, "call", "add", "aa=x", "b=2", "--no-color", "--", "mcpecho", "serve").end()
	if want := "mcpecho: the tool \"add\" has no argument"; !strings.HasPrefix(shown, want) {
		t.Errorf("got\n%s\nwant\n%s", shown, want)
	}
	_, slave := openPty(t, 40)
	defer slave.Close()
	c := &invocation{environment: &environment{stderr: slave}}
	for text, want := range map[string]string{
		"short; type: this": "short; type: this",
		"theirs is not searched, because it is untrusted; to trust it, type: mcpecho trust theirs":              "theirs is not searched, because it is\nuntrusted; to trust it, type:\nmcpecho trust theirs",
		"the tools of one server are from an earlier search; to ask again, type: mcpecho search word --refresh": "the tools of one server are from an\nearlier search; to ask again, type:\nmcpecho search word --refresh",
		"a server that has no tool of this name is this one; to see it, type: ls":                               "a server that has no tool of this name\nis this one; to see it, type: ls",
	} {
		if got := c.folded(text); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
