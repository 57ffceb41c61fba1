package main

import (
	"bytes"
	"slices"
	"strings"
)

// help prints the commands of the shell, or describes one.
func (sh *shell) help(c *invocation, args []string) error {
	width := c.helpWidth()
	if len(args) > 0 {
		cmd := findCommand(args[0])
		if cmd == nil {
			return c.parseInShell(args[:1]) // says so
		}
		short, long := cmd.inShell()
		text := reflow(short+".", width) + "\n\nUsage:\n  " + cmd.usageInShell() + "\n"
		if long != "" {
			text += "\n" + reflow(long, width) + "\n"
		}
		flags := slices.DeleteFunc(cloneWords(cmd.flags), func(name string) bool {
			return hasWord(connectionFlags, name) && name != "timeout" && name != "q"
		})
		if len(flags) > 0 {
			text += "\nFlags:\n" + helpFlags(flags, width)
		}
		return c.print(text)
	}
	var b bytes.Buffer
	b.WriteString("Commands, without a target:\n")
	for _, cmd := range shellCommands() {
		short, _ := cmd.inShell()
		b.WriteString(helpEntry(cmd.name, short, 12, width))
	}
	b.WriteString("\nOf the shell itself:\n" +
		helpEntry("unwatch", `End what "watch" began`, 12, width) +
		helpEntry("wait [TIME]", "Wait for the next notification, 10s at most", 12, width) +
		helpEntry("restart", "Connect again", 12, width) +
		helpEntry("exit", "Leave; so does Ctrl-D", 12, width) + "\n" +
		reflow(`A JSON object needs no quotes, and may have several lines. Tab completes, Ctrl-R searches the history, Ctrl-C cancels a command.
"help COMMAND" has the details.
`, width))
	return c.print(b.String())
}

// inShell returns the descriptions of the command in the shell.
func (c *command) inShell() (short, long string) {
	switch c.name {
	case "watch":
	case "diff":
		return "Show what changed since a recording, or compared with another server",
			`OLD is a URL, the NAME of a configured server, FILE:NAME, a recording, or a command in
quotes. The server of the shell is the new one.`
	default:
		return c.short, c.long
	}
	return "Print changes of resources and logs from now on",
		`Returns at once. A line is printed for each change and each log message as it comes,
between the commands, until "unwatch". --json prints the notifications as JSON.`
}

// usageInShell returns the usage line without the target.
func (c *command) usageInShell() string {
	text := c.name
	if c.actions != nil {
		text += " [" + strings.Join(c.actions, "|") + "]"
	}
	switch {
	case c.pair:
		text += " OLD"
	case c.args != "":
		text += " " + c.args
	}
	return text
}
