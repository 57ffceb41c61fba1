// Package cmdline has the command lines that mcpecho tells users to type.
package cmdline

import (
	"bytes"
	"runtime"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
)

// The names of a program that "go run" built, in this module and elsewhere.
const (
	GoRunHere   = "go run ./cmd/mcpecho"
	GoRunLatest = "go run github.com/stdmcp/stdmcp/cmd/mcpecho@latest"
)

// A Word is one word of a command line: a text, and after it the value of an environment
// variable. The text may be a name that a server or a file has, unless Own is set.
type Word struct {
	Text     string
	Variable string // the name of the variable; empty for none
	Own      bool   // the user or mcpecho wrote the text: it may be a flag, and may need quotes
}

// A Line is a command line without the name of the program.
type Line []Word

// Words returns a line of words that may be names of servers and files.
func Words(texts ...string) Line { return words(texts, false) }

// Own returns a line of words that the user or mcpecho wrote.
func Own(texts ...string) Line { return words(texts, true) }

func words(texts []string, own bool) Line {
	l := make(Line, len(texts))
	for i, text := range texts {
		l[i] = Word{Text: text, Own: own}
	}
	return l
}

// Argument returns the word of an argument: its name, which may come from a server, and
// what follows it, which the user or mcpecho wrote. Print returns "" for a name that would
// be read as a file or as another argument.
func Argument(name, rest string) Word {
	if !isPlain(name, false) || strings.ContainsAny(name, "@=") || strings.HasSuffix(name, ":") {
		return Word{}
	}
	return Word{Text: name + rest, Own: true}
}

// Text returns the words alone, as Print does.
func (l Line) Text() string { return strings.TrimPrefix(l.Print("x", runtime.GOOS == "windows"), "x ") }

// Texts returns the texts of the words.
func (l Line) Texts() []string {
	texts := make([]string, len(l))
	for i, w := range l {
		texts[i] = w.Text
	}
	return texts
}

// Index returns the index of the word with this text, or -1.
func (l Line) Index(text string) int {
	return slices.IndexFunc(l, func(w Word) bool { return w.Text == text })
}

// Print returns the line for sh, bash, zsh and fish, or for the shells of Windows. It
// returns "" if a shell could read it in another way: a word that is not Own must be plain
// and no flag, no word has control, invisible or reordering characters, and the shells of
// Windows, which quote in different ways, get plain words only.
func (l Line) Print(program string, windows bool) string {
	var line bytes.Buffer
	line.WriteString(quote(program, windows, true))
	for _, w := range l {
		text := quote(w.Text, windows, false)
		if text == "" || line.Len() == 0 || !w.Own && (!isPlain(w.Text, windows) || strings.Contains(w.Text, "…")) {
			return ""
		}
		if w.Variable != "" {
			if windows || !isVariable(w.Variable) {
				return ""
			}
			text = strings.TrimPrefix(text, "''") + `"$` + w.Variable + `"`
		}
		line.WriteString(" " + text)
	}
	return line.String()
}

// quote returns a word as all shells read it, or "" if there is no such form.
func quote(s string, windows, program bool) string {
	switch {
	case program && (s == GoRunHere || s == GoRunLatest):
		return s
	case terminal.EscapeName(s) != s, windows && isDivided(s), program && strings.HasPrefix(s, "-"):
		return ""
	case isPlain(strings.TrimLeft(s, "-"), windows) && !(program && strings.ContainsAny(s, "=…")), s == "-", s == "--":
		return s
	case windows:
		return ""
	case s == "":
		return "''"
	}
	var b bytes.Buffer
	for s != "" {
		n := strings.IndexAny(s, `'\`)
		if n == 0 {
			b.WriteString(`\` + s[:1])
			s = s[1:]
			continue
		}
		if n < 0 {
			n = len(s)
		}
		b.WriteString("'" + s[:n] + "'")
		s = s[n:]
	}
	return b.String()
}

// isDivided reports whether PowerShell may read a word as the name of a parameter, which
// ends at a dot or a colon, and what follows.
func isDivided(s string) bool {
	return strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--") && strings.ContainsAny(s, ".:")
}

// IsPlain reports whether a word means itself in a shell, and is not a flag.
func IsPlain(s string) bool { return isPlain(s, false) }

// isPlain reports whether a word means itself in a shell, and is not a flag.
func isPlain(s string, windows bool) bool {
	safe, first := "@%+=:,./_-…", "-=%"
	if windows {
		safe = `+=:./\_-…`
	}
	return s != "" && !strings.ContainsRune(first, rune(s[0])) && !strings.ContainsFunc(s, func(r rune) bool {
		return !isLetter(r) && !strings.ContainsRune(safe, r)
	})
}

func isVariable(name string) bool {
	return name != "" && !('0' <= name[0] && name[0] <= '9') && !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !isLetter(r) })
}

// isLetter reports whether r is a letter or digit of ASCII.
func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
