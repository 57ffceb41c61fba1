package main

import (
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/nearest"
)

// mcpecho prints a command line for the user to type only if it is certain: it is parsed as
// if the user had typed it, and a word that the user has not typed needs no quotes.

// toType returns a hint with a command line: before, and "type: LINE". It returns "" if
// mcpecho cannot print the line, or would refuse it.
func (c *invocation) toType(before string, line cmdline.Line) string {
	if text := c.accepted(line); text != "" {
		return before + "type: " + text
	}
	return ""
}

// accepted returns the text of a command line, or "" if mcpecho cannot print the line, or
// would refuse it.
func (c *invocation) accepted(line cmdline.Line) string {
	if len(c.suggested) > 0 {
		return "" // this command line is itself a suggestion that is checked
	}
	e := *c.environment
	e.suggested = []string{""}
	text := c.paste(line)
	if text == "" || c.parseAgain(&e, line.Texts()) != nil {
		return ""
	}
	return text
}

// commandFor returns the command line of a command for the same server: with all flags of
// the user if the user has typed this command, else with those that selected the server.
func (c *invocation) commandFor(name string, args ...cmdline.Word) cmdline.Line {
	line := cmdline.Words(name)
	if c.inShell() {
		return append(line, args...)
	}
	if c.server == nil && c.target != "" {
		line = append(line, c.pasteTarget())
	}
	line = append(line, args...)
	command := findCommand(name)
	for _, f := range c.flags.Given {
		if hasWord(serverFlags, f.Name) || c.command != nil && name == c.command.name || f.Name == "answer" && command != nil && hasWord(command.flags, f.Name) {
			line = append(line, cmdline.Own(f.Words...)...)
		}
	}
	return withServer(line, c.server)
}

// withServer returns a command line: the words before --, and the command that starts the
// server, unless it is nil.
func withServer(line cmdline.Line, server []string) cmdline.Line {
	if server == nil {
		return line
	}
	return append(append(line, cmdline.Own("--")...), cmdline.Own(server...)...)
}

// serverFlags are the flags that select a server, or how it is reached.
var serverFlags = []string{"config", "header", "transport", "env", "inherit-env", "cwd", "protocol", "root", "sampling", "insecure"}

// pasteTarget returns the target as the user typed it, without secrets.
func (c *invocation) pasteTarget() cmdline.Word {
	if c.entry == nil && strings.Contains(c.target, "://") {
		return cmdline.Word{Text: httpx.Display(c.target), Own: true}
	}
	return cmdline.Word{Text: c.target, Own: strings.HasPrefix(c.target, "http")}
}

// outside returns an invocation whose suggestions are typed outside of the shell.
func (c *invocation) outside() *invocation {
	return &invocation{environment: c.environment, flags: c.flags}
}

// retyped returns the user's command line with other words for the first word that is old,
// that is the flag old with a value, or that ends with old after a server.
func (c *invocation) retyped(old string, words ...cmdline.Word) cmdline.Line {
	line := cmdline.Own(c.typed...)
	if at := line.Index(old); at >= 0 {
		return slices.Concat(line[:at], words, line[at+1:])
	}
	if len(words) != 1 {
		return line
	}
	for i, word := range c.typed {
		if value, ok := strings.CutPrefix(word, old+"="); ok && flags.IsFlag(old) {
			line[i] = cmdline.Word{Text: words[0].Text + "=" + value, Own: words[0].Own}
			return line
		}
		for _, separator := range []string{"/", "."} {
			if server, ok := strings.CutSuffix(word, separator+old); ok {
				line[i] = cmdline.Word{Text: server + separator + words[0].Text}
				return line
			}
		}
	}
	return line
}

// renamed returns the user's command line with a name of a server or a file for the first
// word that is old.
func (c *invocation) renamed(old, name string) cmdline.Line {
	return c.retyped(old, cmdline.Word{Text: name})
}

// without returns the user's words before -- without the named flags.
func (c *invocation) without(names ...string) (line cmdline.Line) {
	before, _ := cutServer(c.typed)
	for i := 0; i < len(before); i++ {
		f, _, hasValue := flags.Find(before[i])
		if f == nil || !hasWord(names, f.Name) {
			line = append(line, cmdline.Word{Text: before[i], Own: true})
		} else if f.Value != "" && !hasValue {
			i++
		}
	}
	return line
}

// paste returns the command line of this program with the words of line, without secrets,
// or "" if a shell could read it in another way.
func (c *invocation) paste(line cmdline.Line) string {
	line = slices.Clone(line)
	flagged, ours := "", true
	if at := line.Index("--"); at >= 0 {
		public, _ := diag.PublicArgs(line[at+1:].Texts()...)
		for i := range public {
			line[at+1+i].Text = public[i]
		}
	}
	for i := range line {
		w := &line[i]
		w.Own = w.Own || hasWord(c.typed, w.Text)
		name, value, _ := strings.Cut(w.Text, "=")
		switch f, _, hasValue := flags.Find(w.Text); {
		case !ours || c.inShell():
		case w.Text == "--":
			ours = false
		case flagged != "":
			w.Text, w.Variable = c.hideValue(flagged, w.Text)
			flagged = ""
		case f != nil && f.Value != "" && hasValue:
			value, w.Variable = c.hideValue(f.Name, value)
			w.Text = name + "=" + value
		case f != nil && f.Value != "":
			flagged = f.Name
		}
		w.Text = c.hide(w.Text)
	}
	if !c.inShell() {
		return line.Print(c.name, runtime.GOOS == "windows")
	}
	if line.Print("mcpecho", false) == "" {
		return ""
	}
	return shellwords.Join(line.Texts())
}

// hideValue returns the value of a flag without secrets: the variable that holds
// it takes its place, if there is one, because the user has probably typed that.
func (c *invocation) hideValue(flag, value string) (text, variable string) {
	before, secret := "", ""
	switch flag {
	case "header":
		key, rest, _ := strings.Cut(value, ":")
		before, secret = key+": ", strings.TrimSpace(rest)
		if scheme, rest, ok := strings.Cut(secret, " "); ok && http.CanonicalHeaderKey(key) == "Authorization" {
			before, secret = before+scheme+" ", rest
		}
	case "env":
		key, rest, ok := strings.Cut(value, "=")
		if !ok || !diag.IsSecretName(key) {
			return value, ""
		}
		before, secret = key+"=", rest
	default:
		return value, ""
	}
	if variable := c.variable(secret); variable != "" {
		return before, variable
	}
	return before + "…", ""
}

// variable returns the name of the environment variable with this value, or "".
func (c *invocation) variable(value string) string {
	if len(value) < 8 {
		return ""
	}
	for _, pair := range os.Environ() {
		if name, v, _ := strings.Cut(pair, "="); v == value && name != "" && !strings.ContainsFunc(name, notInName) {
			return name
		}
	}
	return ""
}

func notInName(r rune) bool {
	return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
}

// didMean returns the hint for a misspelled word if one known name is similar, or the hint
// otherwise.
func (c *invocation) didMean(word string, known []string, otherwise string) string {
	if near := nearest.Typo(word, known); near != "" {
		return c.toType("", c.renamed(word, near))
	}
	return otherwise
}
