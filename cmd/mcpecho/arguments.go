package main

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// listWord resolves a method in two words, such as "resources read", and "list" and "ls": a
// list of a server if one is named, else the configured servers.
func (c *invocation) listWord(name string, args []string) (string, []string) {
	first, rest := cutName(args)
	if method := name + "/" + first; first != "" && findCommand(method) != nil && !c.isServer(first) {
		return method, rest
	}
	if name != "list" && name != "ls" {
		return name, args
	}
	if cmd := findCommand(first); cmd != nil && hasWord([]string{"tools", "resources", "templates", "prompts", "servers"}, cmd.name) {
		return cmd.name, rest
	}
	if first == "" && c.server == nil {
		return "servers", args
	}
	return "tools", args
}

// commandAfter returns the failure for a command line that begins with a server and not
// with a command, or nil.
func (c *invocation) commandAfter(name string) error {
	server, tool := c.splitTool(name)
	if server == "" && isProgramPath(name) && c.server == nil {
		line := cmdline.Own(c.typed...)
		at := line.Index(name)
		line = slices.Delete(line, at, at+1)
		if first, _ := cutName(line.Texts()); findCommand(first) == nil {
			line = append(cmdline.Words("tools"), line...)
		}
		return c.suggest(wire.Quote(name)+" is a program; the command that starts a server belongs after --", withServer(line, []string{name}))
	}
	if server == "" {
		return nil
	}
	message := "a command is missing before " + wire.Quote(c.hide(name))
	line := cmdline.Own(c.typed...)
	at := line.Index(name)
	rest := slices.Delete(slices.Clone(line), at, at+1)
	for i, word := range rest.Texts() {
		if cmd := findCommand(word); cmd != nil && cmd.target && tool == "" { // after the server
			rest = slices.Delete(rest, i, i+1)
			return c.suggest(message, append(cmdline.Line{cmdline.Word{Text: word, Own: true}, line[at]}, rest...))
		}
	}
	if first, _ := cutName(rest.Texts()); first != "" || tool != "" {
		return c.usage(message)
	}
	return c.suggest(message, append(cmdline.Words("tools"), line...))
}

// splitTool returns the server that name is or begins with, and what follows its
// separator: SERVER/TOOL or SERVER.TOOL.
func (c *invocation) splitTool(name string) (server, tool string) {
	if _, err := httpx.Parse(name); err == nil || strings.HasPrefix(name, "@") && hasWord(hold.Names(), name[1:]) {
		return name, ""
	}
	cfg := config.Load(".", c.configFlags()...)
	if cfg.Server(name) != nil {
		return name, ""
	}
	for _, separator := range []string{"/", "."} {
		if tools := toolsIn(cfg, name, separator); len(tools) > 0 {
			return strings.TrimSuffix(name, separator+tools[0]), tools[0]
		}
	}
	return "", ""
}

// configFlags returns the files of -c before the flags are parsed.
func (c *invocation) configFlags() (files []string) {
	before, _ := cutServer(c.typed)
	for i, word := range before {
		f, value, hasValue := flags.Find(word)
		switch {
		case f == nil || f.Name != "config":
		case hasValue:
			files = append(files, value)
		case i+1 < len(before):
			files = append(files, before[i+1])
		}
	}
	files, _ = splitPrograms(files)
	return files
}

// isCall reports whether the words mean a call without its command: NAME TOOL k=v, or
// NAME/TOOL k=v.
func (c *invocation) isCall(name string, args []string) bool {
	isArgument := func(word string) bool {
		return !flags.IsFlag(word) && !strings.Contains(word, "://") && strings.Contains(word, "=") || strings.HasPrefix(word, "{")
	}
	server, tool := "", ""
	if first, rest := cutName(args); first != "" {
		if server, tool = c.splitTool(name); tool == "" {
			if tool, args = first, rest; isArgument(tool) {
				return false
			}
			if cmd := findCommand(tool); cmd != nil && cmd.target {
				return false
			}
		}
	}
	first, _ := cutName(args)
	return server != "" && isArgument(first)
}

// missingArgument returns the failure for a command without one of its arguments.
func (c *invocation) missingArgument() error {
	cmd := c.command
	if len(c.flagged) > 0 {
		return c.flagged[0].err
	}
	message := cmd.name + " needs " + strings.Fields(cmd.args)[len(c.args)]
	known := map[string]string{"call": "tools", "read": "resources", "prompt": "prompts"}[cmd.name]
	switch {
	case cmd.name == "complete" && len(c.args) > 0 && kinds[c.args[0]] == mcp.RefPrompt:
		known = "prompts"
	case cmd.name == "complete" && len(c.args) > 0 && kinds[c.args[0]] != "":
		known = "templates"
	case cmd.name == "add" && c.flags.From != "":
		_, err := c.findElsewhere(c.flags.From, "")
		return err
	}
	if known != "" && c.server == nil {
		return c.usageHint(message, c.toType("for a list, ", c.commandFor(known)))
	}
	return c.usage(message)
}

// extraArgument returns the failure for an argument that the command does not
// accept.
func (c *invocation) extraArgument(extra string) error {
	cmd := c.command
	switch {
	case c.server != nil && cmd.target && c.isServer(extra):
		return c.usage("use either a server or a command after --, not both")
	case cmd.target && c.server == nil && len(c.configured(extra)) > 0:
		return c.usage(cmd.name + " takes one server")
	}
	return c.usage("too many arguments: " + cmd.title() + " does not accept " + wire.Quote(c.hide(extra)))
}
