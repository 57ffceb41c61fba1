package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/guess"
	"github.com/stdmcp/stdmcp/internal/httpx"
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
// Inlined, it would add 5 KB to mcpecho.
//
//go:noinline
func cutServer(args []string) (before, after []string) {
	i := indexWord(args, "--")
	if i < 0 {
		return args, nil
	}
	return args[:i:i], append([]string{}, args[i+1:]...)
}

// curlFlags are flags of curl with a value, which is no command.
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

// sampleServer is a command that starts a server, for suggestions.
const sampleServer = "npx -y @modelcontextprotocol/server-everything stdio"

// takeTarget takes the target from the arguments and checks the number of the
// others.
func (c *invocation) takeTarget() error {
	cmd := c.command
	if !hasWord(checksConfig, cmd.name) {
		if err := c.checkFiles(); err != nil {
			return err
		}
	}
	if len(c.args) > 0 && c.server == nil && (hasWord(cmd.actions, c.args[0]) || len(c.args) > 1 && cmd.synonyms[c.args[0]] != "") {
		// The target comes first, as for the other commands.
		end := min(2, len(c.args))
		c.args = slices.Concat(c.args[1:end], c.args[:1], c.args[end:])
		if end == 1 {
			c.args = nil
		}
	}
	if c.flags.Dir != "" && cmd.target {
		if info, err := os.Stat(c.flags.Dir); err != nil {
			return c.usageHint("--cwd: "+err.Error(), "correct the folder")
		} else if !info.IsDir() {
			return c.usageHint("--cwd: "+wire.Quote(c.flags.Dir)+" is not a folder", "correct the folder")
		}
	}
	if key, _, ok := strings.Cut(strings.Join(c.server[:min(1, len(c.server))], ""), "="); ok && cmd.min > 0 && cmd.target && !strings.ContainsAny(key, "/.") {
		before, _ := cutServer(c.typed)
		if len(c.args) > 1 {
			return c.suggest("the arguments belong before --", append(before, c.server...))
		}
	}
	if len(c.args) == 1 && len(c.server) > 0 && cmd.min > 0 && cmd.target && c.isServer(c.args[0]) && !guess.NamesServer(c.server) {
		return c.suggest("-- stands before a command that starts a server", append(c.without(), c.server...))
	}
	if near := nearest.Names(strings.Join(c.args[:min(1, len(c.args))], ""), cmd.actions); cmd.actions != nil && len(c.args) > 1 && c.server == nil && !hasWord(cmd.actions, c.args[1]) && len(near) > 0 && len(c.configured(c.args[0])) == 0 {
		return c.suggest(cmd.name+" has no action "+wire.Quote(c.args[0])+" (did you mean "+wire.Quote(near[0])+"?)", c.retyped(c.args[0], near[0]))
	}
	switch {
	case c.server != nil && cmd.name == "":
		return c.suggest("a command is missing before --", append([]string{"tools"}, c.typed...))
	case c.server != nil && cmd.web && cmd.target:
		return c.suggest(cmd.name+" needs a server at a URL, not one that is started", c.sampleLine())
	case c.server != nil && !cmd.target && !cmd.started:
		return c.suggest(cmd.name+" does not start a server", c.without())
	case c.server != nil && cmd.pair && len(c.server) > 0:
	case len(c.server) == 0 && c.server != nil && len(c.args) > 0 && c.isServer(c.args[0]):
		return c.suggest("the command that starts a server is missing after --", c.without())
	case c.server != nil && len(c.server) == 0:
		return c.suggest("the command that starts the server is missing after --", append(cloneWords(c.typed), strings.Fields(sampleServer)...))
	case c.server != nil:
		if err := c.checkServer(); err != nil {
			return err
		}
	case cmd.target && len(c.args) == 0:
		if len(c.flags.Config) > 0 {
			if known := serverNames(config.LoadFile(c.flags.Config[0])); len(known) > 0 {
				return c.suggest("the server is missing", slices.Insert(cloneWords(c.typed), indexWord(c.typed, c.typedCommand())+1, known[0]))
			}
		}
		hint := "type: " + c.paste(c.sampleLine())
		if !cmd.web {
			hint += " (or the server's command after --)"
		}
		return c.usageHint("the server is missing", hint)
	case cmd.target:
		c.target, c.args = c.args[0], c.args[1:]
		if err := c.findTarget(); err != nil {
			return err
		}
	}
	switch {
	case len(c.args) < cmd.min:
		return c.missingArgument()
	case cmd.max >= 0 && len(c.args) > cmd.max:
		return c.extraArgument(c.args[cmd.max])
	case cmd.tool && len(c.args) > 0 && cmd.min > 0 && (strings.Contains(c.args[0], "=") || strings.HasPrefix(c.args[0], "@") && isFile(c.args[0][1:])):
		return c.missingTool()
	case cmd.name == "raw" && strings.HasPrefix(c.args[0], "{"):
		return c.missingMethod()
	case cmd.pair:
		_, err := c.diffSides()
		return err
	}
	return nil
}

// sampleLine returns the user's command line with a server at a URL, which is missing or
// not what the user has typed.
func (c *invocation) sampleLine() []string {
	line := c.without()
	if at := indexWord(line, c.target); c.target != "" && at >= 0 {
		line[at] = sampleURL
	} else {
		line = append(line, sampleURL)
	}
	if len(c.args) == 0 {
		line = append(line, strings.Fields(c.command.sample)...)
	}
	return line
}

// checkServer reports a URL after --, or a URL and a command.
func (c *invocation) checkServer() error {
	before, _ := cutServer(c.typed)
	if strings.Contains(c.server[0], "://") {
		at := indexWord(before, c.typedCommand()) + 1
		if c.command.started {
			at = len(before)
		}
		return c.suggest("a URL does not belong after --", slices.Insert(cloneWords(before), at, c.server[0]))
	}
	if env, server := guess.Environment(c.server); env != nil {
		return c.suggest("the variables of a server's environment belong before --", withServer(append(before, env...), server))
	}
	if c.flags.Transport != "" || c.flags.Header != nil || c.flags.Insecure {
		return c.suggest("-t, -H and --insecure need a server at a URL, not one that is started", withServer(c.without("transport", "header", "insecure"), c.server))
	}
	return nil
}

// typedCommand returns the user's word for the command.
func (c *invocation) typedCommand() string {
	before, _ := cutServer(c.typed)
	name, _ := cutName(before)
	return name
}

// findTarget checks the target, which is a URL or names a configured server.
func (c *invocation) findTarget() error {
	if c.target == "-" {
		return c.suggest("a command that starts a server belongs after two dashes", c.retyped("-", "--"))
	}
	if strings.Contains(c.target, "://") {
		u, err := httpx.Parse(c.target)
		if err == nil {
			if err = flags.CheckPort(u.Port()); err != nil {
				return c.usageHint(err.Error(), "correct the port")
			}
			return nil
		}
		if c.command.name == "read" && len(c.args) < 2 {
			return c.explainReadURI()
		}
		if better := guess.URL(c.target); better != "" {
			return c.suggest(err.Error(), c.retyped(c.target, better))
		}
		return c.suggest(err.Error(), c.sampleLine())
	}
	return c.findEntry()
}

// explainReadURI returns the failure for a URI of a resource in place of the server.
func (c *invocation) explainReadURI() error {
	line, known := cloneWords(c.typed), serverNames(c.loadAll())
	at := indexWord(line, c.target)
	server, uri, joined := strings.Cut(c.target, "/")
	switch {
	case joined && hasWord(known, server):
		return c.suggest("the server and the URI are separate words", slices.Replace(line, at, at+1, server, uri))
	case len(c.args) > 0:
		line = slices.Insert(slices.DeleteFunc(line, func(word string) bool { return word == c.args[0] }), at, c.args[0])
		return c.suggest("the server comes first", line)
	case len(known) > 0:
		return c.suggest("the server is missing", slices.Insert(line, at, known[0]))
	}
	return c.suggest("the server is missing", slices.Insert(line, at, sampleURL))
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
	for _, given := range c.flags.Given {
		line = append(line, given.Words...)
	}
	return c.suggest(wire.Quote(name)+" is a program; the command that starts a server belongs after --", withServer(line, server))
}
