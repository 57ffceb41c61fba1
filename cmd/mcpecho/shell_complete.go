package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/mcp"
)

// completeTime limits how long a completion takes. Lists that arrive later are
// there the next time.
const completeTime = time.Second

// A completer collects the candidates for the last word of a line.
type completer struct {
	sh    *shell
	ctx   context.Context
	typed string // the last word, without quotes
	all   []lineedit.Candidate
}

// complete completes the text before the cursor.
func (sh *shell) complete(before string) lineedit.Completion {
	ctx, cancel := context.WithTimeout(sh.ctx, completeTime)
	defer cancel()
	commands, open := shellwords.Split(before)
	var words []shellwords.Word
	if len(commands) > 0 {
		words = commands[len(commands)-1]
	}
	blank := before == "" || strings.ContainsRune(" \t\n", rune(before[len(before)-1]))
	if strings.HasSuffix(before, "\n") && !open {
		words = nil
	}
	last := shellwords.Word{Start: len(before), End: len(before)}
	if len(words) > 0 && (open || !blank) {
		last, words = words[len(words)-1], words[:len(words)-1]
	}
	c := &completer{sh: sh, ctx: ctx, typed: last.Text}
	given := make([]string, len(words))
	for i, w := range words {
		given[i] = w.Text
	}
	note := c.find(given)
	result := lineedit.Completion{Start: last.Start, Candidates: c.all, Note: note}
	if ctx.Err() != nil && len(c.all) == 0 {
		result.Note = "The server has not responded within " + completeTime.String() + "."
	}
	return result
}

// add adds a candidate if it begins with what the user typed. A name of the server that
// would be a flag is none.
func (c *completer) add(text string, open bool) {
	if strings.HasPrefix(text, c.typed) && (c.typed != "" || !strings.HasPrefix(text, "-")) {
		c.all = append(c.all, lineedit.Candidate{Text: shellwords.Quote(text), Label: terminal.EscapeName(text), Open: open})
	}
}

func (c *completer) addAll(texts []string) {
	for _, text := range texts {
		c.add(text, false)
	}
}

// find collects the candidates for the word after the given ones.
func (c *completer) find(given []string) (note string) {
	if len(given) == 0 {
		for _, cmd := range shellCommands() {
			c.add(cmd.name, false)
		}
		c.addAll([]string{"exit", "restart", "unwatch", "wait"})
		return ""
	}
	if given[0] == "help" {
		for _, cmd := range shellCommands() {
			c.add(cmd.name, false)
		}
		return ""
	}
	cmd := findCommand(given[0])
	if cmd == nil {
		return ""
	}
	if f, _, hasValue := flags.Find(given[len(given)-1]); flags.IsFlag(given[len(given)-1]) && f != nil && f.Value != "" && !hasValue {
		choices, path := flagValues(f)
		c.addAll(choices)
		if path {
			c.files("", c.typed)
		}
		return ""
	}
	if strings.HasPrefix(c.typed, "-") && c.typed != "-" {
		for _, name := range flagWords(flagsOf(cmd)) {
			if f, _, _ := flags.Find(name); !hasWord(connectionFlags, f.Name) || f.Name == "timeout" || f.Name == "q" {
				c.add(name, false)
			}
		}
		return ""
	}
	args := argumentsOf(given[1:])
	switch cmd.name {
	case "call":
		return c.call(args)
	case "info":
		if len(args) == 0 {
			c.addAll(c.names("tools"))
		}
	case "skills":
		if len(args) == 0 {
			c.addAll(cmd.actions)
		}
	case "read", "watch":
		c.uris(cmd.name == "read")
	case "prompt":
		return c.prompt(args)
	case "complete":
		c.reference(args)
	}
	return ""
}

// argumentsOf returns the words that are neither flags nor their values.
func argumentsOf(words []string) (args []string) {
	for i := 0; i < len(words); i++ {
		if !flags.IsFlag(words[i]) {
			args = append(args, words[i])
		} else if f, _, hasValue := flags.Find(words[i]); f != nil && f.Value != "" && !hasValue {
			i++
		}
	}
	return args
}

// names returns the first column of a list of the server.
func (c *completer) names(list string) (names []string) {
	raw, err := c.list(list)
	if err != nil {
		return nil
	}
	rows, _ := lists()[list].rows(raw)
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names
}

// list fetches a list, and lets that go on after the time for the completion.
func (c *completer) list(name string) (raw []byte, err error) {
	type result struct {
		raw []byte
		err error
	}
	done := make(chan result, 1)
	go func() { // ends with the request, which has a timeout
		raw, err := c.sh.list(c.sh.ctx, name)
		done <- result{raw, err}
	}()
	select {
	case r := <-done:
		return r.raw, r.err
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
}

// call completes a tool, or the name or the value of an argument.
func (c *completer) call(args []string) (note string) {
	if len(args) == 0 {
		c.addAll(c.names("tools"))
		return ""
	}
	raw, err := c.list("tools")
	var res mcp.ListToolsResult
	if err != nil || res.UnmarshalJSON(raw) != nil {
		return ""
	}
	tool, err := c.sh.c.findTool(res.Tools, args[0])
	if err != nil {
		return terminal.EscapeLine(err.Error())
	}
	s := toolargs.ParseSchema(tool.InputSchema)
	if key, value, ok := strings.Cut(c.typed, "="); ok {
		c.value(s, key, value)
		return ""
	}
	missing := ""
	for _, p := range s.Properties {
		if !slices.ContainsFunc(args[1:], func(arg string) bool {
			key, _, _ := strings.Cut(arg, "=")
			return strings.TrimSuffix(key, ":") == p.Name
		}) {
			c.add(p.Name+"=", true)
			missing = p.Name
		}
	}
	if missing == "" {
		return "The tool has no further arguments."
	}
	return ""
}

// value completes the value of an argument of a tool.
func (c *completer) value(s *toolargs.Schema, key, value string) {
	prefix := key + "="
	if path, ok := strings.CutPrefix(value, "@"); ok {
		c.files(prefix+"@", path)
		return
	}
	p := s.Property(strings.TrimSuffix(key, ":"))
	if p == nil {
		return
	}
	for _, v := range p.Enum {
		if !strings.HasSuffix(key, ":") {
			v = terminal.PlainJSON([]byte(v))
		}
		c.add(prefix+v, false)
	}
	if len(p.Enum) == 0 && p.Allows("boolean") && len(p.Types) > 0 && !hasWord(p.Types, "any") {
		c.add(prefix+"false", false)
		c.add(prefix+"true", false)
	}
}

// maxFiles limits the names of files in a completion.
const maxFiles = 1000

func (c *completer) files(prefix, path string) {
	dir, _ := filepath.Split(path)
	f, err := os.Open(cmp.Or(dir, "./")) // with the slash, a pipe is not waited for
	if err != nil {
		return
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxFiles)
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if e.IsDir() {
			c.add(prefix+dir+e.Name()+"/", true)
		} else {
			c.add(prefix+dir+e.Name(), false)
		}
	}
}

// uris completes the URI of a resource, or one that a template describes.
func (c *completer) uris(templates bool) {
	c.addAll(c.names("resources"))
	if !templates {
		return
	}
	for _, t := range c.names("templates") {
		c.template(t)
	}
}

// template completes a URI of a template: what is fixed, and with the server's
// completions what is variable.
func (c *completer) template(template string) {
	done, given := "", map[string]string{} // done is the part of the URI that is complete
	for rest := template; ; {
		literal, after, variable := strings.Cut(rest, "{")
		typed := c.typed[len(done):]
		if !strings.HasPrefix(typed, literal) {
			if strings.HasPrefix(literal, typed) {
				c.add(done+literal, variable)
			}
			return
		}
		expression, next, closed := strings.Cut(after, "}")
		names := toolargs.TemplateVariables("{" + expression + "}")
		if !variable || !closed || len(names) != 1 || strings.ContainsAny(expression, "./;?&*") {
			return // is complete, or has a form that is completed by hand
		}
		done += literal
		typed = typed[len(literal):]
		following, _, _ := strings.Cut(next, "{")
		i := -1
		if following != "" {
			i = strings.Index(typed, following)
		}
		if i < 0 {
			for _, v := range c.complete(mcp.TemplateRef(template), names[0], typed, given) {
				c.add(done+v+following, strings.Contains(next, "{"))
			}
			return
		}
		given[names[0]] = typed[:i]
		done += typed[:i]
		rest = next
	}
}

// complete asks the server for the completions of an argument.
func (c *completer) complete(ref mcp.Reference, name, value string, given map[string]string) []string {
	s := c.sh.current()
	if isDone(s) || s.Server().Capabilities.Completions == nil {
		return nil
	}
	res, err := s.Complete(c.ctx, ref, name, value, given)
	if err != nil {
		return nil
	}
	return res.Values
}

// prompt completes a prompt, or the name or the value of an argument.
func (c *completer) prompt(args []string) (note string) {
	if len(args) == 0 {
		c.addAll(c.names("prompts"))
		return ""
	}
	known := c.promptArguments(args[0])
	if key, value, ok := strings.Cut(c.typed, "="); ok {
		for _, v := range c.complete(mcp.PromptRef(args[0]), key, value, pairs(args[1:])) {
			c.add(key+"="+v, false)
		}
		return ""
	}
	given := pairs(args[1:])
	for _, name := range known {
		if _, ok := given[name]; !ok {
			c.add(name+"=", true)
		}
	}
	if len(given) == len(known) && len(known) > 0 {
		return "The prompt has no further arguments."
	}
	return ""
}

// pairs returns the k=v among words.
func pairs(words []string) map[string]string {
	m := make(map[string]string)
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok {
			m[key] = value
		}
	}
	return m
}

func (c *completer) promptArguments(name string) (names []string) {
	raw, err := c.list("prompts")
	var res mcp.ListPromptsResult
	if err != nil || res.UnmarshalJSON(raw) != nil {
		return nil
	}
	for _, p := range res.Prompts {
		for _, a := range p.Arguments {
			if p.Name == name {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// reference completes the arguments of the command complete.
func (c *completer) reference(args []string) {
	switch {
	case len(args) == 0:
		c.addAll([]string{"prompt", "resource"})
	case len(args) == 1 && kinds[args[0]] == mcp.RefPrompt:
		c.addAll(c.names("prompts"))
	case len(args) == 1:
		c.addAll(c.names("templates"))
	case len(args) == 2 && kinds[args[0]] == mcp.RefPrompt:
		c.addAll(c.promptArguments(args[1]))
	case len(args) == 2:
		c.addAll(toolargs.TemplateVariables(args[1]))
	}
}
