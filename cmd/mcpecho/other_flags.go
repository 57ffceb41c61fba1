package main

import (
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
)

// sameFlags are flags of other programs for flags of this one.
var sameFlags = map[string]string{
	"--verbose": "-v", "--debug": "-v", "--quiet": "-q", "--silent": "-q", "-s": "-q", "-sS": "-q", "-vv": "-v", "-vvv": "-v",
	"--lines": "--last", "--tail": "--last", "-F": "--follow",
	"--port": "--http", "-p": "--http", "--pretty": "", "--cli": "", "--protocol-version": "--protocol",
	"--accept": "--answer=accept", "--decline": "--answer=decline", "--yes": "--answer=accept",
}

// argumentFlags are flags of other programs whose value is an argument here.
var argumentFlags = []string{"--args", "--arguments", "--params", "--data", "-d", "--input", "--json-args", "--arg", "--param", "--tool-arg", "--data-raw", "-f", "-F", "--field"}

// foreignFlag handles a flag of another program. It returns the words that
// replace it and those after it, or false.
func (c *invocation) foreignFlag(arg string, rest []string) (words []string, ok bool) {
	name, value, hasValue := strings.Cut(arg, "=")
	if hasWord(argumentFlags, name) && (strings.Contains(c.command.args, "k=v") || c.command.name == "raw") {
		switch {
		case hasValue:
			return append([]string{value}, rest...), true
		case len(rest) > 0:
			return rest, true
		}
		return nil, false
	}
	same, ok := sameFlags[name]
	if name == "-s" && hasWord(c.command.flags, "user") {
		return nil, false // --scope
	}
	if name == "--stdio" && c.command.name == "serve" {
		ok = true // which it does without a flag
	}
	if !ok || hasValue && (same == "" || strings.Contains(same, "=")) {
		return nil, false
	}
	if same == "" {
		return rest, true
	}
	f, _, _ := flags.Find(same)
	withoutValue := f.Value != "" && !hasValue && !strings.Contains(same, "=") && (len(rest) == 0 || flags.IsFlag(rest[0]))
	if !hasWord(c.command.flags, f.Name) || withoutValue {
		return nil, false
	}
	if hasValue {
		same += "=" + value
	}
	return append([]string{same}, rest...), true
}
