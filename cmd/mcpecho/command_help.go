package main

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
)

// usage returns how the command is typed, without the name of the program: for
// a server that is started, or for one that is somewhere.
func (c *command) usage(started bool) string {
	text := c.name
	started = started && !c.web
	if c.target && !started {
		text += " TARGET"
	}
	if c.args != "" {
		text += " " + c.args
	}
	if len(c.flags) > 0 {
		text += " [flags]"
	}
	if c.target && started {
		text += " -- SERVER-COMMAND …"
	}
	return text
}

func runHelp(_ context.Context, c *invocation) error {
	if len(c.args) == 0 {
		return c.print(c.overview())
	}
	cmd := findCommand(c.args[0])
	if cmd == nil {
		return unknownCommand(c, c.args[0])
	}
	return c.print(c.helpFor(cmd))
}

// overview is the help without a command.
func (c *invocation) overview() string {
	const start, talk = " COMMAND [flags] -- SERVER-COMMAND …", " COMMAND TARGET [flags]"
	var b strings.Builder
	b.WriteString(`mcpecho talks to MCP servers, and is an echo server to try clients on.

Usage:
  ` + c.name + pad("", textWidth(start)+3) + `take the tour
  ` + c.name + talk + pad(talk, textWidth(start)+3) + `talk to a server: a URL, NAME or FILE:NAME
  ` + c.name + start + `   start a server and talk to it

Commands:
`)
	for _, cmd := range commands() {
		b.WriteString("  " + cmd.name + pad(cmd.name, 12) + cmd.short + "\n")
	}
	b.WriteString(`
Configured servers are in ~/.mcp.json, in .mcp.json of the current folder, and in
the files of -c.

Flags stand anywhere before the --:
` + helpFlags(nil) + `
Exit status: 0 done; 1 wrong usage; 3 the server wants authorization or refuses
it; 4 the server could not be reached, crashed or timed out; 5 the tool failed, or
the server answered with an error or has no such tool, resource or prompt; 130
interrupted.

"` + c.name + ` help COMMAND" says more about a command.
`)
	return b.String()
}

// helpFor is the help about a command.
func (c *invocation) helpFor(cmd *command) string {
	text := cmd.short + ".\n\nUsage:\n  " + c.name + " " + cmd.usage(false) + "\n"
	if cmd.target && !cmd.web {
		text += "  " + c.name + " " + cmd.usage(true) + "\n"
	}
	if cmd.target {
		text += "\nTARGET is the URL of a server, the name of a configured one, or FILE:NAME.\n"
	}
	if cmd.tool {
		text += "TARGET/TOOL will do for TARGET TOOL, unless TARGET is a URL.\n"
	}
	if cmd.long != "" {
		text += "\n" + cmd.long + "\n"
	}
	if len(cmd.flags) > 0 {
		text += "\nFlags:\n" + helpFlags(cmd.flags)
	}
	if len(cmd.example) > 0 {
		text += "\nExamples:\n"
		for _, e := range cmd.example {
			text += "  " + c.name + " " + strings.ReplaceAll(e, "mcpecho", c.name) + "\n"
		}
	}
	if len(cmd.aliases) > 0 {
		text += "\nAlso: " + strings.Join(cmd.aliases, ", ") + "\n"
	}
	return text
}

// helpFlags describes the flags of these names, or all.
func helpFlags(names []string) string {
	var b strings.Builder
	for _, f := range flagTable() {
		if names != nil && !slices.Contains(names, f.name) {
			continue
		}
		typed := strings.Join(f.names(), ", ")
		if f.short == "" && len(f.name) > 1 {
			typed = "    " + typed
		}
		if f.value != "" {
			typed += " " + f.value
		}
		b.WriteString("  " + typed + pad(typed, 31) + f.help + "\n")
	}
	return b.String()
}

func runVersion(_ context.Context, c *invocation) error {
	return c.print("mcpecho " + mcp.Version + " (" + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")\n" +
		strconv.Itoa(len(mcp.ProtocolVersions())) + " protocol revisions: " + strings.Join(mcp.ProtocolVersions(), ", ") + "\n")
}
