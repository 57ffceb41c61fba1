package main

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/guess"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// parse parses the command line. The invocation is valid even with an error,
// because it determines how the error is reported.
func parse(e *environment, args []string) (*invocation, error) {
	c := &invocation{environment: e, flags: flags.Defaults(), typed: args, sent: recording.NewSecrets()}
	args, c.server = cutServer(args)
	// An error in a flag before --json must be reported as JSON too.
	c.flags.JSON = hasWord(args, "--json")

	if err := c.longDashes(args); err != nil {
		return c, err
	}
	if err := c.likeInspector(); err != nil {
		return c, err
	}
	name, args := cutName(args)
	name, args = listWord(name, args, c.server)
	switch {
	case name == "" && len(args) == 0:
		c.command = tourCommand()
	case name == "" && c.server != nil && c.onTerminal():
		c.command = findCommand("shell")
	case name == "":
		// Only flags: those of the tour, or --help or --version.
		c.command = tourCommand()
		if hasWord(args, "--version") || hasWord(args, "-V") {
			c.command, args = findCommand("version"), nil
		}
	default:
		switch c.command = findCommand(name); {
		case c.command != nil:
		case c.server == nil && c.isCall(name, args):
			c.command, args = findCommand("call"), append([]string{name}, args...)
		case c.isTarget(name):
			c.command, args = findCommand("shell"), append([]string{name}, args...)
		}
		if file, _ := cutName(args); c.command == nil && hasWord(viewWords, name) || c.command != nil && c.command.name == "info" {
			if isViewable(file) || hasWord([]string{".rec", ".jsonl"}, filepath.Ext(file)) && !c.isServer(file) && c.command == nil {
				c.command = findCommand("view")
			}
		}
		if c.command == nil {
			return c, unknownCommand(c, name)
		}
	}
	if err := c.parseFlags(args); err != nil {
		return c, err
	}
	if c.flags.Help {
		c.args = nil
		if c.command.name != "" {
			c.args = []string{c.command.name}
		}
		c.command = findCommand("help")
		return c, nil
	}
	return c, c.takeTarget()
}

// longDashes returns the failure for dashes that an editor has joined, or typed three
// times, or nil.
func (c *invocation) longDashes(args []string) error {
	for i, word := range args {
		rest := strings.TrimLeft(word, "—–")
		if word == "---" {
			rest = ""
		} else if rest == word || strings.Contains(rest, " ") {
			continue
		}
		words := cloneWords(c.typed)
		words[i] = "--" + rest
		return c.suggest(wire.Quote(word)+" is not "+wire.Quote("--"+rest), words)
	}
	return nil
}

// viewWords are words that mean view, if a recording or a trace follows.
var viewWords = []string{"logs", "tail", "log", "open", "print", "messages", "traffic"}

// checksConfig are the commands that may create the file of -c, or report what is wrong
// with it beside their result.
var checksConfig = []string{"add", "remove", "servers"}

// onTerminal reports whether the user can type commands.
func (c *invocation) onTerminal() bool { return c.isTerminal(c.stdin) && c.isTerminal(c.stderr) }

// isTarget reports whether name, typed in place of a command on a terminal, is a
// server, with which the shell then begins.
func (c *invocation) isTarget(name string) bool {
	return c.server == nil && c.onTerminal() && c.isServer(name)
}

// isServer reports whether name is a URL or a configured server.
func (c *invocation) isServer(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") || config.Load(".", c.configFlags()...).Server(name) != nil
}

// cutServer returns the arguments before and after --; after is nil without it.
func cutServer(args []string) (before, after []string) {
	i := indexWord(args, "--")
	if i < 0 {
		return args, nil
	}
	return args[:i:i], append([]string{}, args[i+1:]...)
}

// curlFlags are flags of curl with a value, which is not a command.
var curlFlags = []string{"-X", "--request", "-d", "--data", "--data-raw"}

// cutName removes the name of the command, the first argument that is neither a
// flag nor the value of a flag.
func cutName(args []string) (name string, rest []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !flags.IsFlag(arg) {
			return arg, slices.Delete(cloneWords(args), i, i+1)
		}
		if f, _, hasValue := flags.Find(arg); f != nil && f.Value != "" && !hasValue || f == nil && hasWord(curlFlags, arg) {
			i++
		}
	}
	return "", args
}

// parseFlags separates the flags from the arguments of the command.
func (c *invocation) parseFlags(args []string) error {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !flags.IsFlag(arg) {
			c.args = append(c.args, arg)
			continue
		}
		f, value, hasValue := flags.Find(arg)
		name, _, _ := strings.Cut(arg, "=")
		if f == nil || f.Name != "help" && !hasWord(c.command.flags, f.Name) {
			if words, ok := c.foreignFlag(arg, args); ok {
				args = words
				continue
			}
			return c.unknownFlag(name, arg, args)
		}
		switch {
		case f.Value == "" && hasValue:
			return c.usage(name + " does not take a value")
		case f.Value != "" && !hasValue && len(args) == 0:
			return c.usage(name + " needs a value: " + name + " " + f.Value)
		}
		given := flags.Given{Name: f.Name, Words: []string{arg}}
		if f.Value != "" && !hasValue {
			value, args = args[0], args[1:]
			given.Words = append(given.Words, value)
		}
		if err := f.Set(&c.flags, value); err != nil {
			return c.badValue(name, value, err)
		}
		c.flags.Given = append(c.flags.Given, given)
	}
	return nil
}

// badValue returns the failure for a flag with an invalid value.
func (c *invocation) badValue(name, value string, err error) error {
	if (name == "-t" || name == "--transport") && c.server != nil && value == "stdio" {
		return c.suggest(name+" is for servers at a URL", withServer(c.without("transport"), c.server))
	}
	var better *flags.BetterValue
	if !errors.As(err, &better) {
		return c.usage(name + ": " + err.Error())
	}
	line := c.retyped(name+"="+value, cmp.Or(better.Flag, name)+"="+better.Value)
	if at := indexWord(c.typed, value); at > 0 {
		line[at-1], line[at] = cmp.Or(better.Flag, line[at-1]), better.Value
	}
	return c.suggest(name+": "+err.Error(), line)
}

// typedCommand returns the user's word for the command.
func (c *invocation) typedCommand() string {
	before, _ := cutServer(c.typed)
	name, _ := cutName(before)
	return name
}

func (c *command) title() string {
	if c.name == "" {
		return "the tour"
	}
	return c.name
}

func unknownCommand(c *invocation, name string) error {
	var known []string
	for _, cmd := range commands() {
		known = append(append(known, cmd.name), cmd.aliases...)
	}
	help := c.command != nil && c.command.name == "help"
	c.command = nil
	if !help {
		if err := c.useOther(name); err != nil {
			return err
		}
		if err := c.commandAfter(name); err != nil {
			return err
		}
	}
	message, near := "unknown command "+wire.Quote(name), nearest.Names(name, known)
	if len(near) == 0 && !help {
		near = nearest.Names(name, serverNames(config.Load(".", c.configFlags()...)))
	}
	switch {
	case len(near) > 0:
		return c.suggest(message+" (did you mean "+wire.Quote(near[0])+"?)", c.retyped(name, near[0]))
	case c.server != nil:
		return c.usageHint(message, "to call a tool, type: "+c.paste(append([]string{"call"}, c.typed...)))
	}
	return c.usage(message)
}

// unknownFlag returns the failure for the flag name in arg, which rest follows.
func (c *invocation) unknownFlag(name, arg string, rest []string) error {
	var known []string
	for _, f := range flags.All() {
		if f.Name == "help" || hasWord(c.command.flags, f.Name) {
			known = append(known, f.Names()...)
		}
	}
	message := c.command.title() + " has no flag " + wire.Quote(name)
	f, _, _ := flags.Find(arg)
	if f != nil && c.command.name == "proxy" && hasWord(resultFlags, f.Name) {
		line := withServer(c.without(f.Name), c.server)
		if f.Name == "output" {
			line = c.retyped(name, "--record")
		}
		return c.suggest(message+": it passes on what the client does", line)
	}
	if line := c.translatedLine(arg); line != nil {
		return c.suggest(message, line)
	}
	argument := c.argumentLine()
	const short = len("--x") // of which too many flags are near
	if near := nearest.Names(name, known); len(near) > 0 && len(name) > short && !hasWord(c.typed, near[0]) {
		return c.suggest(message+" (did you mean "+wire.Quote(near[0])+"?)", c.retyped(name, near[0]))
	}
	if c.command.target && c.server == nil && len(c.args) > 0 {
		if err := c.programAsTarget(c.args[0], append(append(c.args[1:], arg), rest...)); err != nil {
			return err
		}
	}
	if argument != nil {
		return c.suggest(message, argument)
	}
	return c.usage(message)
}

// programAsTarget returns a failure if name, typed as the target, is a program,
// with the corrected command line. Otherwise it returns nil.
func (c *invocation) programAsTarget(name string, args []string) error {
	isArgument := func(arg string) bool { return strings.Contains(arg, "=") }
	server := strings.Fields(name)
	script, rest := guess.CutScript(append([]string{name}, args...))
	switch {
	case c.command.web:
		return nil
	case c.command.min > 0 && len(rest) > 0 && guess.NamesServer(script): // the rest is for the tool
		server, args = script, rest
	case len(server) > 1 && guess.NamesServer(server): // all of it was in quotes
	case guess.Interpreter(name) != nil && len(server) == 1:
		server, args = append(guess.Interpreter(name), args...), nil
	case !guess.NamesServer(append([]string{name}, args...)) || c.command.min > 0 && slices.ContainsFunc(args, isArgument):
		return nil
	default:
		server, args = append([]string{name}, args...), nil
	}
	// The value of one of our own flags may be a secret.
	ours := func(arg string) bool { f, _, _ := flags.Find(arg); return f != nil }
	if i := slices.IndexFunc(server, ours); i >= 0 {
		server = append(server[:i:i], "…")
	}
	line := append([]string{c.command.name}, args...)
	if c.command.min > 0 && len(args) == 0 {
		line = append(line, "…")
	}
	return c.suggest(wire.Quote(name)+" is a program; the command that starts a server belongs after --", withServer(c.flagged(line...), server))
}
