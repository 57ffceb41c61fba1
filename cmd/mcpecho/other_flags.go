package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
)

// sameFlags are flags of other programs for flags of this one.
var sameFlags = map[string]string{
	"--verbose": "-v", "--debug": "-v", "--quiet": "-q", "--silent": "-q", "-s": "-q", "-sS": "-q", "-vv": "-v",
	"--lines": "--last", "--tail": "--last", "-F": "--follow",
	"--port": "--http", "-p": "--http", "--pretty": "", "--protocol-version": "--protocol",
	"--accept": "--answer=accept", "--decline": "--answer=decline", "--yes": "--answer=accept",
}

// argumentFlags are flags of other programs whose value is an argument here.
var argumentFlags = []string{"--args", "--arguments", "--params", "--data", "-d", "--input", "--json-args", "--arg", "--param", "--tool-arg", "--data-raw", "-f", "-F", "--field"}

// foreignFlag handles a flag of another program. It returns the words that
// replace it and those after it, or false.
func (c *invocation) foreignFlag(arg string, rest []string) (words []string, ok bool) {
	name, value, hasValue := strings.Cut(arg, "=")
	if hasWord(argumentFlags, name) && strings.Contains(c.command.args, "k=v") {
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
	withoutValue := f.Value != "" && !hasValue && (len(rest) == 0 || flags.IsFlag(rest[0]))
	if !hasWord(c.command.flags, f.Name) || withoutValue && translated[name] != "" { // --tail without a number is --follow
		return nil, false
	}
	if hasValue {
		same += "=" + value
	}
	return append([]string{same}, rest...), true
}

// translated are flags of other programs, in other words.
var translated = map[string]string{
	"--raw": "--json", "-j": "--json", "--yaml": "--json", "--jq": "--json", "--schema": "--json",
	"--elicit": "--answer", "--elicitation": "--answer", "--answers": "--answer", "--response": "--answer",
	"--model": "--sampling", "--llm": "--sampling", "--roots": "--root", "--root-dir": "--root",
	"--out": "--output", "--save": "--output", "--output-file": "--output", "--log": "--trace", "--dump": "--trace",
	"-l": "--wide", "--long": "--wide", "--full": "--wide", "--no-trunc": "--wide", "--all-parameters": "--wide",
	"--global": "--user", "-g": "--user", "--no-verify": "--insecure", "--no-check-certificate": "--insecure",
	"-m": "--timeout", "--trace-ascii": "--trace", "--listen": "--http", "--tail": "--follow", "--filter": "--grep", "--search": "--grep", "--text": "--grep",
	"--from": "--sender", "--direction": "--sender", "--dir": "--sender", "--side": "--sender", "--conn": "--connection", "--session": "--connection",
	"--sse": "-t sse", "--http": "-t http", "--streamable-http": "-t http", "--max-time": "--timeout",
	"--mcp-version": "--protocol", "--version": "--protocol", "--server-config": "--config", "--config-file": "--config",
}

// translateFlag translates a flag of another program at the beginning of words: into
// words that take the place of so many words. Of an unknown flag, used is 0.
func (c *invocation) translateFlag(words []string) (better []string, used int) {
	name, value, hasValue := strings.Cut(words[0], "=")
	used = 1
	if !hasValue && len(words) > 1 && !flags.IsFlag(words[1]) {
		value, used = words[1], 2
	}
	if better, ok := translated[name]; ok {
		own, _, _ := flags.Find(strings.Fields(better)[0])
		if c.ownFlag(own) == nil {
			return nil, 0
		}
		own, _, _ = flags.Find(better)
		switch {
		case own == nil || own.Value == "": // several words, or none with a value
			return strings.Fields(better), 1
		case value == "":
			return []string{better}, used
		}
		return []string{better, value}, used
	}
	switch name {
	case "--format", "--output-format":
		if value == "json" {
			return []string{"--json"}, used
		}
	case "--cookie", "-b":
		return []string{"-H", "Cookie: …"}, used
	case "--bearer", "--token", "--auth", "--auth-token", "--api-key", "--bearer-token", "--oauth2-bearer":
		return []string{"-H", "Authorization: Bearer …"}, used
	case "-u", "--user":
		return []string{"-H", "Authorization: Basic …"}, used
	case "-A", "--user-agent":
		return []string{"-H", "User-Agent: " + value}, used
	case "--no-headers", "-it", "-i", "-L", "--location", "--brief", "--allow-http":
		return nil, 1
	case "--limit", "--profile":
		return nil, used
	case "--scope", "-s":
		if value == "user" {
			return []string{"--user"}, used
		}
		return nil, used
	case "--tool", "--name":
		if c.command.name == "view" {
			return []string{"--method", "tools/call"}, used
		}
		fallthrough
	case "--url", "--body", "--payload", "--http-url", "--sse-url", "--server", "--server-name", "--prompt", "--resource":
		if value != "" {
			return []string{value}, used
		}
	case "--host":
		return []string{"--http", value + ":3001"}, used
	}
	return nil, 0
}

// translatedLine returns the command line for a flag that only other programs have, or
// nil. All of them are translated at once.
func (c *invocation) translatedLine(arg string) []string {
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
		if name == "--args" && server != nil && len(c.server) == 0 { // of --command
			better, used = nil, min(2, len(before)-i)
			server = append(server, strings.Fields(strings.Join(before[i+1:i+used], " "))...)
		}
		line = append(line, better...)
		i += used
		if own != nil && own.Value != "" && !hasValue && i < len(before) {
			line = append(line, before[i])
			i++
		}
	}
	if !known {
		return nil
	}
	if at := indexWord(line, "--http"); at >= 0 && at+1 < len(line) { // of --host; --port may follow
		if port := indexWord(line, "--port"); port >= 0 && port+1 < len(line) {
			host, _, _ := strings.Cut(line[at+1], ":")
			line[at+1] = host + ":" + line[port+1]
			line = slices.Delete(line, port, port+2)
		}
	}
	return withServer(line, server)
}

// ownFlag returns f if the command has it, else nil.
func (c *invocation) ownFlag(f *flags.Flag) *flags.Flag {
	if f == nil || !hasWord(c.command.flags, f.Name) {
		return nil
	}
	return f
}

// argumentLine returns the command line for flags that may be arguments of the tool, or
// nil.
func (c *invocation) argumentLine() []string {
	if !strings.Contains(c.command.args, "k=v") {
		return nil
	}
	before, server := cutServer(c.typed)
	var line []string
	for i := 0; i < len(before); i++ {
		word := before[i]
		name, value, hasValue := strings.Cut(word, "=")
		own, _, _ := flags.Find(word)
		_, same := sameFlags[name]
		hasNext := !hasValue && i+1 < len(before)
		switch own = c.ownFlag(own); {
		case !flags.IsFlag(word), same, hasWord(argumentFlags, name), own != nil && own.Value == "":
			line = append(line, word)
		case own != nil:
			line = append(line, word)
			if hasNext {
				i++
				line = append(line, before[i])
			}
		default:
			if hasNext && (!flags.IsFlag(before[i+1]) || isNumber(before[i+1])) && !strings.Contains(before[i+1], "=") {
				i++
				value = before[i]
			} else if !hasValue {
				value = "…"
			}
			line = append(line, strings.TrimLeft(name, "-")+"="+value)
		}
	}
	return withServer(line, server)
}

func isNumber(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil
}
