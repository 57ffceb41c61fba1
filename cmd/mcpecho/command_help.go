package main

import (
	"bytes"
	"context"
	"runtime"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/mcp"
)

// usage returns the usage line of the command, without the program name, for a
// server that is started or for a TARGET.
func (c *command) usage(started bool) string {
	text := c.name
	if c.actions != nil {
		text += " [" + strings.Join(c.actions, "|") + "]"
	}
	if c.name == "hold" {
		text += " NAME"
	}
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
	if c.args[0] == "flags" {
		return c.print(c.sharedFlags())
	}
	cmd := findCommand(c.args[0])
	if cmd == nil {
		return unknownCommand(c, c.args[0])
	}
	if cmd.into != "" {
		cmd = findCommand(cmd.into)
	}
	return c.print(c.helpFor(cmd))
}

// overview returns the help text of the program.
func (c *invocation) overview() string {
	const start, talk = " COMMAND -- SERVER-COMMAND …", " COMMAND TARGET"
	width, column := c.helpWidth(), terminal.TextWidth(c.name+start)+3
	list := ""
	for _, group := range []string{"Look", "Call", "Stay", "Debug", "Check", "Configure"} {
		list += group + "\n"
		for _, cmd := range commands() {
			if cmd.group == group {
				list += helpEntry(cmd.name, cmd.short, 12, width)
			}
		}
	}
	return reflow("mcpecho calls MCP servers, and is an echo server for trying out clients.", width) + `

Usage:
` + helpEntry(c.name, "take a tour", column, width) +
		helpEntry(c.name+talk, "call a server at a URL, or NAME", column, width) +
		helpEntry(c.name+start, "start a server and call it", column, width) + `
` + list + `
` + reflow("NAME is a server in ~/.mcp.json, in .mcp.json of the current folder, or in a file of -c; FILE:NAME is one in FILE, and @NAME is one that hold keeps.", width) + `
Type "` + c.name + ` help COMMAND" for details, or "` + c.name + ` help flags".
`
}

// sharedFlags returns the help text of the flags that most commands have.
func (c *invocation) sharedFlags() string {
	return reflow("Flags may appear anywhere before the --. Most commands have these:", c.helpWidth()) + "\n" + helpFlags(resultFlags, c.helpWidth()) +
		helpFlags([]string{"help", "version"}, c.helpWidth()) + `
Exit status:
  0    success
  1    wrong usage, or a file cannot be read or written
  3    the server requires or refuses authorization
  4    the server is unreachable, crashed or timed out
  5    the tool failed, or the server returned an error
  130  interrupted
`
}

// helpWidth returns the width of help texts in columns: at most that of the
// terminal.
func (c *invocation) helpWidth() int {
	const most = 80
	if width := c.terminalWidth(c.stdout); width > 0 && width < most {
		return width
	}
	return most
}

// helpEntry returns a line with a name and, in a column, a text, which continues
// below, or is below the name if the column is too narrow.
func helpEntry(name, text string, column, width int) string {
	const narrow = 24
	if width-column-2 < narrow {
		return terminal.Wrap("  "+name+"\n      "+text, width) + "\n"
	}
	text = strings.ReplaceAll(terminal.Wrap(text, width-column-2), "\n", "\n"+strings.Repeat(" ", column+2))
	return "  " + name + terminal.Pad(name, column) + text + "\n"
}

// usageLine returns a usage line with its end on a second one if it is long.
func (c *invocation) usageLine(usage string) string {
	line := "  " + c.name + " " + usage
	if at := strings.Index(line, " [flags]"); terminal.TextWidth(line) > c.helpWidth() && at > 0 {
		line = line[:at] + "\n     " + line[at:]
	}
	return line + "\n"
}

// reflow fills the lines of text up to width. Indented lines stay as they are.
func reflow(text string, width int) string {
	var b bytes.Buffer
	filled := false // whether the last line may go on
	for line := range strings.SplitSeq(text, "\n") {
		goesOn := line != "" && line[0] != ' '
		switch {
		case b.Len() == 0:
		case goesOn && filled:
			b.WriteByte(' ')
		default:
			b.WriteByte('\n')
		}
		b.WriteString(line)
		filled = goesOn
	}
	return terminal.Wrap(b.String(), width)
}

func (c *invocation) helpFor(cmd *command) string {
	text := reflow(cmd.short+".", c.helpWidth()) + "\n\nUsage:\n" + c.usageLine(cmd.usage(false))
	if cmd.target && !cmd.web {
		text += c.usageLine(cmd.usage(true))
	}
	if cmd.target {
		target := "TARGET is a URL, the NAME of a configured server, or FILE:NAME."
		if !hasWord(unheld, cmd.name) {
			target = "TARGET is a URL, the NAME of a configured server, FILE:NAME, or @NAME (hold)."
		}
		text += "\n" + reflow(target, c.helpWidth()) + "\n"
	}
	if cmd.tool {
		text += "NAME/TOOL is the same as NAME TOOL.\n"
	}
	if cmd.long != "" {
		text += "\n" + reflow(cmd.long, c.helpWidth()) + "\n"
	}
	if len(cmd.flags) > 0 {
		text += "\nFlags:\n" + c.flagsOf(cmd)
	}
	if len(cmd.example) > 0 {
		text += "\nExamples:\n"
		for _, e := range cmd.example {
			text += "  " + c.name + " " + strings.ReplaceAll(e, "mcpecho", c.name) + "\n"
		}
	}
	if len(cmd.aliases) > 0 {
		text += "\n" + reflow("Aliases: "+strings.Join(cmd.aliases, ", "), c.helpWidth()) + "\n"
	}
	return text
}

// flagsOf describes the flags that are the command's own, and names those that it shares
// with others, or those that it lacks.
func (c *invocation) flagsOf(cmd *command) string {
	var own, shared, absent []string
	for _, f := range flags.All() {
		name := f.Names()[len(f.Names())-1]
		switch {
		case hasWord(resultFlags, f.Name) && hasWord(cmd.flags, f.Name):
			shared = append(shared, name)
		case hasWord(resultFlags, f.Name):
			absent = append(absent, name)
		case hasWord(cmd.flags, f.Name):
			own = append(own, f.Name)
		}
	}
	text, others := helpFlags(own, c.helpWidth()), `those of "`+c.name+` help flags"`
	switch {
	case len(shared) == 0:
		return text
	case len(shared) <= len(absent)+3:
		others += ": " + strings.Join(shared, ", ")
	case absent != nil:
		others += " but " + strings.Join(absent, ", ")
	}
	return text + terminal.Wrap("      "+others, c.helpWidth()) + "\n"
}

// helpFlags describes the flags with these names.
func helpFlags(names []string, width int) string {
	var b bytes.Buffer
	for _, f := range flags.All() {
		if !hasWord(names, f.Name) {
			continue
		}
		typed := strings.Join(f.Names(), ", ")
		if f.Short == "" && len(f.Name) > 1 {
			typed = "    " + typed
		}
		if f.Value != "" {
			typed += " " + f.Value
		}
		b.WriteString(helpEntry(typed, f.Help, 31, width))
	}
	return b.String()
}

func runVersion(_ context.Context, c *invocation) error {
	return c.print("mcpecho " + mcp.Version + " (" + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")\n" +
		strconv.Itoa(len(mcp.ProtocolVersions())) + " protocol versions: " + strings.Join(mcp.ProtocolVersions(), ", ") + "\n")
}
