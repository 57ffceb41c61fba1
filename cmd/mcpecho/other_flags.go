package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
)

// sameFlags are flags of other programs for flags of this one.
var sameFlags = map[string]string{
	"--verbose": "-v", "--debug": "-v", "--quiet": "-q", "--silent": "-q", "-s": "-q", "-sS": "-q", "-vv": "-v", "-vvv": "-v",
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
	"--raw": "--json", "-j": "--json", "--yaml": "--json", "--schema": "--json",
	"--elicit": "--answer", "--elicitation": "--answer", "--answers": "--answer", "--response": "--answer",
	"--model": "--sampling", "--llm": "--sampling", "--roots": "--root", "--root-dir": "--root",
	"--out": "--output", "--save": "--output", "--output-file": "--output", "--log": "--trace", "--dump": "--trace",
	"-l": "--wide", "--long": "--wide", "--full": "--wide", "--no-trunc": "--wide", "--all-parameters": "--wide",
	"--global": "--user", "-g": "--user", "--no-verify": "--insecure", "--no-check-certificate": "--insecure",
	"-m": "--timeout", "--trace-ascii": "--trace", "--listen": "--http", "--tail": "--follow", "--errors-only": "--errors", "--request": "--id", "-w": "--wide",
	"--sse": "-t sse", "--http": "-t http", "--streamable-http": "-t http", "--max-time": "--timeout",
	"--mcp-version": "--protocol", "--version": "--protocol", "--server-config": "--config", "--config-file": "--config",
}

// droppedFlags are flags of other programs for what mcpecho does without one, or not at
// all. Those of droppedPairs have a value.
var (
	droppedFlags = []string{"--no-headers", "-it", "-i", "-L", "--location", "--brief", "--allow-http", "--all", "--strict", "-f", "--follow"}
	droppedPairs = []string{"-X", "--request", "--limit", "--profile"}
)

// bearerFlags are flags of other programs for a token, and namingFlags those for what is an
// argument here.
var (
	bearerFlags = []string{"--bearer", "--token", "--auth", "--auth-token", "--api-key", "--bearer-token", "--oauth2-bearer"}
	namingFlags = []string{"--tool", "--name", "--url", "--body", "--payload", "--http-url", "--sse-url", "--server", "--server-name", "--prompt", "--resource"}
)

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
		has := c.ownFlag(own) != nil
		own, _, _ = flags.Find(better)
		switch {
		case !has:
		case own == nil || own.Value == "": // several words, or none with a value
			return strings.Fields(better), 1
		case value == "":
			return []string{better}, used
		default:
			return []string{better, value}, used
		}
	}
	isView := c.command.name == "view"
	switch {
	case hasWord(droppedFlags, name):
		return nil, 1
	case hasWord(droppedPairs, name):
		return nil, used
	case name == "--jq" || name == "--query" || strings.HasSuffix(name, "format") && value == "json":
		return []string{"--json"}, used
	case value == "":
	case isView && (name == "--grep" || name == "--filter"):
		return []string{viewFilter(value), value}, used
	case name == "--cookie" || name == "-b":
		return []string{"-H", "Cookie: …"}, used
	case hasWord(bearerFlags, name):
		return []string{"-H", "Authorization: Bearer …"}, used
	case name == "-u" || name == "--user":
		return []string{"-H", "Authorization: Basic …"}, used
	case name == "-A" || name == "--user-agent":
		return []string{"-H", "User-Agent: " + value}, used
	case name == "-s" || name == "--scope":
		if value == "user" {
			return []string{"--user"}, used
		}
		return nil, used
	case name == "--host":
		return []string{"--http", value + ":3001"}, used
	case hasWord(namingFlags, name) && !isView:
		return []string{value}, used
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
		same, accepted := sameFlags[name]
		f, _, _ := flags.Find(same)
		accepted = accepted && (same == "" || c.ownFlag(f) != nil)
		hasNext := !hasValue && i+1 < len(before)
		switch own = c.ownFlag(own); {
		case !flags.IsFlag(word), accepted, hasWord(argumentFlags, name), own != nil && own.Value == "":
			line = append(line, word)
		case own != nil:
			line = append(line, word)
			if hasNext {
				i++
				line = append(line, before[i])
			}
		default:
			switch {
			case hasNext && strings.Contains(before[i+1], "="): // an argument already
				continue
			case hasNext && (!flags.IsFlag(before[i+1]) || isNumber(before[i+1])):
				i++
				value = before[i]
			case !hasValue:
				value = "true"
			}
			line = append(line, strings.TrimLeft(name, "-")+"="+value)
		}
	}
	return withServer(line, server)
}

// viewFilter returns the flag of view for a word that is a part of what it prints.
func viewFilter(word string) string {
	switch {
	case isNumber(word):
		return "--id"
	case strings.Contains(word, "/"):
		return "--method"
	}
	return "--tool"
}

func isNumber(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil
}
