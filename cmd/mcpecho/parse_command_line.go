package main

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// parse parses the command line. The invocation is valid even with an error,
// because it determines how the error is reported.
func parse(e *environment, args []string) (*invocation, error) {
	e.console()
	c := &invocation{environment: e, flags: flags.Defaults(), typed: args, sent: recording.NewSecrets()}
	args, c.server = cutServer(args)
	// An error in a flag before --json must be reported as JSON too.
	c.flags.JSON = hasWord(args, "--json")

	name, args := cutName(cutMethod(args))
	name, args = c.listWord(name, args)
	switch {
	case name == "" && len(args) == 0:
		c.command = tourCommand()
	case name == "" && c.server != nil && c.onTerminal():
		c.command = findCommand("shell")
	case name == "":
		c.command = tourCommand() // of whose flags some are given, or --help or --version
	default:
		switch c.command = findCommand(name); {
		case c.command != nil:
		case c.server == nil && c.isCall(name, args):
			c.command, args = findCommand("call"), append([]string{name}, args...)
		case c.server == nil && c.onTerminal() && c.isServer(name):
			c.command, args = findCommand("shell"), append([]string{name}, args...)
		}
		if file, _ := cutName(args); (c.command == nil && hasWord(viewWords, name) || c.command != nil && c.command.name == "info") && isRecording(file) {
			c.command = findCommand("view")
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

// viewWords mean view, if a recording follows.
var viewWords = []string{"logs", "tail", "log", "open", "print", "messages", "traffic"}

// checksConfig are the commands that may create the file of -c, or report what is wrong
// with it beside their result.
var checksConfig = []string{"add", "remove", "servers"}

// onTerminal reports whether the user can type commands.
func (c *invocation) onTerminal() bool { return c.isTerminal(c.stdin) && c.isTerminal(c.stderr) }

// isServer reports whether name is a URL, @NAME or a configured server.
func (c *invocation) isServer(name string) bool {
	return strings.HasPrefix(name, "@") && hold.IsName(name[1:]) || strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") || config.Load(".", c.configFlags()...).Server(name) != nil
}

// cutServer returns the arguments before and after --; after is nil without it.
func cutServer(args []string) (before, after []string) {
	i := indexWord(args, "--")
	if i < 0 {
		return args, nil
	}
	return args[:i:i], append([]string{}, args[i+1:]...)
}

// valueFlags are flags of other programs with a value, which is not a command.
var valueFlags = []string{"-X", "--request", "-d", "--data", "--data-raw", "--tool-arg", "--url", "--server", "--tool-name"}

// placedFlags are flags of other programs whose value is the target, or the tool after it.
var placedFlags = map[string]int{"--url": 0, "--server": 0, "--tool": 1, "--tool-name": 1}

// cutMethod returns the method after --method, which other programs have for the command,
// before the other words.
func cutMethod(args []string) []string {
	i := indexWord(args, "--method")
	if i < 0 || i+1 >= len(args) || findCommand(args[i+1]) == nil {
		return args
	}
	rest := slices.Delete(cloneWords(args), i, i+2)
	if name, _ := cutName(rest); findCommand(name) != nil {
		return args
	}
	return append([]string{args[i+1]}, rest...)
}

// cutName removes the name of the command, the first argument that is neither a
// flag nor the value of a flag.
func cutName(args []string) (name string, rest []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !flags.IsFlag(arg) {
			return arg, slices.Delete(cloneWords(args), i, i+1)
		}
		if f, _, hasValue := flags.Find(arg); f != nil && f.Value != "" && !hasValue || f == nil && hasWord(valueFlags, arg) {
			i++
		}
	}
	return "", args
}

// parseFlags separates the flags from the arguments of the command.
func (c *invocation) parseFlags(args []string) error {
	placed := make([]string, 2)
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
			if at, ok := placedFlags[name]; ok && c.command.target && !c.inShell() && (at == 0 || c.command.tool) && (hasValue || len(args) > 0) {
				if placed[at] = value; !hasValue {
					placed[at], args = args[0], args[1:]
				}
				continue
			}
			if words, ok := c.foreignFlag(arg, args); ok {
				args = words
				continue
			}
			err := c.unknownFlag(name)
			if args = c.keepFlag(arg, args, err); args == nil {
				return err
			}
			continue
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
			return c.usage(name + ": " + err.Error())
		}
		c.flags.Given = append(c.flags.Given, given)
	}
	if placed[0] != "" {
		c.args = append([]string{placed[0]}, c.args...)
	}
	if placed[1] != "" {
		at := min(len(c.args), 1)
		if c.server != nil {
			at = 0
		}
		c.args = slices.Insert(c.args, at, placed[1])
	}
	for _, other := range commands() {
		if other.group == "" && other.into == c.command.name && c.flags.IsGiven(other.name) {
			c.command = other
		}
	}
	return nil
}

func (c *command) title() string {
	if c.name == "" {
		return "the tour"
	}
	return c.name
}

func unknownCommand(c *invocation, name string) error {
	help := c.command != nil && c.command.name == "help"
	c.command = nil
	if !help {
		if err := c.commandAfter(name); err != nil {
			return err
		}
	}
	message, near := "unknown command "+wire.Quote(name), nearestCommand(name)
	if near == "" && !help {
		near = nearest.Typo(name, serverNames(config.Load(".", c.configFlags()...)))
	}
	if near != "" {
		return c.suggest(message+" (did you mean "+wire.Quote(near)+"?)", c.renamed(name, near))
	}
	return c.usage(message)
}

// nearestCommand returns the only command of which name is a misspelling, or "".
func nearestCommand(name string) (near string) {
	for _, cmd := range commands() {
		for _, known := range append([]string{cmd.name}, cmd.aliases...) {
			if nearest.Typo(name, []string{known}) == "" {
				continue
			}
			if near != "" {
				return ""
			}
			near = known
			break
		}
	}
	return near
}

// unknownFlag returns the failure for a flag that the command does not have.
func (c *invocation) unknownFlag(name string) error {
	var known []string
	for _, f := range flags.All() {
		if f.Name == "help" || hasWord(c.command.flags, f.Name) {
			known = append(known, f.Names()...)
		}
	}
	message := c.command.title() + " has no flag " + wire.Quote(name)
	const short = len("--x") // of which too many flags are near
	if near := nearest.Typo(name, known); near != "" && len(name) > short && !hasWord(c.typed, near) {
		return c.suggest(message+" (did you mean "+wire.Quote(near)+"?)", c.retyped(name, cmdline.Own(near)...))
	}
	if c.command.target && c.server == nil && len(c.args) > 0 {
		if err := c.programAsTarget(c.args[0]); err != nil {
			return err
		}
	}
	if strings.Contains(c.command.args, "k=v") {
		message += "; an argument is written k=v"
	}
	return c.usage(message)
}

// keepFlag keeps an unknown flag of call, which may be an argument of the tool, and returns
// the words after it. It returns nil for what cannot be one. err is the failure if the tool
// has no such argument.
func (c *invocation) keepFlag(arg string, rest []string, err error) []string {
	key, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	if c.command.name != "call" || key == "" || !strings.HasPrefix(arg, "--") {
		return nil
	}
	bare := false
	if !hasValue && len(rest) > 0 && !flags.IsFlag(rest[0]) {
		value, rest = rest[0], rest[1:]
	} else if !hasValue {
		value, bare = "true", true
	}
	c.flagged = append(c.flagged, flagged{toolargs.Argument{Key: key, Value: value, Json: bare}, err})
	return append([]string{}, rest...)
}

// A flagged argument is a flag that may be an argument of the tool.
type flagged struct {
	toolargs.Argument
	err error // the failure if it is not
}

// isProgramPath reports whether a word is the path of a program, and not a name in PATH.
func isProgramPath(word string) bool { return strings.ContainsAny(word, `/\`) && isProgram(word) }

// launchers are programs that start a server which their arguments name.
var launchers = []string{"npx", "bunx", "uvx", "pipx", "node", "deno", "bun", "uv", "python", "python3", "docker", "podman"}

// programAsTarget returns the failure for a launcher in place of the target, with -- before
// it, or nil. All of the server's command may be in quotes.
func (c *invocation) programAsTarget(name string) error {
	words := strings.Fields(name)
	isPath := len(words) > 0 && isProgramPath(words[0])
	if c.command.web || c.command.min > 0 && !isPath || c.command.started || len(words) == 0 || !hasWord(launchers, words[0]) && !isPath || c.server != nil {
		return nil
	}
	line := cmdline.Own(c.typed...)
	at := line.Index(name)
	message := wire.Quote(words[0]) + " is a program; the command that starts a server belongs after --"
	if at < 0 || len(words) == 1 && at == len(line)-1 && !isPath || len(words) > 1 && strings.ContainsAny(name, "'\"\\") {
		return c.usage(message)
	}
	rest := append(cmdline.Own(words...), line[at+1:]...)
	if len(words) > 1 || isPath && c.target != "" && (c.command.min > 0 || len(c.args) == 0) { // what follows the quoted command is for mcpecho
		return c.suggest(message, withServer(slices.Delete(line, at, at+1), words))
	}
	return c.suggest(message, append(append(line[:at:at], cmdline.Own("--")...), rest...))
}
