package diag

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Printable returns s on one line and safe for a terminal: without control
// sequences and surrounding spaces, and with ? for other characters that cannot
// be printed. If the result is longer than max bytes, it is cut off and ends in
// three dots. Zero means no limit.
func Printable(s string, max int) string { return Cut(strip(s), max) }

func strip(s string) string {
	var b []byte
	for len(s) > 0 {
		if strings.HasPrefix(s, "\x1b[") {
			// Parameters, then one final byte (ECMA-48, section 5.4).
			s = s[2:]
			for len(s) > 0 && ' ' <= s[0] && s[0] <= '?' {
				s = s[1:]
			}
			s = s[min(1, len(s)):]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch {
		case r != utf8.RuneError && strconv.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case isSpace(r):
			b = append(b, ' ')
		default:
			b = append(b, '?')
		}
	}
	return wire.Trim(string(b))
}

// isSpace is unicode.IsSpace for what cannot be printed.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return r != utf8.RuneError && strconv.IsGraphic(r)
}

// Cut shortens text, which is best valid UTF-8, to max bytes and three dots.
func Cut(text string, max int) string {
	if max <= 0 || len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "..."
}
