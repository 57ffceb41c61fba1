package schema

import (
	"strconv"
	"strings"
)

// isPattern reports whether the engines of providers without lookaround accept a regular
// expression. Their syntax is that of Python without lookaround and references to groups.
func isPattern(p string) bool {
	depth, repeatable := 0, false
	for i := 0; i < len(p); {
		c := p[i]
		i++
		switch c {
		case '\\':
			n, _ := escapeLen(p[i:], false)
			if n == 0 {
				return false
			}
			i += n
			repeatable = true
		case '[':
			n := classLen(p[i:])
			if n == 0 {
				return false
			}
			i += n
			repeatable = true
		case '(':
			depth++
			repeatable = false
			if i < len(p) && p[i] == '?' {
				switch rest := p[i:]; {
				case strings.HasPrefix(rest, "?:"):
					i += 2
				default:
					return false
				}
			}
		case ')':
			if depth--; depth < 0 {
				return false
			}
			repeatable = true
		case '*', '+', '?':
			if !repeatable {
				return false
			}
			if i < len(p) && p[i] == '?' {
				i++
			}
			repeatable = false
		case '{':
			if n := repeatLen(p[i:]); n > 0 {
				if !repeatable {
					return false
				}
				if i += n; i < len(p) && p[i] == '?' {
					i++
				}
				repeatable = false
			} else {
				repeatable = true
			}
		case '|':
			repeatable = false
		case '^':
			repeatable = false
		default:
			repeatable = true
		}
	}
	return depth == 0
}

// escapeLen returns the length of an escape after its backslash, or 0 if it is unknown,
// and the character that it stands for, or -1 if it stands for several.
func escapeLen(p string, inClass bool) (n int, char rune) {
	if p == "" {
		return 0, 0
	}
	hex := func(n int) (int, rune) {
		if len(p) <= n {
			return 0, 0
		}
		v, err := strconv.ParseUint(p[1:n+1], 16, 32)
		if err != nil {
			return 0, 0
		}
		return n + 1, rune(v)
	}
	switch c := p[0]; {
	case strings.IndexByte("dDwWsS", c) >= 0:
		return 1, -1
	case c == 'b' || c == 'B' && !inClass:
		return 1, '\b'
	case strings.IndexByte("ntrfv", c) >= 0:
		return 1, map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', 'f': '\f', 'v': '\v'}[c]
	case c == '0' && (len(p) == 1 || p[1] < '0' || p[1] > '9'):
		return 1, 0
	case c == 'x':
		return hex(2)
	case c == 'u':
		return hex(4)
	case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= 0x80:
		return 0, 0
	default:
		return 1, rune(c)
	}
}

// classLen returns the length of a class after its bracket, or 0 if it is not valid.
func classLen(p string) int {
	i := 0
	if i < len(p) && p[i] == '^' {
		i++
	}
	start, last, ranging := i, rune(-2), false // the last character, -1 for a set of them, -2 for none
	for i < len(p) {
		if p[i] == ']' {
			if i == start {
				return 0
			}
			return i + 1
		}
		var char rune
		if p[i] == '\\' {
			n, c := escapeLen(p[i+1:], true)
			if n == 0 {
				return 0
			}
			char = c
			i += n + 1
		} else {
			for _, char = range p[i:] {
				break
			}
			i += len(string(char))
		}
		switch {
		case ranging:
			if last < 0 || char < last {
				return 0
			}
			last, ranging = -2, false
		case char == '-' && last != -2 && i < len(p) && p[i] != ']' && p[i-2:i] != `\-`:
			ranging = true
		default:
			last = char
		}
	}
	return 0
}

// repeatLen returns the length of the bounds of a repetition after their brace, or 0 if
// the brace stands for itself.
func repeatLen(p string) int {
	at := strings.IndexByte(p, '}')
	if at <= 0 {
		return 0
	}
	low, high, comma := strings.Cut(p[:at], ",")
	if strings.Trim(low+high, "0123456789") != "" || low == "" && (high == "" || !comma) {
		return 0
	}
	return at + 1
}
