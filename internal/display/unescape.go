package display

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the first characters of the escapes of strings and of URLs.
const escapes = `\%`

// unescape returns t without the escapes that begin with mark. It reports false if t
// has none. In URLs, a plus sign is a space.
func (t *text) unescape(mark byte) (plain text, found bool) {
	isURL := mark == '%'
	if strings.IndexByte(t.s, mark) < 0 && (!isURL || t.spaced || strings.IndexByte(t.s, '+') < 0) {
		return plain, false
	}
	b, at, n := make([]byte, len(t.s)), make([]int32, len(t.s)+1), 0
	for i, size := 0, 1; i < len(t.s); i += size {
		c := rune(t.s[i])
		if size = 1; t.s[i] == mark {
			c, size = escaped(t.s[i:])
		}
		found = found || size > 1 || isURL && c == '+'
		begin := n
		if b[n], n = byte(c), n+1; size > 4 {
			n = begin + utf8.EncodeRune(b[begin:], c)
		}
		for ; begin < n; begin++ {
			at[begin] = int32(t.offset(i))
		}
	}
	at[n] = int32(t.offset(len(t.s)))
	plain = text{string(b[:n]), at, t.spaced || isURL}
	if plain.spaced {
		plain.s = exchange(plain.s, '+', ' ')
	}
	return plain, found
}

// escaped returns the character of the escape at the start of s and the length of the
// escape: more than 4 for a character, up to that for a byte. The length is 1 if there
// is no escape.
func escaped(s string) (rune, int) {
	digits, begin := 2, 2
	if s[0] == '%' {
		begin = 1
	} else if len(s) > 1 {
		switch c := s[1]; c {
		case 'x':
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
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
