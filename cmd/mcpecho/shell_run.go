package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
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
	sh.answer.Store(c.flags.Answer)
	if c.flags.IsGiven("timeout") && c.flags.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.flags.Timeout, diag.NoResponse(c.flags.Timeout))
		defer cancel()
	}
	return c.runCommand(ctx)
}

// outsideOfShell are the commands that have no use in a shell.
var outsideOfShell = []string{"shell", "serve", "ui", "proxy", "completion", "hold", "release"}

// parseInShell parses a command line without a target.
func (c *invocation) parseInShell(args []string) error {
	c.flags.JSON = c.flags.JSON || hasWord(args, "--json")
	args, server := cutServer(args)
	typed := args
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
	case hasWord(outsideOfShell, c.command.name):
		return c.usageHint(c.command.name+" does not work in the shell", `"exit" leaves the shell`)
	case c.session != "" && hasWord(unheld, c.command.name) && !c.command.pair: // a diff uses the session
		return c.usageHint(c.command.name+" needs a server of its own, not a session", `"exit" leaves the shell`)
	case c.command.web && (c.server != nil || c.entry != nil && c.entry.URL == ""):
		return c.usageHint(c.command.name+" needs a server at a URL", `"exit" leaves the shell`)
	case server != nil && c.command.started && !c.command.pair:
		c.server = server
	case server != nil:
		return c.suggest("the shell is already connected to its server", cmdline.Own(typed...))
	}
	if err := c.parseFlags(args); err != nil {
		return err
	}
	for _, given := range c.flags.Given {
		if hasWord(connectionFlags, given.Name) && given.Name != "timeout" && given.Name != "q" {
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

func shellCommands() []*command {
	return slices.DeleteFunc(commands(), func(c *command) bool { return c.group == "" || hasWord(outsideOfShell, c.name) })
}
