package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/guess"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// Users of other programs type their words. Those that mean a command of mcpecho
// and nothing else are its aliases; the others are named in an error.

// otherWords are words of other programs for commands of this one.
var otherWords = map[string]string{
	"run": "call", "exec": "call", "execute": "call", "invoke": "call", "use": "call",
	"start": "serve", "server": "serve", "listen": "serve",
	"config": "servers", "mcp": "servers", "configure": "servers",
	"subscribe": "watch", "tail": "watch", "logs": "watch", "follow": "watch", "notifications": "watch",
	"test": "ping", "health": "ping", "healthcheck": "ping",
	"install": "add", "uninstall": "remove", "delete": "remove",
	"repl": "shell", "connect": "shell", "interactive": "shell", "session": "shell", "console": "shell",
	"doctor": "check", "lint": "check", "validate": "check", "verify": "check",
	"grep": "search", "request": "raw", "rpc": "raw", "api": "raw", "send": "raw",
	"spy": "proxy", "sniff": "proxy", "intercept": "proxy", "gateway": "proxy", "bridge": "proxy", "less": "view", "more": "view",
	"curl": "tools", "GET": "tools", "resources-subscribe": "watch", "restart": "shell", "sh": "shell",
	"ps": "servers", "sessions": "servers", "inspector": "ui",
	"get": "info", "tool": "info", "explain": "info", "capabilities": "info", "instructions": "info", "about": "info",
	"fetch": "read", "open": "read", "download": "read", "notify": "raw", "post": "raw",
	"audit": "check", "conformance": "check", "events": "watch", "log": "watch", "which": "search", "signin": "login", "signout": "logout", "completions": "completion", "man": "help", "usage": "help",
}

// listWord resolves "list" and "ls": a list of a server if one is named, else the
// configured servers.
func listWord(name string, args []string, server []string) (string, []string) {
	if name != "list" && name != "ls" {
		return name, args
	}
	first, rest := cutName(args)
	if cmd := findCommand(first); cmd != nil && hasWord([]string{"tools", "resources", "templates", "prompts", "servers"}, cmd.name) {
		return cmd.name, rest
	}
	if first == "" && server == nil {
		return "servers", args
	}
	return "tools", args
}

// likeInspector translates a command line with the flags of Inspector's CLI.
func (c *invocation) likeInspector() error {
	before, server := cutServer(c.typed)
	command, tool, target := "tools", "", ""
	var words, args, own []string
	found := false
	for i := 0; i < len(before); i++ {
		name, value, hasValue := strings.Cut(before[i], "=")
		next := func() string {
			if !hasValue && i+1 < len(before) {
				i++
				return before[i]
			}
			return value
		}
		switch name {
		case "--cli":
			found = true
		case "--method":
			found = true
			switch method := next(); {
			case method == "logging/setLevel":
				command = "watch"
			case findCommand(method) != nil:
				command = findCommand(method).name
			}
		case "--server":
			target = next()
		case "--tool-name", "--prompt-name", "--uri":
			tool, found = next(), true
		case "--tool-arg", "--prompt-args":
			args = append(args, next())
		default:
			if f, _, hasValue := flags.Find(before[i]); f != nil && len(words) == 0 {
				own = append(own, before[i])
				if f.Value != "" && !hasValue && i+1 < len(before) {
					i++
					own = append(own, before[i])
				}
				continue
			}
			words = append(words, before[i])
		}
	}
	if first, _ := cutName(words); !found || findCommand(first) != nil && !findCommand(first).target {
		return nil
	}
	if cmd, rest := cutName(words); findCommand(cmd) != nil { // besides a command of mcpecho
		command, words = findCommand(cmd).name, rest
	}
	if command == "tools" && tool != "" {
		command = "call"
	}
	line := []string{command}
	if server == nil {
		if target == "" {
			target, words = cutName(words)
		}
		switch known, _ := c.splitTool(target); {
		case target == "":
			line = append(line, "https://example.com/mcp")
		case known == "" && !strings.Contains(target, "://") && !hasWord(before, "--cli") && !guess.NamesServer(append([]string{target}, words...)):
			return nil
		case known == "" && !strings.Contains(target, "://"): // a program
			server, words = append([]string{target}, words...), nil
		default:
			line = append(line, target)
		}
	}
	if hasWord(words, tool) {
		tool = ""
	}
	args = slices.Concat(args, words, own)
	if tool != "" {
		line = append(line, tool)
	}
	line = append(line, args...)
	return c.suggest("mcpecho has commands instead of --method", withServer(line, server))
}

// groups are words that come before the commands of other programs.
var groups = []string{"config", "mcp", "configure", "get", "server", "tool"}

// useOther returns the failure for a word of another program.
func (c *invocation) useOther(name string) error {
	message := "unknown command " + wire.Quote(name)
	at := indexWord(c.typed, name)
	line := slices.Delete(cloneWords(c.typed), at, at+1)
	next, rest := cutName(line)
	switch {
	case name == "mcpecho" && next != "serve" && findCommand(next) != nil:
		return c.suggest(message, line)
	case name == "import", name == "add-from-claude-desktop", hasWord(groups, name) && next == "import":
		return c.usageHint(message, "to list the servers of other programs, type: "+c.paste([]string{"servers", "--all"}))
	case name == "untrust":
		return c.suggest(message, append([]string{"trust", "--revoke"}, line...))
	case name == "tool" && (next == "list" || next == "ls"):
		return c.suggest(message, append([]string{"tools"}, rest...))
	case name == "add-json":
		if better := c.addJSON(line); better != nil {
			return c.suggest(message, better)
		}
	case hasWord(setLevel, name) && next != "": // the server comes first
		return c.suggest(message, slices.Insert(line, indexWord(line, next)+1, name))
	case hasWord(replayWords, name) && next != "":
		return c.suggest(message, append([]string{"serve", "--replay", next}, rest...))
	case name == "record":
		before, server := cutServer(line)
		file := slices.IndexFunc(before, func(word string) bool { return !flags.IsFlag(word) && !c.isServer(word) })
		if file < 0 {
			before, file = append(before, "session.rec"), len(before)
		}
		line = slices.Concat([]string{"shell"}, before[:file], before[file+1:], []string{"--record", before[file]})
		return c.suggest(message, withServer(line, server))
	case name == "config" && hasWord(configWords, next):
		return c.suggest(message, append([]string{"servers"}, rest...))
	case (name == "get" || name == "delete") && (next == "tool" || next == "server"):
		return c.suggest(message, append([]string{otherWords[name]}, rest...))
	case hasWord(groups, name) && (next == "list" || next == "ls" || findCommand(next) != nil):
		return c.suggest(message, line)
	case hasWord(groups, name) && name != "get" && otherWords[next] != "":
		return c.suggest(message, append([]string{otherWords[next]}, rest...))
	}
	command := otherWords[name]
	if name == "get" && strings.Contains(strings.Join(line, " "), "://") && !strings.Contains(next, "://") {
		command = "read"
	}
	if slices.ContainsFunc(c.typed, func(word string) bool {
		return strings.ContainsAny(word, "={") && !flags.IsFlag(word) && !strings.Contains(word, "://")
	}) {
		switch name {
		case "tool":
			command = "call"
		case "get":
			command = "prompt"
		}
	}
	if command == "" || findCommand(command) == nil {
		return nil
	}
	line = slices.DeleteFunc(line, func(word string) bool {
		return word == "-it" || word == "-i" || command == "servers" && !flags.IsFlag(word) && !isFile(word)
	})
	return c.suggest(message, slices.Insert(line, at, command))
}

// addJSON returns the words of add for those of another program's add-json, or nil.
func (c *invocation) addJSON(words []string) []string {
	name, rest := cutName(words)
	text, _ := cutName(rest)
	e := config.Parse([]byte(`{"mcpServers":{"x":`+text+`}}`), "", "local").Server("x")
	switch {
	case e == nil:
		return nil
	case e.URL != "":
		return []string{"add", name, e.URL}
	}
	return append([]string{"add", name, "--", e.Command}, e.Args...)
}

// commandAfter returns the failure for a command line that begins with a server
// and not with a command.
func (c *invocation) commandAfter(name string) error {
	command, words := "", cloneWords(c.typed)
	at := indexWord(words, name)
	words = slices.Delete(words, at, at+1)
	message := "a command is missing before " + wire.Quote(c.hide(name))
	if guess.NamesServer(append([]string{name}, words...)) && c.server == nil {
		// The words after the program are its own, unless they are a command.
		last := words
		if n := len(words); n > 0 && findCommand(words[n-1]) != nil && findCommand(words[n-1]).target {
			command, last = words[n-1], words[:n-1]
		}
		return c.suggest(message, slices.Concat([]string{cmp.Or(command, "tools"), "--", name}, last))
	}
	server, tool := c.splitTool(name)
	if server == "" {
		return nil
	}
	for i, word := range words {
		if hasWord(curlFlags, word) && strings.HasPrefix(word, "-d") {
			command = "raw"
			break
		}
		if hasWord(setLevel, word) {
			words[i], command = "--log-level", "watch"
			break
		}
		if cmd := findCommand(word); cmd != nil && cmd.target && tool == "" {
			command, words = cmd.name, slices.Delete(words, i, i+1)
			break
		}
		if other := findCommand(otherWords[word]); other != nil && other.target && tool == "" {
			command, words = other.name, slices.Delete(words, i, i+1)
			break
		}
	}
	if first, _ := cutName(words); command == "" && tool == "" && strings.Contains(first, "://") {
		command = "read"
	} else if command == "" && (first != "" || tool != "") {
		command = "call"
		for i, word := range words { // as mcporter has it
			if key, value, ok := strings.Cut(word, ":"); ok && !flags.IsFlag(word) && !strings.ContainsAny(key, "={.") && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "=") {
				words[i] = key + "=" + value
			}
		}
	}
	return c.suggest(message, append([]string{cmp.Or(command, "tools"), name}, words...))
}

// configWords follow config in other programs, and show its servers.
var configWords, replayWords = []string{"view", "doctor", "show"}, []string{"mock", "replay", "play"}

var setLevel = []string{"logging/setLevel", "logging-set-level"}

// splitTool returns the server that name is or begins with, and what follows its
// separator: SERVER/TOOL or SERVER.TOOL.
func (c *invocation) splitTool(name string) (server, tool string) {
	if _, err := httpx.Parse(name); err == nil {
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
	what := strings.Fields(cmd.args)[len(c.args)]
	var known, kind string
	switch {
	case cmd.name == "call":
		server, rest := guess.CutScript(c.server)
		if at := slices.IndexFunc(c.server, func(word string) bool { return strings.Contains(word, "=") && !flags.IsFlag(word) }); at > 1 {
			server, rest = c.server[:at-1], c.server[at-1:]
		}
		if len(rest) > 0 {
			before, _ := cutServer(c.typed)
			return c.suggest("call needs TOOL before --", withServer(append(before, rest...), server))
		}
		known = "tools"
	case cmd.name == "read":
		known = "resources"
	case cmd.name == "prompt", cmd.name == "complete" && len(c.args) > 0 && kinds[c.args[0]] == mcp.RefPrompt:
		known = "prompts"
	case cmd.name == "complete" && len(c.args) > 0 && kinds[c.args[0]] != "":
		known = "templates"
	case cmd.name == "complete" && len(c.args) == 1 && kinds[c.args[0]] == "":
		ref := "prompt"
		if isTemplate(c.args[0]) {
			ref = "resource"
		}
		kind = c.commandFor("complete", ref, c.args[0])
	case cmd.name == "complete":
		kind = c.commandFor("complete", "prompt", "NAME", "ARG")
	case cmd.name == "add" && c.flags.From != "":
		_, err := c.findElsewhere(c.flags.From, "")
		return err
	case cmd.name == "completion":
		kind = c.paste([]string{"completion", "bash"})
	case !cmd.target && cmd.sample != "":
		return c.suggest(cmd.name+" needs "+what, append(cloneWords(c.typed), strings.Fields(cmd.sample)...))
	}
	switch {
	case known != "":
		return c.usageHint(cmd.name+" needs "+what, "for a list, type: "+c.commandFor(known))
	case kind != "":
		return c.usageHint(cmd.name+" needs "+what, "type: "+kind)
	}
	return c.usage(cmd.name + " needs " + what)
}

// missingMethod returns the failure for raw with JSON in place of the method: a request as
// it goes over the wire, or parameters.
func (c *invocation) missingMethod() error {
	text := c.args[0]
	method, params := toolargs.Member([]byte(text), "method"), toolargs.Member([]byte(text), "params")
	words := []string{"tools/call", text}
	switch {
	case method != nil:
		words = []string{terminal.PlainJSON(method)}
		if params != nil {
			words = append(words, string(params))
		}
	case toolargs.Member([]byte(text), "name") == nil:
		return c.usage("raw needs METHOD before the JSON")
	}
	line := c.retyped(text, words...)
	if at := indexWord(line, words[0]); hasWord(argumentFlags, line[at-1]) {
		line = slices.Delete(line, at-1, at)
	}
	return c.suggest("raw needs METHOD before the JSON", line)
}

// missingTool returns the failure for a call with arguments and no tool. The tool
// may be at the end of the URL.
func (c *invocation) missingTool() error {
	for _, separator := range []string{".", "/"} {
		base, tool, ok := cutLast(c.target, separator)
		if ok && c.server == nil && strings.Count(base, "/") > 2 && !strings.Contains(tool, "/") {
			return c.suggest("call needs TOOL after the URL", c.retyped(c.target, base, tool))
		}
	}
	if words := strings.Fields(c.args[0]); len(words) > 1 && !strings.Contains(words[0], "=") {
		if strings.Count(c.args[0], "=") < 2 { // else each word has a value without spaces
			tool, rest, _ := strings.Cut(c.args[0], " ")
			words = []string{tool, rest}
		}
		return c.suggest("TOOL and its arguments are separate words", c.retyped(c.args[0], words...))
	}
	if tool, inner, ok := strings.Cut(strings.TrimSuffix(c.args[0], ")"), "("); ok {
		return c.suggest("the arguments of a call must be key=value", c.retyped(c.args[0], append([]string{tool}, strings.Split(inner, ",")...)...))
	}
	return c.usageHint("call needs TOOL before "+wire.Quote(c.args[0]), "for a list, type: "+c.commandFor("tools"))
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
	message := "too many arguments: " + cmd.title() + " does not accept " + wire.Quote(extra)
	one := ""
	switch cmd.name {
	case "tools":
		one = "info"
	case "resources":
		one = "read"
	case "prompts":
		one = "prompt"
	}
	switch {
	case c.server != nil && strings.HasPrefix(extra, "http"):
		return c.suggest("use either a URL or a command after --, not both", c.retyped(extra))
	case cmd.target && c.server == nil && len(c.configured(extra)) > 0:
		return c.suggest(cmd.name+" takes one server", c.retyped(extra))
	case strings.HasPrefix(extra, ".") && hasWord(cmd.flags, "json"): // a filter of jq
		return c.suggest(message, c.retyped(extra, "--json"))
	case one != "" && strings.Contains(extra, ":") == (one == "read"):
		return c.suggest(message, c.retyped(c.typedCommand(), one))
	case cmd.name == "shell" && findCommand(extra) != nil && findCommand(extra).target:
		line := c.retyped(extra)
		line[indexWord(line, c.typedCommand())] = extra
		return c.suggest(message, line)
	case hasWord(cmd.flags, "http"):
		address := extra
		if u, err := httpx.Parse(extra); err == nil {
			address = u.Host
		} else if isFile(extra) && cmd.name == "serve" {
			return c.suggest(message, c.retyped(extra, "--replay", extra))
		}
		if strings.Trim(address, "0123456789") == "" {
			address = "127.0.0.1:" + address
		}
		if guess.IsAddress(address) {
			return c.suggest(message, c.retyped(extra, "--http", address))
		}
	case cmd.name == "view" && c.isServer(c.args[0]):
		return c.suggest(message, c.retyped("view", "info"))
	case cmd.name == "view":
		return c.suggest(message, c.retyped(extra, viewFilter(extra), extra))
	}
	return c.suggest(message, c.retyped(extra))
}
