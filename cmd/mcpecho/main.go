// Command mcpecho calls MCP servers from a shell or a script, and is an echo
// server for trying out clients. Without arguments it gives a tour of both.
//
// The target is a URL, the name of a server in .mcp.json, or a command after --
// that starts a server:
//
//	mcpecho tools -- npx -y @modelcontextprotocol/server-everything stdio
//	mcpecho call https://example.com/mcp echo message=hi
//	mcpecho info weather
//	mcpecho serve --http 127.0.0.1:3001
//
// The result goes to standard output and everything else to standard error.
// With --json the result is the object that the specification defines, and an
// error is a JSON object on one line of standard error. The exit status is 0 for
// success, 1 for wrong usage or a file error, 3 for missing authorization, 4 for a
// server that is unreachable, crashed or timed out, 5 for a request that the
// server or the tool refused, and 130 after an interrupt (143 after SIGTERM, 129 after
// SIGHUP, 141 if the reader of standard output has closed it).
//
// "mcpecho help" lists the commands, and "mcpecho help COMMAND" has examples.
package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/secrets"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/system"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

func main() {
	// The first signal cancels the command, unless a shell uses it; the second one
	// kills the program, even if it arrives together with the first. A terminal that is
	// closed may send several.
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	interrupts := &interrupts{signals: signals}
	signal.Notify(signals, append(system.Hangups(), os.Interrupt, syscall.SIGTERM)...)
	var ended atomic.Int32 // the status after a signal
	ended.Store(failure.Interrupted)
	go func() { // ends with the program
		for s := range signals {
			if s == syscall.SIGTERM {
				ended.Store(failure.Terminated)
			} else if s != os.Interrupt {
				ended.Store(failure.HungUp)
			}
			if s != os.Interrupt || !interrupts.handled() {
				break
			}
		}
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		cancel()
		for s := range signals {
			if !slices.Contains(system.Hangups(), s) {
				os.Exit(int(ended.Load()))
			}
		}
	}()

	system.IgnoreBrokenPipe()

	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	status := run(ctx, os.Args[1:], &environment{
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
		self:   self,
		name:   typedName(os.Args[0]),

		interrupts: interrupts,
	})
	interrupts.close()
	if status == failure.Interrupted {
		status = int(ended.Load())
	}
	os.Exit(status)
}

// An environment is what a run of the program needs from outside.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	self           string      // path of this program, which the tour starts
	name           string      // the command that the user types to start it
	interrupts     *interrupts // decides what Ctrl-C does; nil means that it ends the program
	suggested      []string    // the messages of the suggestions that led to the command line that is parsed

	lines *terminal.Console // of stderr; nil until console returns it
}

// console returns the console of standard error. The first call must come before further
// goroutines print.
func (e *environment) console() *terminal.Console {
	if e.lines == nil {
		e.lines = &terminal.Console{Out: e.stderr}
	}
	return e.lines
}

// An invocation is a run of one command.
type invocation struct {
	*environment
	command *command
	flags   flags.Values
	target  string         // the TARGET; empty if server is set
	entry   *config.Server // the configured server that target names, or nil
	inputs  *inputs        // values that the configuration asks the user for
	server  []string       // the command after --; nil without it
	args    []string       // the other arguments
	flagged []flagged      // flags of call that may be arguments of the tool
	typed   []string       // the whole command line

	warnedInsecure bool // the warning of --insecure has been printed

	auth *oauth.Transport // sends the tokens of a login; nil without one

	otherTransport mcp.Transport // to a URL whose transport the user has chosen; nil without a choice

	sent     *recording.Secrets // values of arguments with the names of secrets
	recorder *recorder          // of --record; nil without it
	output   *output            // of -o; nil without it

	shell *shell // the session that runs the command; nil outside of a shell

	session string         // the NAME of the target @NAME; empty for another target
	held    *config.Server // the entry of that session's server; may be nil
	hold    *hold.Holder   // what runHold serves

	onSent func(message []byte) // receives the messages that the client sends; may be nil

	onHTTP func(*recording.HTTP, time.Duration) // receives the HTTP requests and responses; may be nil

	onLog func(*mcp.LogMessage) // receives the server's logs; nil means standard error
}

// run executes the command line args and returns the exit status.
func run(ctx context.Context, args []string, e *environment) int {
	c, err := parse(e, args)
	if err == nil {
		err = c.runCommand(ctx)
	}
	return c.report(ctx, err)
}

// typedName returns the command with which the user can start the program again.
// A program that "go run" built is in a temporary directory or in Go's cache.
func typedName(arg0 string) string {
	digits, cached := strings.CutSuffix(filepath.Base(filepath.Dir(arg0)), "-d")
	cached = cached && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
	if !cached && !strings.Contains(arg0, "go-build") {
		return arg0
	}
	if _, err := os.Stat("cmd/mcpecho"); err == nil {
		return cmdline.GoRunHere
	}
	return cmdline.GoRunLatest
}

// secrets returns the values of -H, those of -e and in the server's command that
// look like secrets, and those of the configured server and of the login.
func (c *invocation) secrets() secrets.Set {
	_, values := diag.PublicArgs(c.server...)
	return secrets.Set{Values: append(values, c.flags.Secrets()...), Entry: c.entry, Login: c.hideLogin, Sent: c.sent}
}

// newTail returns what receives the standard error of a server, which has no login.
func (c *invocation) newTail() *terminal.Tail {
	set := c.secrets()
	set.Login = nil
	return &terminal.Tail{Hide: set.Hider()}
}

func (c *invocation) hideLogin(s string) string {
	if c.auth == nil {
		return s
	}
	return c.auth.Hide(s)
}

// hide replaces the secrets in a text.
func (c *invocation) hide(s string) string { return c.secrets().Hide(s) }

// usage returns a failure of wrong usage.
func (c *invocation) usage(message string) error {
	f := &failure.Error{Status: failure.Usage, Kind: "usage", Message: message, Hint: c.toType("for a list, ", cmdline.Words("help"))}
	if c.command != nil && c.command.name != "" {
		f.Hint = "usage: " + c.name + " " + c.command.usage(c.server != nil)
		if c.inShell() {
			f.Hint = "usage: " + c.command.usageInShell()
		}
	}
	return f
}

// reader returns a reader of standard input.
func (c *invocation) reader() *bufio.Reader { return bufio.NewReader(c.stdin) }

// usageHint returns a failure of wrong usage with its own hint.
func (c *invocation) usageHint(message, hint string) error {
	if hint == "" {
		return c.usage(message)
	}
	return &failure.Error{Status: failure.Usage, Kind: "usage", Message: message, Hint: hint}
}

// maxSuggested limits the mistakes in one command line that a suggestion corrects at once.
const maxSuggested = 4

// suggest returns a failure of wrong usage with the command line that the user meant. It
// parses that line as if the user had typed it: if there is another mistake in it, it
// suggests the line without both. It suggests none if it has no remedy for that, or if the
// line is that of the user or leads to an error that came before.
func (c *invocation) suggest(message string, line cmdline.Line) error {
	e := *c.environment
	words := line.Texts()
	if hasWord(e.suggested, message) || len(e.suggested) > maxSuggested || slices.Equal(words, c.typed) {
		return c.usage(message)
	}
	e.suggested = append(e.suggested[:len(e.suggested):len(e.suggested)], message)
	if err := c.parseAgain(&e, words); err != nil {
		var next *failure.Error
		if !errors.As(err, &next) || next.Line == nil {
			return c.usage(message)
		}
		line = next.Line
	}
	text := c.paste(line)
	if text == "" {
		return c.usage(message)
	}
	return &failure.Error{Status: failure.Usage, Kind: "usage", Message: message, Hint: "type: " + text, Line: line}
}

// parseAgain returns the error of a line that c suggests.
func (c *invocation) parseAgain(e *environment, words []string) (err error) {
	if c.inShell() {
		again := c.shell.invocation()
		again.environment, again.typed = e, words
		return again.parseInShell(words)
	}
	_, err = parse(e, words)
	return err
}

// report prints err to standard error and returns the exit status.
func (c *invocation) report(ctx context.Context, err error) int {
	if err == nil {
		return failure.Done
	}
	if isClosedPipe(err) {
		return failure.ClosedPipe // the reader needs no more output, and no message
	}
	f := *failure.Classify(err)
	if ctx.Err() != nil && f.Status != failure.Usage {
		if c.command != nil && c.command.endless {
			return failure.Interrupted // the normal end
		}
		if f.Status != failure.Interrupted {
			f = *failure.Classify(context.Canceled) // err is a consequence of the interrupt
		}
	}
	if f.Reported {
		return f.Status
	}
	if f.Status == failure.Forbidden && f.Hint == "" {
		f.Hint = c.loginHint()
	}
	if f.Status == failure.Refused && f.Hint == "" {
		f.Hint = c.missingAnswer(err)
	}
	f.Message = c.hide(inSettings(f.Message, err))
	if c.flags.JSON {
		f.Hint, f.Data = c.hide(f.Hint), secrets.HideJSON(f.Data, c.hide)
		_, _ = io.WriteString(c.stderr, terminal.Escape(string(f.AppendJSON(nil)))+"\n")
		return f.Status
	}
	if f.Status == failure.Usage { // which quotes names of servers and files, with their line breaks
		f.Message = failure.Indent(f.Message)
	}
	first, more, _ := strings.Cut(f.Message, "\n")
	first = "mcpecho: " + first
	text := c.folded(first) + "\n"
	if f.Hint != "" && f.Status == failure.Usage { // on one line, if it is long enough
		text = c.folded(first+"; "+f.Hint) + "\n"
	}
	if more != "" {
		text += more + "\n"
	}
	if f.Hint != "" && f.Status != failure.Usage {
		text += f.Hint + "\n"
	}
	st := c.styler(c.stderr)
	text = strings.TrimPrefix(terminal.Escape(text), "mcpecho:")
	for _, mark := range []string{"type: ", "type:\n"} { // the line may be folded
		if before, line, ok := strings.Cut(text, mark); ok && strings.Contains(f.Hint, "type: ") {
			line, after, _ := strings.Cut(line, "\n")
			text = before + mark + st(terminal.Bold, line) + "\n" + after
			break
		}
	}
	_, _ = io.WriteString(c.stderr, st(terminal.Red, "mcpecho:")+text)
	return f.Status
}

// folded breaks a message between words if it is longer than a line of the terminal.
// What the user may type stays whole.
func (c *invocation) folded(message string) string {
	width := c.terminalWidth(c.stderr)
	if width == 0 || terminal.TextWidth(message) < width {
		return message
	}
	reason, typed, ok := strings.Cut(message, "type: ")
	if !ok {
		return terminal.Wrap(message, width-1)
	}
	if reason, alone := strings.CutSuffix(reason, "; "); alone {
		return terminal.Wrap(reason, width-1) + "\ntype: " + typed
	}
	text := terminal.Wrap(reason+"type:", width-1)
	if last := text[strings.LastIndexByte(text, '\n')+1:]; terminal.TextWidth(last+" "+typed) >= width {
		return text + "\n" + typed
	}
	return text + " " + typed
}

// isClosedPipe reports whether writing failed because the reader of standard
// output closed the pipe.
func isClosedPipe(err error) bool {
	var out *outputError
	return errors.As(err, &out) && (system.IsBrokenPipe(out) || errors.Is(out, io.ErrClosedPipe))
}

// An outputError is an error of writing to standard output.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }

func (e *outputError) Unwrap() error { return e.err }
