package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/lineedit"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// errLeave ends the shell.
var errLeave = errors.New("leave")

// greet says what the user is connected to.
func (sh *shell) greet() {
	info := sh.current().Server()
	name := strings.TrimSpace(info.Name + " " + info.Version)
	sh.note("Connected to " + terminal.EscapeName(name) + " (" + info.ProtocolVersion + `). Type "help" for the commands, "exit" to leave.`)
}

// prompt returns the name of the server and >.
func (sh *shell) prompt() string {
	const width = 24
	name := sh.c.target
	if sh.c.entry == nil {
		if s := sh.current(); s != nil {
			name = s.Server().Name
		}
	}
	return terminal.Cut(terminal.EscapeName(terminal.FirstOf(name, "mcpecho")), width) + "> "
}

// interact runs the commands that the user types until the user leaves.
func (sh *shell) interact(ctx context.Context) error {
	sh.history = sh.openHistory()
	style := ""
	if sh.c.hasStyles(sh.c.stderr) {
		style = string(terminal.Bold)
	}
	for {
		sh.notices.Summarize()
		line, err := sh.editor.ReadLine(ctx, &lineedit.Line{
			Prompt: sh.prompt(), Style: style, History: &sh.history.History,
			More:     func(text string) bool { _, open := shellwords.Split(text); return open },
			Complete: sh.complete,
		})
		switch {
		case errors.Is(err, lineedit.ErrInterrupted):
			if strings.TrimSpace(line) == "" && sh.pressedAgain() {
				return context.Canceled
			}
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		sh.record(line)
		commands, _ := shellwords.Split(line)
		for _, words := range commands {
			if _, err := sh.run(ctx, words); err != nil {
				if errors.Is(err, errLeave) {
					return nil
				}
				return err
			}
		}
	}
}

// pressedAgain reports whether this is the second Ctrl-C in succession.
func (sh *shell) pressedAgain() bool {
	sh.mu.Lock()
	again := sh.again
	sh.again = true
	sh.mu.Unlock()
	if !again {
		sh.note("Press Ctrl-C again to leave, or Ctrl-D.")
	}
	return again
}

// openHistory returns the history of the server, which a name without secrets
// identifies, or an empty one with --no-state.
func (sh *shell) openHistory() *state.History {
	if sh.c.flags.NoState {
		return new(state.History)
	}
	return state.NewHistory(sh.c.hide(sh.c.targetName()), sh.c.getenv)
}

// record adds a line to the history. Like other shells, it keeps none that begins
// with a blank, and one with a secret only in memory.
func (sh *shell) record(line string) {
	line = strings.TrimRight(line, " \n")
	switch {
	case line == "" || strings.HasPrefix(line, " "):
	case state.HasSecret(line, sh.c.secrets()):
		sh.history.Add(line)
	default:
		sh.history.Save(sh.ctx, line)
	}
}

// maxScriptLine limits a command of a script, in bytes.
const maxScriptLine = 16 << 20

// script runs the commands that standard input holds, one a line. Its status is
// that of the first command that failed.
func (sh *shell) script(ctx context.Context, prompts bool) error {
	first, number := failure.Done, 0
	in := sh.c.reader()
	if !prompts { // otherwise questions read from there, too
		sh.c.environment.stdin = strings.NewReader("")
	}
	for {
		if prompts {
			_, _ = io.WriteString(sh.c.stderr, sh.prompt())
		}
		text, lines, err := readCommand(ctx, in)
		at := number + 1
		number += lines
		if err != nil && err != io.EOF {
			return err
		}
		commands, open := shellwords.Split(text)
		if open {
			return sh.c.usageHint("line "+strconv.Itoa(at)+": a quote or a JSON value is not closed", "close it with ', \", } or ]")
		}
		for _, words := range commands {
			status, failed := sh.run(ctx, words)
			if first == failure.Done {
				first = status
			}
			dead := status == failure.Unreachable && isDone(sh.current())
			switch {
			case failed != nil && !errors.Is(failed, errLeave):
				return failed
			case failed != nil, status != failure.Done && (sh.c.flags.StopOnError || dead) && !prompts:
				return exitStatus(first)
			}
		}
		if err == io.EOF {
			return exitStatus(first)
		}
	}
}

// exitStatus returns an error that ends the program with the status and prints
// nothing more.
func exitStatus(status int) error {
	if status == failure.Done {
		return nil
	}
	return &failure.Error{Status: status, Reported: true}
}

// readCommand reads lines until quotes and JSON are closed.
func readCommand(ctx context.Context, in *bufio.Reader) (text string, lines int, err error) {
	for {
		line, err := input.Await(ctx, func() ([]byte, error) { return input.ReadLine(in, maxScriptLine-len(text)) })
		if ctx.Err() != nil {
			return "", lines, context.Cause(ctx)
		}
		lines++
		if errors.Is(err, mcp.ErrTooLarge) {
			return "", lines, errors.New("a command of the script is longer than " + strconv.Itoa(maxScriptLine) + " bytes")
		}
		text += string(line)
		if _, open := shellwords.Split(text); err != nil || !open {
			return text, lines, err
		}
	}
}

// run runs a command and reports its error. The error that it returns ends the
// shell.
func (sh *shell) run(ctx context.Context, words []shellwords.Word) (status int, err error) {
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = w.Text
	}
	command, cancel := context.WithCancel(ctx)
	defer cancel()
	sh.mu.Lock()
	sh.cancel, sh.again = cancel, false
	sh.mu.Unlock()
	before := sh.seen
	sh.seen, _ = sh.notices.Seen()
	sh.began.Store(true)
	c := sh.invocation()
	c.typed = args
	err = sh.dispatch(command, c, args, before)
	sh.mu.Lock()
	sh.cancel, sh.again = nil, false // Ctrl-C that ended the command does not count at the prompt
	sh.mu.Unlock()
	if errors.Is(err, errLeave) || ctx.Err() != nil {
		return failure.Done, cmp.Or(context.Cause(ctx), err)
	}
	return c.report(command, err), nil
}

// invocation returns a command of the shell that has no arguments yet.
func (sh *shell) invocation() *invocation {
	c := *sh.c
	c.command, c.args, c.flags.Given, c.onLog, c.output = nil, nil, nil, nil, nil
	return &c
}

// dispatch runs a command of the shell, or one of the command line.
func (sh *shell) dispatch(ctx context.Context, c *invocation, args []string, before int) error {
	switch args[0] {
	case "exit", "quit":
		return errLeave
	case "help", "?":
		return sh.help(c, args[1:])
	case "restart":
		return sh.restart(ctx)
	case "unwatch":
		sh.unwatch()
		return nil
	case "wait":
		return sh.wait(ctx, c, args[1:], before)
	}
	if err := c.parseInShell(args); err != nil {
		return err
	}
	if c.flags.Help {
		return sh.help(c, []string{c.command.name})
	}
	if c.flags.IsGiven("timeout") && c.flags.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.flags.Timeout)
		defer cancel()
	}
	return c.runCommand(ctx)
}

// outsideOfShell are the commands that have no use in a shell.
var outsideOfShell = []string{"shell", "serve", "ui", "completion"}

// parseInShell parses a command line without a target.
func (c *invocation) parseInShell(args []string) error {
	c.flags.JSON = c.flags.JSON || slices.Contains(args, "--json")
	name, args := cutName(args)
	c.command = findCommand(name)
	switch {
	case name == "":
		return c.usageHint("a command is missing", `"help" lists the commands`)
	case c.command == nil:
		known := []string{"exit", "help", "restart", "unwatch", "wait"}
		for _, cmd := range shellCommands() {
			known = append(append(known, cmd.name), cmd.aliases...)
		}
		return c.usageHint("unknown command "+wire.Quote(name)+failure.DidYouMean(name, known), `"help" lists the commands`)
	case slices.Contains(outsideOfShell, c.command.name):
		return c.usageHint(c.command.name+" does not work in the shell", `"exit" leaves the shell`)
	}
	if err := c.parseFlags(args); err != nil {
		return err
	}
	for _, given := range c.flags.Given {
		if slices.Contains(connectionFlags, given.Name) && given.Name != "timeout" && given.Name != "q" {
			return c.usageHint("the shell is already connected: --"+given.Name+" must be on the command line that starts the shell", `"exit" leaves the shell`)
		}
	}
	if c.flags.Help {
		return nil
	}
	switch cmd := c.command; {
	case len(c.args) < cmd.min:
		return c.usage(cmd.name + " needs " + strings.Fields(cmd.args)[len(c.args)])
	case cmd.max >= 0 && len(c.args) > cmd.max:
		return c.usage("too many arguments: " + cmd.title() + " does not accept " + wire.Quote(c.args[cmd.max]))
	}
	return nil
}

// inShell reports whether the command is one of a shell, which needs no target.
func (c *invocation) inShell() bool { return c.shell != nil && c != c.shell.c }

// shellCommands returns the commands that work in the shell.
func shellCommands() []*command {
	return slices.DeleteFunc(commands(), func(c *command) bool { return slices.Contains(outsideOfShell, c.name) })
}

// help prints the commands of the shell, or describes one.
func (sh *shell) help(c *invocation, args []string) error {
	width := c.helpWidth()
	if len(args) > 0 {
		cmd := findCommand(args[0])
		if cmd == nil {
			return c.parseInShell(args[:1]) // says so
		}
		short, long := cmd.inShell()
		text := reflow(short+".", width) + "\n\nUsage:\n  " + cmd.usageInShell() + "\n"
		if long != "" {
			text += "\n" + reflow(long, width) + "\n"
		}
		flags := slices.DeleteFunc(slices.Clone(cmd.flags), func(name string) bool {
			return slices.Contains(connectionFlags, name) && name != "timeout" && name != "q"
		})
		if len(flags) > 0 {
			text += "\nFlags:\n" + helpFlags(flags, width)
		}
		return c.print(text)
	}
	var b bytes.Buffer
	b.WriteString("Commands, without a target:\n")
	for _, cmd := range shellCommands() {
		short, _ := cmd.inShell()
		b.WriteString(helpEntry(cmd.name, short, 12, width))
	}
	b.WriteString("\nOf the shell itself:\n" +
		helpEntry("unwatch", `End what "watch" began`, 12, width) +
		helpEntry("wait [TIME]", "Wait for the next notification, 10s at most", 12, width) +
		helpEntry("restart", "Connect again", 12, width) +
		helpEntry("exit", "Leave; so does Ctrl-D", 12, width) + "\n" +
		reflow(`A JSON object needs no quotes, and may have several lines. Tab completes, Ctrl-R searches the history, Ctrl-C cancels a command.
"help COMMAND" has the details.
`, width))
	return c.print(b.String())
}

// inShell returns the descriptions of the command in the shell.
func (c *command) inShell() (short, long string) {
	switch c.name {
	case "watch":
	case "diff":
		return "Show what changed since a recording, or compared with another server",
			`OLD is a URL, the NAME of a configured server, FILE:NAME, a recording, or a command in
quotes. The server of the shell is the new one.`
	default:
		return c.short, c.long
	}
	return "Print changes of resources and logs from now on",
		`Returns at once. A line is printed for each change and each log message as it comes,
between the commands, until "unwatch". --json prints the notifications as JSON.`
}

// usageInShell returns the usage line without the target.
func (c *command) usageInShell() string {
	text := c.name
	if c.actions != nil {
		text += " [" + strings.Join(c.actions, "|") + "]"
	}
	switch {
	case c.pair:
		text += " OLD"
	case c.args != "":
		text += " " + c.args
	}
	return text
}

// watch prints changes of resources from now on, and does not wait for them.
func (sh *shell) watch(ctx context.Context, c *invocation) error {
	return sh.with(ctx, func(s *conversation) error {
		sh.asJSON.Store(c.flags.JSON)
		logs := c.enableLogs(ctx, s)
		if len(c.args) == 0 {
			if !logs {
				c.note(s, "Changes of lists are printed anyway. Add a URI to watch a resource.")
			}
			return nil
		}
		if err := checkSubscribable(s); err != nil {
			return err
		}
		sub, err := s.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: c.args})
		if errors.Is(err, mcp.ErrNoChanges) {
			return &failure.Error{Status: failure.Refused, Kind: "not_found", Message: "the server will not report changes of " + strings.Join(c.args, ", ")}
		}
		if err != nil {
			return err
		}
		sh.mu.Lock()
		sh.watched = append(sh.watched, sub)
		sh.mu.Unlock()
		go sh.follow(sub) // ends with the subscription
		for _, uri := range c.args {
			if agreed := sub.Honored().ResourceSubscriptions; s.Server().Modern() && !slices.Contains(agreed, uri) {
				c.note(s, "The server will not report changes of "+uri+".")
			} else if sh.editor != nil {
				c.note(s, "Watching "+uri+`. "unwatch" ends that.`)
			}
		}
		return nil
	})
}

func (sh *shell) unwatch() {
	sh.mu.Lock()
	watched := sh.watched
	sh.watched = nil
	sh.asJSON.Store(sh.c.flags.JSON)
	sh.mu.Unlock()
	for _, sub := range watched {
		sub.Close()
	}
}

// defaultWait is how long wait waits.
const defaultWait = 10 * time.Second

// wait waits for a notification after the command before it began.
func (sh *shell) wait(ctx context.Context, c *invocation, args []string, before int) error {
	d := defaultWait
	if len(args) > 1 {
		return c.usageHint("too many arguments: wait does not accept "+wire.Quote(args[1]), "usage: wait [TIME]")
	}
	if len(args) == 1 {
		var err error
		if d, err = flags.ParseWait(args[0]); err != nil {
			return c.usageHint("wait: "+err.Error(), "usage: wait [TIME]")
		}
	}
	limit := make(<-chan time.Time)
	if d > 0 {
		limit = time.After(d)
	}
	for {
		total, more := sh.notices.Seen()
		if total > before {
			return nil
		}
		select {
		case <-more:
		case <-limit:
			return &failure.Error{Status: failure.Unreachable, Kind: "timeout", Message: "no notification within " + d.String()}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
