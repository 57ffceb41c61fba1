package diag

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns s on one line and safe for a terminal: without control
// sequences and surrounding spaces, and with ? for other characters that cannot
// be printed. It replaces the secrets as [Redact] does, even those that a control
// sequence interrupts. If the result is longer than max bytes, it is cut off and
// ends in three dots. Zero means no limit.
func Printable(s string, max int, secrets ...string) string {
	s = Redact(s, secrets...)
	var b []byte
	for len(s) > 0 {
		if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
			// Parameters, then one final byte (ECMA-48, section 5.4).
			rest = strings.TrimLeft(rest, " !\"#$%&'()*+,-./0123456789:;<=>?")
			s = rest[min(1, len(rest)):]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch {
		case unicode.IsSpace(r):
			b = append(b, ' ')
		case strconv.IsPrint(r) && r != utf8.RuneError:
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, '?')
		}
	}
	text := Redact(strings.TrimSpace(string(b)), secrets...)
	if max > 0 && len(text) > max {
		text = strings.ToValidUTF8(text[:max], "") + "..."
	}
	return text
}
