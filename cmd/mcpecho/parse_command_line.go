package main

import (
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// parse takes the command line apart. Even with an error, the invocation says
// how the error is to be reported.
func parse(e *environment, args []string) (*invocation, error) {
	c := &invocation{environment: e, flags: defaultFlags()}
	args, c.server = cutServer(args)
	// An error before --json counts as well.
	c.flags.json = slices.Contains(args, "--json")

	name, args := cutName(args)
	switch {
	case name == "" && len(args) == 0:
		c.command = tourCommand()
	case name == "":
		// Flags alone: those of the tour, or --help and --version.
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

// cutServer returns what stands before and after --; after is nil without it.
func cutServer(args []string) (before, after []string) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil
	}
	return args[:i:i], append([]string{}, args[i+1:]...)
}

// cutName removes the name of the command: the first argument that is no flag
// and no value of a flag.
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

// isFlag reports whether arg is a flag. A dash alone stands for standard input.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// findFlag returns the flag that arg is, or nil, and the value after its "=".
func findFlag(arg string) (f *flag, value string, hasValue bool) {
	name, value, hasValue := strings.Cut(arg, "=")
	table := flagTable()
	i := slices.IndexFunc(table, func(f flag) bool { return slices.Contains(f.names(), name) })
	if i < 0 {
		return nil, value, hasValue
	}
	return &table[i], value, hasValue
}

// parseFlags sorts what follows the command into flags and arguments.
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
			return c.usage(name + " takes no value")
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

// takeTarget finds the target among the arguments and counts the others.
func (c *invocation) takeTarget() error {
	cmd := c.command
	switch {
	case c.server != nil && cmd.name == "":
		return c.usageHint("what is to be done with the server after --?", "for one: "+c.name+" tools -- "+strings.Join(c.server, " "))
	case c.server != nil && (!cmd.target || cmd.web):
		return c.usage(cmd.title() + " takes no server after --")
	case c.server != nil && len(c.server) == 0:
		return c.usage("the server's command is missing after --")
	case c.server != nil:
	case cmd.web && len(c.args) == 0:
		return c.usage("which server? Give its URL or name, as in: " + c.name + " " + cmd.name + " https://example.com/mcp")
	case cmd.target && len(c.args) == 0:
		return c.usage("which server? Give its URL or name, or its command after --, as in: " + c.name + " " + cmd.name + " … -- mcpecho serve")
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
		return c.usage("the server is either at a URL or started by what follows --, not both")
	case cmd.max >= 0 && len(c.args) > cmd.max:
		return c.usage(cmd.title() + " takes no argument " + strconv.Quote(c.args[cmd.max]))
	}
	return nil
}

// findTarget looks at the target, which is a URL or names a configured server.
func (c *invocation) findTarget() error {
	if strings.Contains(c.target, "://") {
		if _, err := httpx.Parse(c.target); err != nil {
			return c.usage(err.Error())
		}
		return nil
	}
	if host, _, _ := strings.Cut(c.target, "/"); strings.HasPrefix(host, "localhost") || isAddress(host) {
		return c.usage("a URL begins with http:// or https://: http://" + c.target)
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
	message, near := "there is no command "+strconv.Quote(name), didYouMean(name, known)
	switch {
	case strings.Contains(name, "://"):
		return c.usageHint(strconv.Quote(name)+" is a server; what is to be done with it?", "for one: "+c.name+" tools "+name)
	case near == "" && c.server != nil:
		return c.usageHint(message, "if it is a tool: "+c.name+" call "+name+" … -- "+strings.Join(c.server, " "))
	}
	return c.usage(message + near)
}

// unknownFlag is a failure for the flag name, which stands in arg; rest follows
// it.
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
		near = " (what starts a server goes after --, with its flags)"
	case near == "" && strings.HasPrefix(name, "--") && strings.Contains(c.command.args, "k=v"):
		near = "; its arguments are written " + name[2:] + "=…"
	}
	return c.usage(message + near)
}

// programAsTarget is a failure that says where a program goes which was typed
// as the target, with its arguments, or nil if name is none.
func (c *invocation) programAsTarget(name string, args []string) error {
	isArgument := func(arg string) bool { return strings.Contains(arg, "=") }
	if _, err := exec.LookPath(name); err != nil || c.command.web || c.command.min > 0 && slices.ContainsFunc(args, isArgument) {
		return nil
	}
	// A flag of ours may have a secret behind it.
	ours := func(arg string) bool { f, _, _ := findFlag(arg); return f != nil }
	if i := slices.IndexFunc(args, ours); i >= 0 {
		args = append(args[:i:i], "…")
	}
	args = append([]string{name}, args...)
	command := c.command.name
	if c.command.min > 0 {
		command += " …"
	}
	return c.usageHint(strconv.Quote(name)+" is a program; what starts a server goes after --",
		"type: "+c.name+" "+command+" -- "+strings.Join(args, " "))
}
