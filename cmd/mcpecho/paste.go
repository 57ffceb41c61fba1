package main

import (
	"bytes"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/nearest"
)

// Commands that mcpecho suggests can be pasted into a shell: every word is
// quoted, and what selects and reaches the server is repeated.

// commandFor returns the command line of a command for the same server: with all flags of
// the user if the user has typed this command, else with those that selected the server.
func (c *invocation) commandFor(name string, args ...string) string {
	line := []string{name}
	if c.inShell() {
		return c.paste(append(line, args...))
	}
	if c.server == nil && c.target != "" {
		line = append(line, c.pasteTarget())
	}
	line = append(line, args...)
	command := findCommand(name)
	for _, f := range c.flags.Given {
		if hasWord(serverFlags, f.Name) || c.command != nil && name == c.command.name || f.Name == "answer" && command != nil && hasWord(command.flags, f.Name) {
			line = append(line, f.Words...)
		}
	}
	return c.paste(withServer(line, c.server))
}

// withServer returns a command line: the words before --, and the command that starts the
// server, unless it is nil.
func withServer(line, server []string) []string {
	if server == nil {
		return line
	}
	return append(append(line, "--"), server...)
}

// serverFlags are the flags that select a server, or how it is reached.
var serverFlags = []string{"config", "header", "transport", "env", "inherit-env", "cwd", "protocol", "root", "sampling", "insecure"}

// pasteTarget returns the target as the user typed it, without secrets.
func (c *invocation) pasteTarget() string {
	if c.entry == nil && strings.Contains(c.target, "://") {
		return httpx.Display(c.target)
	}
	return c.target
}

// outside returns an invocation whose suggestions are typed outside of the shell.
func (c *invocation) outside() *invocation {
	return &invocation{environment: c.environment, flags: c.flags}
}

// retyped returns the user's command line with other words for the first word
// that is old, or that is the flag old with a value.
func (c *invocation) retyped(old string, words ...string) []string {
	line := cloneWords(c.typed)
	for i, word := range line {
		if word == old {
			return slices.Replace(line, i, i+1, words...)
		}
		if value, ok := strings.CutPrefix(word, old+"="); ok && flags.IsFlag(old) && len(words) == 1 {
			line[i] = words[0] + "=" + value
			return line
		}
	}
	for i, word := range line {
		for _, separator := range []string{"/", "."} {
			if server, ok := strings.CutSuffix(word, separator+old); ok && len(words) == 1 {
				line[i] = server + separator + words[0]
				return line
			}
		}
	}
	return line
}

// flagged returns words with the flags of the user after them.
func (c *invocation) flagged(words ...string) []string {
	for _, given := range c.flags.Given {
		words = append(words, given.Words...)
	}
	return words
}

// without returns the user's words before -- without the named flags.
func (c *invocation) without(names ...string) (line []string) {
	before, _ := cutServer(c.typed)
	for i := 0; i < len(before); i++ {
		f, _, hasValue := flags.Find(before[i])
		if f == nil || !hasWord(names, f.Name) {
			line = append(line, before[i])
		} else if f.Value != "" && !hasValue {
			i++
		}
	}
	return line
}

// paste returns the command line of this program with words as its arguments.
func (c *invocation) paste(words []string) string {
	var line bytes.Buffer
	if c.inShell() {
		for _, word := range words {
			line.WriteString(" " + shellwords.Quote(c.hide(word)))
		}
		return strings.TrimPrefix(line.String(), " ")
	}
	line.WriteString(c.name)
	flagged, ours := "", true
	if at := indexWord(words, "--"); at >= 0 {
		public, _ := diag.PublicArgs(words[at+1:]...)
		words = append(words[:at+1:at+1], public...)
	}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch f, _, hasValue := flags.Find(word); {
		case !ours:
		case word == "--":
			ours = false
		case flagged != "":
			word = c.hideValue(flagged, word)
			flagged = ""
		case f != nil && f.Value != "" && hasValue:
			word = name + "=" + c.hideValue(f.Name, value)
		case f != nil && f.Value != "":
			flagged = f.Name
		}
		line.WriteString(" " + c.quoteWord(c.hide(word)))
	}
	return line.String()
}

// hideValue returns the value of a flag without secrets: the variable that holds
// it takes its place, if there is one, because the user has probably typed that.
func (c *invocation) hideValue(flag, value string) string {
	switch flag {
	case "header":
		key, secret, _ := strings.Cut(value, ":")
		secret = strings.TrimSpace(secret)
		scheme := ""
		if first, rest, ok := strings.Cut(secret, " "); ok && http.CanonicalHeaderKey(key) == "Authorization" {
			scheme, secret = first+" ", rest
		}
		return key + ": " + scheme + c.variable(secret)
	case "env":
		if key, secret, ok := strings.Cut(value, "="); ok && diag.IsSecretName(key) {
			return key + "=" + c.variable(secret)
		}
	}
	return value
}

// variable returns a reference to the environment variable with this value, or "…".
func (c *invocation) variable(value string) string {
	if len(value) >= 8 {
		for _, pair := range c.environ() {
			if name, v, _ := strings.Cut(pair, "="); v == value && name != "" && !strings.ContainsFunc(name, notInName) {
				return variableMark + name + variableMark
			}
		}
	}
	return "…"
}

// variableMark surrounds the name of a variable until quoteWord has quoted it.
const variableMark = "\x00"

func notInName(r rune) bool {
	return r > unicode.MaxASCII || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// quoteWord quotes a word for a POSIX shell, or PowerShell on Windows, if that is
// necessary. Characters that could change what the terminal shows become escapes.
func (c *invocation) quoteWord(s string) string {
	if before, rest, ok := strings.Cut(s, variableMark); ok {
		name, after, _ := strings.Cut(rest, variableMark)
		return `"` + strings.NewReplacer(`"`, `\"`, "`", "\\`", "$", `\$`, `\`, `\\`).Replace(terminal.EscapeName(before)) + "$" + name + `"` + strings.TrimSuffix(shellQuote(terminal.EscapeName(after)), "''")
	}
	s = terminal.EscapeName(s)
	if runtime.GOOS == "windows" {
		return quoteWindows(s)
	}
	if isPlainWord(s, "@%+=:,./_-") {
		return s
	}
	return shellQuote(s)
}

// isPlainWord reports whether a word needs no quotes in a shell, where safe are the
// characters without a meaning beside letters and digits.
func isPlainWord(s, safe string) bool {
	return s != "" && s[0] != '=' && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '…' && (r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(safe, r))
	})
}

// quoteWindows quotes a word for PowerShell, and for cmd.exe if double quotes are
// enough.
func quoteWindows(s string) string {
	switch {
	case isPlainWord(s, `+=:./\_-`):
		return s
	case !strings.ContainsAny(s, "\"$`%") && !strings.HasSuffix(s, `\`):
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// didMean returns the hint for a misspelled word with the nearest known one, or
// the hint otherwise.
func (c *invocation) didMean(word string, known []string, otherwise string) string {
	if near := nearest.Names(word, known); len(near) > 0 {
		return "type: " + c.paste(c.retyped(word, near[0]))
	}
	return otherwise
}
