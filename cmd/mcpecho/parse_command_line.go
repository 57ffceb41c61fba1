package main

import (
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// parse parses the command line. The invocation is valid even with an error,
// because it determines how the error is reported.
func parse(e *environment, args []string) (*invocation, error) {
	c := &invocation{environment: e, flags: defaultFlags()}
	args, c.server = cutServer(args)
	// An error in a flag before --json must be reported as JSON too.
	c.flags.json = slices.Contains(args, "--json")

	name, args := cutName(args)
	switch {
	case name == "" && len(args) == 0:
		c.command = tourCommand()
	case name == "":
		// Only flags: those of the tour, or --help or --version.
		c.command = tourCommand()
		if slices.Contains(args, "--version") {
			c.command, args = findCommand("version"), nil
		}
	default:
		if c.command = findCommand(name); c.command == nil {
			return c, unknownCommand(c, name)
		}
	}
	if err := c.parseFlags(args); err != nil {
		return c, err
	}
	if c.flags.help {
		c.args = nil
		if c.command.name != "" {
			c.args = []string{c.command.name}
		}
		c.command = findCommand("help")
		return c, nil
	}
	return c, c.takeTarget()
}

// cutServer returns the arguments before and after --; after is nil without it.
func cutServer(args []string) (before, after []string) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil
	}
	return args[:i:i], append([]string{}, args[i+1:]...)
}

// cutName removes the name of the command, the first argument that is neither a
// flag nor the value of a flag.
func cutName(args []string) (name string, rest []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !isFlag(arg) {
			return arg, slices.Delete(slices.Clone(args), i, i+1)
		}
		if f, _, hasValue := findFlag(arg); f != nil && f.value != "" && !hasValue {
			i++
		}
	}
	return "", args
}

// isFlag reports whether arg is a flag. A single dash means standard input.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// findFlag returns the flag in arg, or nil, and the value after its "=".
func findFlag(arg string) (f *flag, value string, hasValue bool) {
	name, value, hasValue := strings.Cut(arg, "=")
	table := flagTable()
	i := slices.IndexFunc(table, func(f flag) bool { return slices.Contains(f.names(), name) })
	if i < 0 {
		return nil, value, hasValue
	}
	return &table[i], value, hasValue
}

// parseFlags separates the flags from the arguments of the command.
func (c *invocation) parseFlags(args []string) error {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !isFlag(arg) {
			c.args = append(c.args, arg)
			continue
		}
		f, value, hasValue := findFlag(arg)
		name, _, _ := strings.Cut(arg, "=")
		if f == nil || f.name != "help" && !slices.Contains(c.command.flags, f.name) {
			return c.unknownFlag(name, arg, args)
		}
		switch {
		case f.value == "" && hasValue:
			return c.usage(name + " does not take a value")
		case f.value != "" && !hasValue && len(args) == 0:
			return c.usage(name + " needs a value: " + name + " " + f.value)
		case f.value != "" && !hasValue:
			value, args = args[0], args[1:]
		}
		if err := f.set(&c.flags, value); err != nil {
			return c.usage(name + ": " + err.Error())
		}
		c.flags.given = append(c.flags.given, f.name)
	}
	return nil
}

// takeTarget takes the target from the arguments and checks the number of the
// others.
func (c *invocation) takeTarget() error {
	cmd := c.command
	switch {
	case c.server != nil && cmd.name == "":
		return c.usageHint("a command is missing before --", "for example: "+c.name+" tools -- "+strings.Join(c.server, " "))
	case c.server != nil && (!cmd.target || cmd.web):
		return c.usage(cmd.title() + " does not start a server; remove --")
	case c.server != nil && len(c.server) == 0:
		return c.usage("the command that starts the server is missing after --")
	case c.server != nil:
	case cmd.web && len(c.args) == 0:
		return c.usage("the server is missing: add its URL or name, such as " + c.name + " " + cmd.name + " https://example.com/mcp")
	case cmd.target && len(c.args) == 0:
		return c.usage("the server is missing: add its URL or name, or its command after --, such as " + c.name + " " + cmd.name + " … -- mcpecho serve")
	case cmd.target:
		c.target, c.args = c.args[0], c.args[1:]
		if err := c.findTarget(); err != nil {
			return err
		}
	}
	switch {
	case len(c.args) < cmd.min:
		return c.usage(cmd.name + " needs " + strings.Fields(cmd.args)[len(c.args)])
	case cmd.max >= 0 && len(c.args) > cmd.max && c.server != nil && strings.Contains(c.args[cmd.max], "://"):
		return c.usage("use either a URL or a command after --, not both")
	case cmd.max >= 0 && len(c.args) > cmd.max:
		return c.usage("too many arguments: " + cmd.title() + " does not accept " + strconv.Quote(c.args[cmd.max]))
	}
	return nil
}

// findTarget checks the target, which is a URL or names a configured server.
func (c *invocation) findTarget() error {
	if strings.Contains(c.target, "://") {
		if _, err := httpx.Parse(c.target); err != nil {
			return c.usage(err.Error())
		}
		return nil
	}
	if host, _, _ := strings.Cut(c.target, "/"); strings.HasPrefix(host, "localhost") || isAddress(host) {
		return c.usage("a URL must begin with http:// or https://; did you mean http://" + c.target + "?")
	}
	return c.findEntry()
}

// isAddress reports whether s looks like host:port.
func isAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	_, notNumber := strconv.ParseUint(port, 10, 16)
	return err == nil && notNumber == nil
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
	c.command = nil
	message, near := "unknown command "+strconv.Quote(name), didYouMean(name, known)
	switch {
	case strings.Contains(name, "://"):
		return c.usageHint("a command is missing before the URL "+strconv.Quote(name), "for example: "+c.name+" tools "+name)
	case near == "" && c.server != nil:
		return c.usageHint(message, "to call a tool: "+c.name+" call "+name+" … -- "+strings.Join(c.server, " "))
	}
	return c.usage(message + near)
}

// unknownFlag returns the failure for the flag name in arg, which rest follows.
func (c *invocation) unknownFlag(name, arg string, rest []string) error {
	var known []string
	for _, f := range flagTable() {
		if f.name == "help" || slices.Contains(c.command.flags, f.name) {
			known = append(known, f.names()...)
		}
	}
	message, near := c.command.title()+" has no flag "+strconv.Quote(name), didYouMean(name, known)
	switch {
	case near == "" && c.command.target && c.server == nil && len(c.args) > 0:
		if err := c.programAsTarget(c.args[0], append(append(c.args[1:], arg), rest...)); err != nil {
			return err
		}
		near = " (a command that starts a server belongs after --, with its flags)"
	case near == "" && strings.HasPrefix(name, "--") && strings.Contains(c.command.args, "k=v"):
		near = "; write an argument as " + name[2:] + "=…"
	}
	return c.usage(message + near)
}

// programAsTarget returns a failure if name, typed as the target, is a program,
// with the corrected command line. Otherwise it returns nil.
func (c *invocation) programAsTarget(name string, args []string) error {
	isArgument := func(arg string) bool { return strings.Contains(arg, "=") }
	if _, err := exec.LookPath(name); err != nil || c.command.web || c.command.min > 0 && slices.ContainsFunc(args, isArgument) {
		return nil
	}
	// The value of one of our own flags may be a secret.
	ours := func(arg string) bool { f, _, _ := findFlag(arg); return f != nil }
	if i := slices.IndexFunc(args, ours); i >= 0 {
		args = append(args[:i:i], "…")
	}
	args = append([]string{name}, args...)
	command := c.command.name
	if c.command.min > 0 {
		command += " …"
	}
	return c.usageHint(strconv.Quote(name)+" is a program; a command that starts a server belongs after --",
		"type: "+c.name+" "+command+" -- "+strings.Join(args, " "))
}
