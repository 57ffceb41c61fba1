package wire

import (
	"bytes"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
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
	case escaped:
		return unescaped(raw)
	case len(raw) > 0 && (r.trusted || len(raw) >= longString && len(raw) > len(r.data)/2):
		return unsafe.String(&raw[0], len(raw))
	}
	return string(raw)
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

// text is scanString with a check that the next value is a string.
func (r *Reader) text() (start, end int, escaped bool) {
	if r.Kind() != String {
		r.expected(String)
		return 0, 0, false
	}
	return r.scanString()
}

// decoded returns the string written at data[start:end].
func (r *Reader) decoded(start, end int, escaped bool) []byte {
	if escaped {
		return []byte(unescaped(r.data[start:end]))
	}
	return r.data[start:end:end]
}

// unescaped returns the string whose inside is written as raw.
func unescaped(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw)) // escapes only shrink
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			b.Write(raw)
			return b.String()
		}
		b.Write(raw[:i])
		c, n := unescape(raw[i:])
		b.WriteRune(c)
		raw = raw[i+n:]
	}
}

// scanString reads a string and returns where its inside starts and ends, and
// whether escapes are in it. After an error it returns zeros.
func (r *Reader) scanString() (start, end int, escaped bool) {
	data, i, ascii := r.data, r.pos+1, true
	start = i
	// Most strings are short and nothing but plain ASCII. Calling plain for
	// them would make Skip a quarter slower.
	for n := 0; n < 8 && i+8 <= len(data); n++ {
		x := load(view(data[i : i+8]))
		m := special(x) | x&highs
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) / 8
		if data[i] == '"' {
			r.pos = i + 1
			r.fresh = false
			return start, i, false
		}
		break
	}
	for {
		stop := min(i+block, len(data))
		n, a := plain(view(data[i:stop]))
		i += n
		ascii = ascii && a
		switch {
		case i == len(data):
			return r.badString(i, "unexpected end of input in string")
		case i == stop:
			i += blocks(data[i:])
		case data[i] == '"':
			// Escapes are ASCII, so the inside is valid if all between them is.
			if !ascii && !r.lax && !utf8.Valid(data[start:i]) {
				return r.badString(start+validLen(data[start:i]), "invalid UTF-8 in string")
			}
			r.pos = i + 1
			r.fresh = false
			return start, i, escaped
		case data[i] == '\\':
			n := escapeLen(data[i:], r.lax)
			if n == 0 {
				return r.badString(i, "invalid escape in string")
			}
			escaped = true
			i += n
		case r.lax:
			i++
		default:
			return r.badString(i, "control character in string")
		}
	}
}

func (r *Reader) badString(pos int, msg string) (start, end int, escaped bool) {
	r.pos = pos
	r.syntax(msg)
	return 0, 0, false
}

// validLen returns how many bytes of b come before the first that is not valid
// UTF-8.
func validLen(b []byte) int {
	for i := 0; ; {
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns how many bytes of s come before the first that a JSON string
// must escape: a quote, a backslash or a control character. ascii is true only
// if none of them is outside ASCII.
func plain(s string) (n int, ascii bool) {
	var seen uint64
	for ; n+8 <= len(s); n += 8 {
		x := load(s[n : n+8])
		seen |= x
		if m := special(x); m != 0 {
			return n + bits.TrailingZeros64(m)/8, seen&highs == 0
		}
	}
	for ; n < len(s) && s[n] >= ' ' && s[n] != '"' && s[n] != '\\'; n++ {
		seen |= uint64(s[n])
	}
	return n, seen&highs == 0
}

// block is how much of a string is looked at before it is taken for a long one.
const block = 512

// blocks returns the length of the blocks at the start of s that are plain
// ASCII. It takes several steps over each, every one of which does many bytes
// at a time: that is three times as fast as plain.
func blocks(s []byte) (n int) {
	for ; n+block <= len(s); n += block {
		b := view(s[n : n+block])
		if strings.IndexByte(b, '"') >= 0 || strings.IndexByte(b, '\\') >= 0 {
			break
		}
		var bad uint64 // marks bytes outside ASCII and control characters
		for i := 0; i < block; i += 16 {
			x, y := load(b[i:i+8]), load(b[i+8:i+16])
			bad |= x | (x - ones*' ') | y | (y - ones*' ')
		}
		if bad&highs != 0 {
			break
		}
	}
	return n
}

// Quote is strconv.Quote, which would be copied into each place that calls it.
//
//go:noinline
func Quote(s string) string { return strconv.Quote(s) }

// view returns b as a string that shares memory with it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// load returns eight bytes, the first as the lowest. It compiles to one
// instruction.
func load(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// special marks, with the high bit of each byte of x, a quote, a backslash or
// a control character. Marks above the lowest one may be false, as subtracting
// borrows.
func special(x uint64) uint64 {
	quote := x ^ ones*'"'
	slash := x ^ ones*'\\'
	return ((x - ones*' ') | (quote - ones) | (slash - ones)) &^ x & highs
}

// escapeLen returns the length of the escape that b starts with, a surrogate
// pair being one escape, or 0 if it is not valid. With lax a surrogate may be
// alone.
func escapeLen(b []byte, lax bool) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return 0
	}
	c := hex4(b)
	switch {
	case c < 0:
		return 0
	case !utf16.IsSurrogate(c) || lax:
		return 6
	case utf16.DecodeRune(c, hex4(b[6:])) == utf8.RuneError:
		return 0
	}
	return 12
}

// hex4 returns the value of the \uXXXX that b starts with, or -1.
func hex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var c rune
	for _, d := range b[2:6] {
		switch {
		case '0' <= d && d <= '9':
			d -= '0'
		case 'a' <= d && d <= 'f':
			d -= 'a' - 10
		case 'A' <= d && d <= 'F':
			d -= 'A' - 10
		default:
			return -1
		}
		c = c<<4 | rune(d)
	}
	return c
}

// unescape decodes the valid escape that b starts with.
func unescape(b []byte) (c rune, n int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		if c = hex4(b); !utf16.IsSurrogate(c) {
			return c, 6
		}
		if c = utf16.DecodeRune(c, hex4(b[6:])); c != utf8.RuneError {
			return c, 12
		}
		return c, 6 // a lone surrogate, which only a lax reader lets pass
	}
	return rune(b[1]), 2
}
