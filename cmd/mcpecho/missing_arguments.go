package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp"
)

// missingArgument returns the failure for a command without one of its arguments.
func (c *invocation) missingArgument() error {
	cmd := c.command
	what := strings.Fields(cmd.args)[len(c.args)]
	var known, kind string
	switch {
	case cmd.name == "call":
		if at := slices.IndexFunc(c.server, func(word string) bool { return strings.Contains(word, "=") && !isFlag(word) }); at > 1 {
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
	case cmd.name == "add" && c.flags.from != "":
		_, err := c.findElsewhere(c.flags.from, "")
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
		if isAddress(address) {
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
