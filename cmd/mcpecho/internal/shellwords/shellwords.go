// Package shellwords splits the lines of mcpecho's shell into commands and words, and
// quotes words.
package shellwords

import (
	"bytes"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Word is a part of a line of the shell.
type Word struct {
	Text       string // without quotes
	Start, End int    // in the line, in bytes
}

// Split splits text into commands, which line breaks separate, and those into
// words, which blanks separate. As in other shells, '…' holds text as it is, in "…"
// a backslash escapes, and a # before a command begins a comment. In "…" the
// escapes are those of JSON. A JSON object or array needs no quotes, at the
// beginning of a word or after =. open reports that the text ends within quotes or
// JSON; the last word is then incomplete.
func Split(text string) (commands [][]Word, open bool) {
	var command []Word
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			if command != nil {
				commands = append(commands, command)
			}
			command = nil
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '#' && command == nil:
			comment, _, _ := strings.Cut(text[i:], "\n")
			i += len(comment)
		default:
			w, unfinished := readWord(text, i)
			command, i, open = append(command, w), w.End, unfinished
		}
	}
	if command != nil {
		commands = append(commands, command)
	}
	return commands, open
}

// readWord reads the word that begins at text[start].
func readWord(text string, start int) (w Word, open bool) {
	var b bytes.Buffer
	i := start
	for i < len(text) {
		c := text[i]
		rest := text[i:]
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			return Word{b.String(), start, i}, false
		case (c == '{' || c == '[') && (i == start || text[i-1] == '='):
			n, closed := jsonLength(rest)
			b.WriteString(rest[:n])
			if i += n; !closed {
				return Word{b.String(), start, i}, true
			}
		case c == '\'':
			quoted, _, closed := strings.Cut(rest[1:], "'")
			b.WriteString(quoted)
			if !closed {
				return Word{b.String(), start, len(text)}, true
			}
			i += len(quoted) + 2
		case c == '"':
			n := stringLength(rest)
			if n < 0 {
				b.WriteString(rest[1:])
				return Word{b.String(), start, len(text)}, true
			}
			b.WriteString(unquote(rest[:n]))
			i += n
		case c == '\\' && len(rest) > 1 && strings.IndexByte(` '"\`, rest[1]) >= 0:
			b.WriteByte(rest[1])
			i += 2
		default:
			b.WriteByte(c)
			i++
		}
	}
	return Word{b.String(), start, i}, false
}

// stringLength returns the length of the "…" at the beginning of s, or -1.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// unquote returns the text in a "…". What is not a string of JSON, such as one of
// several lines, loses only its quotes and the backslashes before those.
func unquote(s string) string {
	if wire.Valid([]byte(s)) == nil {
		return terminal.PlainJSON([]byte(s))
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s[1 : len(s)-1])
}

// jsonLength returns the length of the object or array at the beginning of s, and
// whether it is closed.
func jsonLength(s string) (n int, closed bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '"':
			n := stringLength(s[i:])
			if n < 0 {
				return len(s), false
			}
			i += n - 1
		}
	}
	return len(s), false
}

// Fields returns the words of a command that the user has typed in quotes, as in a line of
// the shell. open reports that quotes or JSON in it do not end.
func Fields(text string) (words []string, open bool) {
	commands, open := Split(text)
	for _, command := range commands {
		for _, w := range command {
			words = append(words, w.Text)
		}
	}
	return words, open
}

// Join returns the command of which Fields returns the words.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

// Quote returns s as a word of the shell.
func Quote(s string) string {
	switch {
	case terminal.EscapeName(s) != s:
		return terminal.EscapeName(string(wire.AppendString(nil, s)))
	case s == "":
		return "''"
	case !strings.ContainsAny(s, " '\"\\") && !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "#") &&
		!strings.Contains(s, "={") && !strings.Contains(s, "=["):
		return s
	case !strings.ContainsRune(s, '\''):
		return "'" + s + "'"
	}
	return string(wire.AppendString(nil, s))
}
