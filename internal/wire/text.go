package wire

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// longString is from where on a string that is most of the text is not worth
// a copy.
const longString = 4 << 10

// String reads a string and returns it decoded. It is a copy if escapes are in
// it, and in most cases else: a long string that makes up most of the text
// shares memory with the text, which must not change any more, and so does
// every string of a text that is trusted.
func (r *Reader) String() string {
	start, end, escaped := r.text()
	raw := r.data[start:end]
	switch {
	case escaped && r.postpone && len(raw) >= longString:
		if r.postponed++; r.postponed == 1 {
			r.long, r.longEnd = start, end
		}
		return view(raw)
	case escaped && r.own && len(raw) >= longString:
		b := raw[:decode(raw, view(raw))]
		if len(b) < len(raw)/4*3 {
			return string(b) // the text is not worth being kept
		}
		return view(b)
	case escaped:
		return view(unescaped(view(raw)))
	case len(raw) > 0 && (r.trusted || len(raw) >= longString && len(raw) > len(r.data)/2):
		return view(raw)
	}
	return string(raw)
}

// Exact is String for a text that is sent back to where it came from. It fails if the
// text has the replacement of a lone surrogate, which its sender does not know.
func (r *Reader) Exact() string {
	start := r.pos
	s := r.String()
	if strings.Contains(s, "\uFFFD") && strings.Contains(view(r.data[start:r.pos]), replacement) {
		r.syntax("a lone surrogate in a text that must be sent back")
		return ""
	}
	return s
}

// Bytes reads a string and returns it decoded. Without escapes in it, the
// result shares memory with the text.
func (r *Reader) Bytes() []byte {
	start, end, escaped := r.text()
	if r.err != nil {
		return nil
	}
	return r.decoded(start, end, escaped)
}

func (r *Reader) text() (start, end int, escaped bool) {
	if r.Kind() != String {
		r.expected(String)
		return 0, 0, false
	}
	return r.scanString()
}

func (r *Reader) decoded(start, end int, escaped bool) []byte {
	if escaped {
		return unescaped(view(r.data[start:end]))
	}
	return r.data[start:end:end]
}

// scanString reads a string and returns where its inside starts and ends, and
// whether escapes are in it. After an error it returns zeros.
func (r *Reader) scanString() (start, end int, escaped bool) {
	if r.trusted {
		return r.scanTrusted()
	}
	data, i := view(r.data), r.pos+1
	start = i
	for run := i; ; run = i {
	words:
		for i+8 <= len(data) {
			x := load(data[i : i+8])
			m := special(x)
			if m == 0 {
				if i += 8; i-run == longRun {
					i += blocks(data[i:])
				}
				continue
			}
			if m == x&highs {
				switch letters(x) { // a sum would have to wait for the word
				case 8:
					i += 8
					run = i
					continue
				case 7:
					i += 7
					run = i
					continue
				}
			}
			// Escapes of two bytes, and letters with accents, do not change where the next
			// word begins, so that it need not wait for what is in this one.
			next := i + 8
			for m != 0 {
				k := bits.TrailingZeros64(m) & 56
				y := x >> k
				switch {
				case byte(y) == '"':
					return r.endString(start, i+k/8, escaped)
				case byte(y) == '\\':
					c := byte(y >> 8)
					if k == 56 && next < len(data) {
						c = data[next]
						next++
					}
					if simple[c] == 0 {
						i += k / 8
						break words
					}
					escaped = true
				case !isLone(y):
					i += k / 8
					break words
				}
				m &^= 0x8080 << k
			}
			i, run = next, next
		}
		if i == len(data) {
			return r.badString(i, "unexpected end of input in string")
		}
		switch c := data[i]; {
		case c == '"':
			return r.endString(start, i, escaped)
		case c == '\\':
			n := escapes(data[i:], r.lax)
			if n == 0 {
				if r.mend && r.mendFrom(i) {
					return r.scanString()
				}
				return r.badString(i, "invalid escape in string")
			}
			escaped = true
			i += n
		case c >= 0x80:
			n := multibyte(data[i:])
			if n == 0 {
				if !r.lax {
					return r.badString(i, "invalid UTF-8 in string")
				}
				n = 1
			}
			i += n
		case c >= ' ' || r.lax: // one of the last bytes of the text
			i++
		default:
			return r.badString(i, "control character in string")
		}
	}
}

// replacement is written in place of a lone surrogate, and is as long.
const replacement = `\ufffd`

// mendFrom replaces the lone surrogates from the escape at data[i] on, in a copy of
// the text, and reports whether there is one at i.
func (r *Reader) mendFrom(i int) bool {
	if len(r.data)-i < len(replacement) || escapeLen(view(r.data[i:]), true) == 0 {
		return false
	}
	r.mend = false // there are none after this
	r.Note("half a character in a text, which was cut in the middle of it")
	r.data = append([]byte(nil), r.data...)
	for text := view(r.data); ; {
		switch n := escapeLen(text[i:], false); {
		case n > 0:
			i += n
		case escapeLen(text[i:], true) > 0:
			i += copy(r.data[i:], replacement)
		default:
			return true // the reader fails here
		}
		n := strings.IndexByte(text[i:], '\\')
		if n < 0 {
			return true
		}
		i += n
	}
}

func (r *Reader) scanTrusted() (start, end int, escaped bool) {
	start = r.pos + 1
	if r.own && start == r.long {
		return r.endString(start, r.longEnd, true)
	}
	end = r.pos + stringLen(view(r.data[r.pos:])) - 1
	if end < start || r.data[end] != '"' {
		return r.badString(len(r.data), "unexpected end of input in string")
	}
	return r.endString(start, end, strings.IndexByte(view(r.data[start:end]), '\\') >= 0)
}

func (r *Reader) endString(start, end int, escaped bool) (int, int, bool) {
	r.pos = end + 1
	r.fresh = false
	return start, end, escaped
}

func (r *Reader) badString(pos int, msg string) (start, end int, escaped bool) {
	r.pos = pos
	r.syntax(msg)
	return 0, 0, false
}

// stringLen returns the length of the string, quotes included, at the start of
// a valid text: up to the first quote after an even number of backslashes.
func stringLen(text string) int {
	i := 1
	for run := i; i+8 <= len(text); {
		for m := quote(load(text[i : i+8])); m != 0; m &= m - 1 {
			if end := i + first(m); isEnd(text, end) {
				return end + 1
			}
			run = i + 8
		}
		if i += 8; i-run == longRun {
			n := strings.IndexByte(text[i:], '"')
			if n < 0 {
				return len(text)
			}
			if i += n + 1; isEnd(text, i-1) {
				return i
			}
			run = i
		}
	}
	for i < len(text) {
		if i++; isEnd(text, i-1) {
			return i
		}
	}
	return i
}

// isEnd reports whether text[i] is a quote after an even number of backslashes.
func isEnd(text string, i int) bool {
	if text[i] != '"' {
		return false
	}
	before := i - 1
	for text[before] == '\\' {
		before--
	}
	return (i-before)%2 == 1
}

// Quote is strconv.Quote, which would be copied into each place that calls it.
func Quote(s string) string { return strconv.Quote(s) }

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
