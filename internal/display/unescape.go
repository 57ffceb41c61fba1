package display

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the first characters of the escapes of strings and of URLs.
const escapes = `\%`

// breaks are the characters of line breaks, which long texts may have anywhere.
const breaks = "\r\n"

// A text is a part of the searched text, with or without its line breaks and escapes.
type text struct {
	s        string
	at, ends []int32 // index in the part of each byte of s, and of the end of s[:i]; nil if s is the part
	spaced   bool    // s has spaces in place of plus signs
}

// offset returns the index in the part of byte i of s.
func (t *text) offset(i int) int {
	if t.at == nil {
		return i
	}
	return int(t.at[i])
}

// end returns the index in the part at which s[:i] ends. Line breaks may follow.
func (t *text) end(i int) int {
	if t.ends == nil {
		return i
	}
	return int(t.ends[i])
}

// unescape returns t without the escapes that begin with mark, and without line breaks.
// It reports false if t has no escapes. In URLs, a plus sign is a space.
func (t *text) unescape(mark byte) (plain text, found bool) {
	isURL := mark == '%'
	if mark != '\n' && strings.IndexByte(t.s, mark) < 0 && (!isURL || t.spaced || strings.IndexByte(t.s, '+') < 0) {
		return plain, false
	}
	b, at, ends, n := make([]byte, len(t.s)), make([]int32, len(t.s)+1), make([]int32, len(t.s)+1), 0
	for i, size := 0, 1; i < len(t.s); i += size {
		c := rune(t.s[i])
		if size = 1; t.s[i] == mark && mark != '\n' {
			c, size = escaped(t.s[i:])
		}
		found = found || size > 1 || isURL && c == '+'
		if c == '\r' || c == '\n' {
			continue
		}
		begin := n
		if b[n], n = byte(c), n+1; size > 4 {
			n = begin + utf8.EncodeRune(b[begin:], c)
		}
		for ; begin < n; begin++ {
			at[begin], ends[begin+1] = int32(t.offset(i)), int32(t.end(i+size))
		}
	}
	at[n] = int32(t.offset(len(t.s)))
	plain = text{string(b[:n]), at, ends, t.spaced || isURL}
	if plain.spaced {
		plain.s = exchange(plain.s, '+', ' ')
	}
	return plain, found
}

// escaped returns the character of the escape at the start of s and the length of the
// escape: more than 4 for a character, up to that for a byte. The length is 1 if there
// is not an escape.
func escaped(s string) (rune, int) {
	digits, begin := 2, 2
	if s[0] == '%' {
		begin = 1
	} else if len(s) > 1 {
		switch c := s[1]; c {
		case 'x':
		case 'u':
			if end := strings.IndexByte(s[:min(len(s), 10)], '}'); end > 3 && s[2] == '{' { // JavaScript and Rust
				if c := hexNumber(s, 3, end-3); c >= 0 {
					return c, end + 1
				}
			}
			digits = 4
		case 'U':
			digits = 8
		default:
			if len(s) > 3 && isOctal(c) && isOctal(s[2]) && isOctal(s[3]) {
				return rune(c&7<<6 | s[2]&7<<3 | s[3]&7), 4
			}
			if n := strings.IndexByte("nrtbfav", c); n >= 0 {
				c = "\n\r\t\b\f\a\v"[n]
			}
			return rune(c), 2
		}
	}
	c := hexNumber(s, begin, digits)
	if c < 0 {
		return rune(s[0]), 1
	}
	if utf16.IsSurrogate(c) && len(s) > 7 && s[6:8] == `\u` {
		if both := utf16.DecodeRune(c, hexNumber(s, 8, 4)); both != utf8.RuneError {
			return both, 12
		}
	}
	return c, begin + digits
}

func isOctal(c byte) bool { return c&^7 == '0' }

// hexNumber returns the number of n digits at i in s, or -1.
func hexNumber(s string, i, n int) (c rune) {
	if len(s) < i+n {
		return -1
	}
	for _, d := range []byte(s[i : i+n]) {
		switch {
		case '0' <= d && d <= '9':
			d -= '0'
		case 'a' <= d|0x20 && d|0x20 <= 'f':
			d = d | 0x20 - 'a' + 10
		default:
			return -1
		}
		c = c<<4 | rune(d)
	}
	return max(c, 0) & 0x1fffff
}
