package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/guess"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp"
)

// Users of other programs type their words. Those that mean a command of mcpecho
// and nothing else are its aliases; the others are named in an error.

// otherWords are words of other programs for commands of this one.
var otherWords = map[string]string{
	"run": "call", "exec": "call", "execute": "call", "invoke": "call", "use": "call",
	"start": "serve", "server": "serve", "listen": "serve",
	"config": "servers", "mcp": "servers", "configure": "servers",
	"subscribe": "watch", "tail": "watch", "logs": "watch", "follow": "watch", "notifications": "watch",
	"test": "ping", "health": "ping", "healthcheck": "ping",
	"import": "add", "install": "add", "uninstall": "remove", "delete": "remove",
	"repl": "shell", "connect": "shell", "interactive": "shell", "session": "shell", "console": "shell",
	"doctor": "check", "lint": "check", "validate": "check", "verify": "check",
	"find": "search", "grep": "search",
	"get": "info", "signin": "login", "signout": "logout", "completions": "completion", "man": "help", "usage": "help",
}

// listWord resolves "list" and "ls": a list of a server if one is named, else the
// configured servers.
func listWord(name string, args []string, server []string) (string, []string) {
	if name != "list" && name != "ls" {
		return name, args
	}
	first, rest := cutName(args)
	if cmd := findCommand(first); cmd != nil && slices.Contains([]string{"tools", "resources", "templates", "prompts", "servers"}, cmd.name) {
		return cmd.name, rest
	}
	if first == "" && server == nil {
		return "servers", args
	}
	return "tools", args
}

// likeInspector translates a command line with the flags of Inspector's CLI.
func (c *invocation) likeInspector() error {
	before, server := cutServer(c.typed)
	command, tool := "tools", ""
	var words, args []string
	found := false
	for i := 0; i < len(before); i++ {
		name, value, hasValue := strings.Cut(before[i], "=")
		next := func() string {
			if !hasValue && i+1 < len(before) {
				i++
				return before[i]
			}
			return value
		}
		switch name {
		case "--cli":
			found = true
		case "--method":
			found = true
			if cmd := findCommand(next()); cmd != nil {
				command = cmd.name
			}
		case "--tool-name", "--prompt-name", "--uri":
			tool, found = next(), true
		case "--tool-arg", "--prompt-args":
			args = append(args, next())
		default:
			words = append(words, before[i])
		}
	}
	if !found {
		return nil
	}
	line := []string{command}
	if cmd, rest := cutName(words); server == nil && cmd != "" && findCommand(cmd) == nil {
		if line = append(line, cmd); !strings.Contains(cmd, "://") && len(c.configured(cmd)) == 0 {
			line, server = line[:1], append([]string{cmd}, rest...)
		} else {
			args = append(args, rest...)
		}
	}
	if tool != "" {
		line = append(line, tool)
	}
	line = append(line, args...)
	if server != nil {
		line = append(append(line, "--"), server...)
	}
	return c.usageHint("mcpecho has commands instead of --method", "type: "+c.paste(line))
}

// sameFlags are flags of other programs for flags of this one.
var sameFlags = map[string]string{
	"--verbose": "-v", "--debug": "-v", "--quiet": "-q", "--silent": "-q", "-s": "-q",
	"--port": "--http", "-p": "--http", "--pretty": "",
}

// argumentFlags are flags of other programs whose value is an argument here.
var argumentFlags = []string{"--args", "--arguments", "--params", "--data", "-d", "--input", "--json-args", "--arg", "--param", "--tool-arg"}

// foreignFlag handles a flag of another program. It returns the words that
// replace it and those after it, or false.
func (c *invocation) foreignFlag(arg string, rest []string) (words []string, ok bool) {
	name, value, hasValue := strings.Cut(arg, "=")
	if slices.Contains(argumentFlags, name) && strings.Contains(c.command.args, "k=v") {
		switch {
		case hasValue:
			return append([]string{value}, rest...), true
		case len(rest) > 0:
			return rest, true
		}
		return nil, false
	}
	same, ok := sameFlags[name]
	if !ok || same == "" && hasValue {
		return nil, false
	}
	if same == "" {
		return rest, true
	}
	if f, _, _ := flags.Find(same); !slices.Contains(c.command.flags, f.Name) {
		return nil, false
	}
	if hasValue {
		same += "=" + value
	}
	return append([]string{same}, rest...), true
}

// flagHint returns the hint for a flag that only other programs have, or "".
func (c *invocation) flagHint(arg string, rest []string) string {
	name, value, hasValue := strings.Cut(arg, "=")
	line := slices.Clone(c.typed)
	at := slices.Index(line, arg)
	if at < 0 {
		return ""
	}
	cut := 1
	if !hasValue && len(rest) > 0 && !flags.IsFlag(rest[0]) {
		value, cut = rest[0], 2
	}
	switch name {
	case "--format", "--output-format":
		if value == "json" {
			return "type: " + c.paste(slices.Replace(line, at, at+cut, "--json"))
		}
	case "--bearer", "--token", "--auth-token", "--api-key", "--bearer-token":
		line = slices.Replace(line, at, at+cut, "-H", "Authorization: Bearer …")
		return "type: " + c.paste(line)
	case "-k", "--insecure":
		return "to trust a certificate, type: SSL_CERT_FILE=FILE " + c.paste(slices.Delete(line, at, at+1))
	case "--stdio", "--command", "--cmd":
		if value != "" {
			line = slices.Delete(line, at, at+cut)
			return "type: " + c.paste(append(append(line, "--"), strings.Fields(value)...))
		}
	}
	return ""
}

// argumentHint returns the hint for a flag that may be an argument of the tool, or "".
func (c *invocation) argumentHint(arg string, rest []string) string {
	name, value, hasValue := strings.Cut(arg, "=")
	line := slices.Clone(c.typed)
	at := slices.Index(line, arg)
	if at < 0 || !strings.HasPrefix(name, "--") || !strings.Contains(c.command.args, "k=v") {
		return ""
	}
	cut := 1
	switch {
	case hasValue:
	case len(rest) > 0 && !flags.IsFlag(rest[0]):
		value, cut = rest[0], 2
	default:
		value = "…"
	}
	return "type: " + c.paste(slices.Replace(line, at, at+cut, name[2:]+"="+value))
}

// useOther returns the failure for a word of another program.
func (c *invocation) useOther(name string) error {
	command := otherWords[name]
	if name == "tool" {
		command = "info"
		if slices.ContainsFunc(c.typed, func(word string) bool { return strings.Contains(word, "=") && !flags.IsFlag(word) }) {
			command = "call"
		}
	}
	if command == "" || findCommand(command) == nil {
		return nil
	}
	return c.usageHint("unknown command "+strconv.Quote(name), "type: "+c.retyped(name, command))
}

// commandAfter returns the failure for a command line that begins with a server
// and not with a command.
func (c *invocation) commandAfter(name string) error {
	command, words := "tools", slices.Clone(c.typed)
	words = slices.DeleteFunc(words, func(word string) bool { return word == name })
	for i, word := range words {
		if cmd := findCommand(word); cmd != nil && cmd.target {
			command, words = cmd.name, slices.Delete(words, i, i+1)
			break
		}
	}
	message := "a command is missing before " + strconv.Quote(c.hide(name))
	if strings.Contains(name, "://") || len(c.configured(name)) > 0 {
		return c.usageHint(message, "type: "+c.paste(append([]string{command, name}, words...)))
	}
	if c.server == nil && (name == "mcpecho" || guess.IsProgram(name)) {
		return c.usageHint(message, "type: "+c.paste(append([]string{command, "--", name}, words...)))
	}
	return nil
}

// missingArgument returns the failure for a command without one of its arguments.
func (c *invocation) missingArgument() error {
	cmd := c.command
	what := strings.Fields(cmd.args)[len(c.args)]
	var known, kind string
	switch {
	case cmd.name == "call":
		if at := slices.IndexFunc(c.server, func(word string) bool { return strings.Contains(word, "=") && !flags.IsFlag(word) }); at > 1 {
			before, _ := cutServer(c.typed)
			return c.usageHint("call needs TOOL before --",
				"type: "+c.paste(slices.Concat(before, c.server[at-1:], []string{"--"}, c.server[:at-1])))
		}
		known = "tools"
	case cmd.name == "read":
		known = "resources"
	case cmd.name == "prompt", cmd.name == "complete" && len(c.args) > 0 && kinds[c.args[0]] == mcp.RefPrompt:
		known = "prompts"
	case cmd.name == "complete" && len(c.args) > 0:
		known = "templates"
	case cmd.name == "complete":
		kind = c.commandFor("complete", "prompt", "NAME", "ARG")
	case cmd.name == "add" && c.flags.From != "":
		_, err := c.findElsewhere(c.flags.From, "")
		return err
	case cmd.name == "completion":
		kind = c.paste([]string{"completion", "bash"})
	}
	switch {
	case known != "" && cmd.name == "complete" && len(c.args) == 2:
		return c.usageHint(cmd.name+" needs "+what, "type: "+c.commandFor("complete", c.args[0], c.args[1], "ARG")+"; its arguments: "+c.commandFor(known, "--json"))
	case known != "":
		return c.usageHint(cmd.name+" needs "+what, "for a list, type: "+c.commandFor(known))
	case kind != "":
		return c.usageHint(cmd.name+" needs "+what, "type: "+kind)
	}
	return c.usage(cmd.name + " needs " + what)
}

// missingTool returns the failure for a call with arguments and no tool. The tool
// may be at the end of the URL.
func (c *invocation) missingTool() error {
	if base, tool, ok := cutLast(c.target, "/"); ok && c.server == nil && strings.Count(base, "/") > 2 {
		return c.usageHint("call needs TOOL after the URL", "type: "+c.retyped(c.target, base, tool))
	}
	return c.usageHint("call needs TOOL before "+strconv.Quote(c.args[0]), "for a list, type: "+c.commandFor("tools"))
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}

// extraArgument returns the failure for an argument that the command does not
// accept.
func (c *invocation) extraArgument(extra string) error {
	cmd := c.command
	message := "too many arguments: " + cmd.title() + " does not accept " + strconv.Quote(extra)
	switch {
	case c.server != nil && strings.Contains(extra, "://"):
		return c.usageHint("use either a URL or a command after --, not both", "type: "+c.retyped(extra))
	case cmd.name == "serve":
		address := extra
		if u, err := httpx.Parse(extra); err == nil {
			address = u.Host
		}
		if strings.Trim(address, "0123456789") == "" {
			address = "127.0.0.1:" + address
		}
		if guess.IsAddress(address) {
			return c.usageHint(message, "type: "+c.retyped(extra, "--http", address))
		}
	case strings.Contains(c.target, "://"):
		whole := strings.TrimSuffix(c.target, "/") + "/" + strings.TrimPrefix(extra, "/")
		words := slices.Clone(c.typed)
		words[slices.Index(words, c.target)] = whole
		words = slices.DeleteFunc(words, func(word string) bool { return word == extra })
		return c.usageHint(message, "type: "+c.paste(words))
	}
	return c.usage(message)
}
