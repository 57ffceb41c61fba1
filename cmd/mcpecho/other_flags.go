package main

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
)

// sameFlags are flags of other programs for flags of this one.
var sameFlags = map[string]string{
	"--verbose": "-v", "--debug": "-v", "--quiet": "-q", "--silent": "-q", "-s": "-q",
	"--port": "--http", "-p": "--http", "--pretty": "", "--protocol-version": "--protocol",
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
	if name == "--stdio" && c.command.name == "serve" {
		ok = true // which it does without a flag
	}
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

// translateFlag translates a flag of another program at the beginning of words: into
// words that take the place of so many words. Of an unknown flag, used is 0.
func (c *invocation) translateFlag(words []string) (better []string, used int) {
	name, value, hasValue := strings.Cut(words[0], "=")
	used = 1
	if !hasValue && len(words) > 1 && !flags.IsFlag(words[1]) {
		value, used = words[1], 2
	}
	switch name {
	case "--format", "--output-format":
		if value == "json" {
			return []string{"--json"}, used
		}
	case "--bearer", "--token", "--auth-token", "--api-key", "--bearer-token":
		return []string{"-H", "Authorization: Bearer …"}, used
	case "-u":
		return []string{"-H", "Authorization: Basic …"}, used
	case "-A", "--user-agent":
		return []string{"-H", "User-Agent: " + value}, used
	case "--schema":
		return []string{"--json"}, 1
	case "--all-parameters":
		return []string{"--wide"}, 1
	case "--max-time":
		return []string{"--timeout", value}, used
	case "--no-headers", "-it", "-i":
		return nil, 1
	case "--scope":
		if value == "user" {
			return []string{"--user"}, used
		}
		return nil, used
	case "--url", "--http-url", "--sse-url", "--server", "--server-name", "--tool", "--prompt", "--resource":
		if value != "" {
			return []string{value}, used
		}
	case "--host":
		return []string{"--http", value + ":3001"}, used
	}
	return nil, 0
}

// flagHint returns the hint for a flag that only other programs have, or "". All of
// them on the command line are translated at once.
func (c *invocation) flagHint(arg string) string {
	before, server := cutServer(c.typed)
	var line []string
	known := false
	for i := 0; i < len(before); {
		word := before[i]
		name, value, hasValue := strings.Cut(word, "=")
		own, _, _ := flags.Find(word)
		own = c.ownFlag(own)
		better, used := []string{word}, 1
		if flags.IsFlag(word) && own == nil {
			if b, n := c.translateFlag(before[i:]); n > 0 {
				better, used, known = b, n, known || word == arg
			}
		}
		if (name == "--stdio" || name == "--command" || name == "--cmd") && server == nil {
			if !hasValue && i+1 < len(before) {
				value, used = before[i+1], 2
			}
			if value != "" {
				better, server, known = nil, strings.Fields(value), known || word == arg
			}
		}
		line = append(line, better...)
		i += used
		if own != nil && own.Value != "" && !hasValue && i < len(before) {
			line = append(line, before[i])
			i++
		}
	}
	if !known {
		return ""
	}
	if at := slices.Index(line, "--http"); at >= 0 && at+1 < len(line) { // of --host; --port may follow
		if port := slices.Index(line, "--port"); port >= 0 && port+1 < len(line) {
			host, _, _ := strings.Cut(line[at+1], ":")
			line[at+1] = host + ":" + line[port+1]
			line = slices.Delete(line, port, port+2)
		}
	}
	if server != nil {
		line = append(append(line, "--"), server...)
	}
	return "type: " + c.paste(line)
}

// ownFlag returns f if the command has it, else nil.
func (c *invocation) ownFlag(f *flags.Flag) *flags.Flag {
	if f == nil || !slices.Contains(c.command.flags, f.Name) {
		return nil
	}
	return f
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
