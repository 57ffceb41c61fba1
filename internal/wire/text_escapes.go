package wire

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescaped returns the string whose inside is written as raw.
func unescaped(raw string) []byte {
	// An escape has at most two backslashes, and is longer than what it stands for.
	b := make([]byte, len(raw)-(strings.Count(raw, `\`)+1)/2)
	return b[:decode(b, raw)]
}

// decode writes the string whose inside is written as raw to b, and returns its
// length. b may be the memory of raw: decode writes no byte that it has not read.
func decode(b []byte, raw string) (w int) {
	for i, run := 0, 0; i < len(raw); run = i {
	words:
		for i+8 <= len(raw) && w+8 <= len(b) {
			x := load(raw[i : i+8])
			m := backslash(x)
			if m == 0 {
				store(b[w:w+8], x)
				i += 8
				w += 8
				if i-run == longRun {
					n := strings.IndexByte(raw[i:], '\\')
					if n < 0 {
						n = len(raw) - i
					}
					i += n
					w += copy(b[w:], raw[i-n:i])
					break
				}
				continue
			}
			// The escapes of a word are decoded before it is stored: n bytes of x stand for
			// the text up to end.
			n, end := 8, i+8
			for m != 0 {
				k := bits.TrailingZeros64(m) & 56
				below, y := uint64(1)<<k-1, x>>8 // before the backslash, and what moves into its place
				if k == 8*n-8 && end < len(raw) {
					y |= uint64(raw[end]) << k
					end++
					n++
				}
				c := simple[byte(y>>k)]
				if c == 0 || byte(x>>k) != '\\' {
					store(b[w:w+8], x&below|load(view(b[w:w+8]))&^below)
					i = end - n + k/8
					w += k / 8
					break words
				}
				x = y ^ (x^y)&below ^ uint64(c^byte(y>>k))<<k
				m = m & (m - 1) >> 8 &^ (0x80 << k)
				n--
			}
			store(b[w:w+8], x)
			w += n
			i = end
			run = i
		}
		if i == len(raw) {
			break
		}
		if raw[i] != '\\' { // one of the last bytes
			b[w] = raw[i]
			i++
			w++
		} else if c := simple[raw[i+1]]; c != 0 {
			b[w] = c
			i += 2
			w++
		} else {
			for n := 1; n > 0; i += n { // these often follow one another
				var c rune
				if c, n = unescape(raw[i:]); n > 0 {
					w += utf8.EncodeRune(b[w:], c)
				}
			}
		}
	}
	return w
}

// simple has the characters that escapes of two bytes stand for, by their
// second byte.
var simple = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escapeLen returns the length of the escape that s starts with, a surrogate
// pair being one escape, or 0 if it is not valid. With lax a surrogate may be
// alone.
func escapeLen(s string, lax bool) int {
	if len(s) < 2 {
		return 0
	}
	if simple[s[1]] != 0 {
		return 2
	}
	c, n := unescape(s)
	if n == 6 && utf16.IsSurrogate(c) && !lax {
		return 0
	}
	return n
}

// escapes returns the length of the valid escapes that s starts with.
func escapes(s string, lax bool) (n int) {
	for n < len(s) && s[n] == '\\' {
		k := escapeLen(s[n:], lax)
		if k == 0 {
			break
		}
		n += k
	}
	return n
}

// unescape decodes the \uXXXX, or the pair of them, that s starts with. n is 0
// if there is none. c may be a lone surrogate.
func unescape(s string) (c rune, n int) {
	if c = hex4(s); c < 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(c) && len(s) >= 12 {
		if pair := utf16.DecodeRune(c, hex4(s[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return c, 6
}

// hex4 returns the value of the \uXXXX that s starts with, or -1.
func hex4(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	a, b, c, d := hexDigit[s[2]], hexDigit[s[3]], hexDigit[s[4]], hexDigit[s[5]]
	if a&b&c&d&isHex == 0 {
		return -1
	}
	return rune(a&15)<<12 | rune(b&15)<<8 | rune(c&15)<<4 | rune(d&15)
}

// isHex is set in the entries of hexDigit that are digits.
const isHex = 16

// hexDigit has the values of the hexadecimal digits.
var hexDigit = [256]byte{
	'0': isHex, '1': isHex + 1, '2': isHex + 2, '3': isHex + 3, '4': isHex + 4,
	'5': isHex + 5, '6': isHex + 6, '7': isHex + 7, '8': isHex + 8, '9': isHex + 9,
	'a': isHex + 10, 'b': isHex + 11, 'c': isHex + 12, 'd': isHex + 13, 'e': isHex + 14, 'f': isHex + 15,
	'A': isHex + 10, 'B': isHex + 11, 'C': isHex + 12, 'D': isHex + 13, 'E': isHex + 14, 'F': isHex + 15,
}
