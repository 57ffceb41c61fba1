package schema

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/argnames"
)

// isPattern reports whether the engines of providers without lookaround accept a regular
// expression: those of Python, without lookaround, names and references to groups, and RE2.
func isPattern(p string) bool {
	depth, repeatable := 0, false
	for i := 0; i < len(p); {
		n, again := 1, true
		switch c := p[i]; c {
		case '\\':
			n, _ = escapeLen(p[i:])
			again = n < 2 || p[i+1]|0x20 != 'b'
		case '[':
			n = classLen(p[i:])
		case '(':
			depth++
			again = false
			if strings.HasPrefix(p[i:], "(?") {
				if n = 3; !strings.HasPrefix(p[i:], "(?:") {
					return false
				}
			}
		case ')':
			depth--
		case '*', '+', '?', '{':
			if c == '{' {
				if n = repeatLen(p[i:]); n == 1 {
					break // it stands for itself
				}
			}
			if !repeatable {
				return false
			}
			again = false
			if n > 0 && strings.HasPrefix(p[i+n:], "?") {
				n++
			}
		case '|', '^', '$':
			again = false
		}
		if n == 0 || depth < 0 {
			return false
		}
		i += n
		repeatable = again
	}
	return depth == 0
}

// escapeLen returns the length of an escape, or 0 if it is unknown, and the character that
// it stands for, or -1 if it stands for several.
func escapeLen(p string) (n int, char rune) {
	if len(p) < 2 {
		return 0, 0
	}
	digits := 0
	if p[1] == 'x' {
		digits = 2
	} else if p[1] == 'u' {
		digits = 4
	}
	switch c := p[1]; {
	case digits > 0 && len(p) >= 2+digits:
		v, err := strconv.ParseUint(p[2:2+digits], 16, 32)
		if err != nil {
			return 0, 0
		}
		return 2 + digits, rune(v)
	case strings.IndexByte("dDwWsSB", c) >= 0:
		return 2, -1
	case c == '0' && (len(p) == 2 || p[2] < '0' || p[2] > '9'):
		return 2, 0
	case strings.IndexByte("bntrfv", c) >= 0:
		return 2, rune(c) & 0x1f // the order of control characters is about that
	case c != '_' && strings.IndexByte(argnames.Letters+argnames.Digits, c) >= 0, c >= utf8.RuneSelf:
		return 0, 0
	}
	return 2, rune(p[1])
}

// classLen returns the length of a class, or 0 if it is not valid.
func classLen(p string) int {
	const none, set = -1, -2
	i, low, ranging := 1, rune(none), false // the character that may begin a range
	if strings.HasPrefix(p[i:], "^") {
		i++
	}
	for start := i; i < len(p) && p[i] != '['; {
		if p[i] == ']' && i > start {
			return i + 1
		}
		c, n := utf8.DecodeRuneInString(p[i:])
		if c == '\\' {
			if n, c = escapeLen(p[i:]); n == 0 || p[i+1] == 'B' {
				return 0
			}
		} else if c == ']' {
			return 0
		}
		switch {
		case ranging:
			if low < 0 || c < low {
				return 0
			}
			low, ranging = none, false
		case c == '-' && n == 1 && low != none && i+1 < len(p) && p[i+1] != ']':
			ranging = true
		case c < 0:
			low = set
		default:
			low = c
		}
		i += n
	}
	return 0
}

// repeatLen returns the length of the bounds of a repetition, 1 if its brace stands for
// itself, or 0 if the bounds are not valid.
func repeatLen(p string) int {
	body, _, ok := strings.Cut(p[1:], "}")
	low, high, _ := strings.Cut(body, ",")
	if !ok || low+high == "" || strings.Trim(low+high, argnames.Digits) != "" {
		return 1
	}
	from, _ := strconv.Atoi(low)
	to, err := strconv.Atoi(high)
	if err == nil && to < from {
		return 0
	}
	return len(body) + 2
}
