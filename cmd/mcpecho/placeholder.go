package main

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// unfilled returns the failure for a line with a placeholder that a suggestion or a usage
// line left for the user to fill in, or nil. Sent to a server, it would be data.
func (c *invocation) unfilled() error {
	marks := strings.Fields(c.command.args + " COMMAND FILE " + sampleURL)
	for _, word := range c.typed {
		mark := "…"
		switch {
		case word == mark, strings.HasSuffix(word, "=…"), strings.HasSuffix(word, " …") && !strings.Contains(word, "="), strings.HasPrefix(word, "{") && strings.Contains(word, `"…"`):
		case hasWord(marks, word) && (strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" || word == sampleURL && c.command.name != "add"):
			mark = word
		default:
			continue
		}
		return c.usageHint(wire.Quote(c.hide(word))+" is a placeholder", "put your own value in place of "+mark)
	}
	return nil
}
