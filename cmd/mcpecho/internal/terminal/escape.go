package terminal

import (
	"io"

	"github.com/stdmcp/stdmcp/internal/display"
)

// Escaped passes what Escape returns on to a terminal.
type Escaped struct{ io.Writer }

func (e Escaped) Write(p []byte) (int, error) {
	_, err := io.WriteString(e.Writer, Escape(string(p)))
	return len(p), err
}

// Escape returns text of a server without terminal control sequences: control
// characters and those that reorder or hide text become escapes such as \u001b,
// which do not change the meaning of JSON. Line breaks and tabs stay.
func Escape(s string) string {
	return display.Escape(s, func(_, r, after rune) bool { return mustEscape(r) && (r != '\r' || after != '\n') })
}

// EscapeLine is Escape for text that must stay on one line.
func EscapeLine(s string) string {
	return display.Escape(s, func(_, r, _ rune) bool { return r == '\n' || r == '\t' || mustEscape(r) })
}

// EscapeName is EscapeLine for names and titles, in which invisible characters
// would make two of them look alike.
func EscapeName(s string) string { return display.EscapeName(s) }

// mustEscape reports whether a terminal might interpret r instead of showing it.
func mustEscape(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case 0x7f <= r && r <= 0x9f: // DEL and C1
		return true
	case r == 0x2028, r == 0x2029: // line breaks to some
		return true
	case 0xe0000 <= r && r <= 0xe007f: // tags, which are invisible
		return true
	}
	return display.Reorders(r)
}
