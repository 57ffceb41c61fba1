package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// String reads a string and returns a copy of it, decoded.
func (r *Reader) String() string {
	raw, escaped := r.text()
	if !escaped {
		return string(raw)
	}
	var b strings.Builder
	b.Grow(len(raw)) // escapes only shrink
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			b.Write(raw)
			break
		}
		b.Write(raw[:i])
		c, n := unescape(raw[i:])
		b.WriteRune(c)
		raw = raw[i+n:]
	}
	return b.String()
}

// Bytes reads a string and returns it decoded. Without escapes in it, the
// result shares memory with the text.
func (r *Reader) Bytes() []byte {
	if r.Kind() != String {
		r.expected(String)
		return nil
	}
	start, end, escaped := r.scanString()
	if r.err != nil {
		return nil
	}
	return r.decoded(start, end, escaped)
}

// text reads a string and returns its inside as it is written.
func (r *Reader) text() (raw []byte, escaped bool) {
	if r.Kind() != String {
		r.expected(String)
		return nil, false
	}
	start, end, escaped := r.scanString()
	if r.err != nil {
		return nil, false
	}
	return r.data[start:end:end], escaped
}

// decoded returns the string written at data[start:end].
func (r *Reader) decoded(start, end int, escaped bool) []byte {
	raw := r.data[start:end:end]
	if !escaped {
		return raw
	}
	b := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(b, raw...)
		}
		b = append(b, raw[:i]...)
		c, n := unescape(raw[i:])
		b = utf8.AppendRune(b, c)
		raw = raw[i+n:]
	}
	return b
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, with the high bit of each byte of x, a quote, a backslash, a
// control character or a byte outside ASCII. Marks above the lowest one may be
// false.
func special(x uint64) uint64 {
	quote := x ^ ones*'"'
	slash := x ^ ones*'\\'
	return (x | (x - ones*' ') | (quote - ones) | (slash - ones)) & highs
}

// scanString reads a string and returns where its inside starts and ends, and
// whether escapes are in it.
func (r *Reader) scanString() (start, end int, escaped bool) {
	data, i := r.data, r.pos+1
	start = i
	for {
		// Plain ASCII, eight bytes at a time.
		for i+8 <= len(data) && special(binary.LittleEndian.Uint64(data[i:])) == 0 {
			i += 8
		}
		for i < len(data) && data[i] >= ' ' && data[i] < utf8.RuneSelf && data[i] != '"' && data[i] != '\\' {
			i++
		}
		if i >= len(data) {
			r.pos = i
			r.syntax("unexpected end of input in string")
			return
		}
		switch c := data[i]; {
		case c == '"':
			r.pos = i + 1
			r.fresh = false
			return start, i, escaped
		case c == '\\':
			escaped = true
			n := escapeLen(data[i:], r.lax)
			if n == 0 {
				r.pos = i
				r.syntax("invalid escape in string")
				return
			}
			i += n
		case r.lax:
			i++
		case c < ' ':
			r.pos = i
			r.syntax("control character in string")
			return
		default:
			for i < len(data) && data[i] >= utf8.RuneSelf {
				_, n := utf8.DecodeRune(data[i:])
				if n == 1 {
					r.pos = i
					r.syntax("invalid UTF-8 in string")
					return
				}
				i += n
			}
		}
	}
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
		if low := hex4(b[6:]); low >= 0 {
			return utf16.DecodeRune(c, low), 12
		}
		return utf8.RuneError, 6
	}
	return rune(b[1]), 2
}

// Number reads a number and returns it as it is written.
func (r *Reader) Number() []byte {
	if r.Kind() != Number {
		r.expected(Number)
		return nil
	}
	start := r.pos
	r.scanNumber()
	if r.err != nil {
		return nil
	}
	return r.data[start:r.pos:r.pos]
}

// Int reads a number that must be an integer of 64 bits. Fractions of zero and
// exponents that leave an integer are taken, as JSON knows one kind of number.
func (r *Reader) Int() int64 {
	b := r.Number()
	if r.err != nil {
		return 0
	}
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || f != math.Trunc(f) || f < -1<<53 || f > 1<<53 {
		r.pos -= len(b)
		r.syntax("number " + string(b[:min(len(b), 40)]) + " is no integer of 64 bits")
		return 0
	}
	return int64(f)
}

// Float reads a number as a float64. One beyond its range becomes infinite.
func (r *Reader) Float() float64 {
	b := r.Number()
	if r.err != nil {
		return 0
	}
	f, _ := strconv.ParseFloat(string(b), 64)
	return f
}

// scanNumber reads a number: an integer part without leading zeros, then
// optionally a fraction and an exponent.
func (r *Reader) scanNumber() {
	data, i := r.data, r.pos
	if data[i] == '-' {
		i++
	}
	var ok bool
	if i < len(data) && data[i] == '0' {
		i, ok = i+1, true
	} else {
		i, ok = digits(data, i)
	}
	if ok && i < len(data) && data[i] == '.' {
		i, ok = digits(data, i+1)
	}
	if ok && i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		i, ok = digits(data, i)
	}
	r.pos = i
	if !ok {
		r.syntax("invalid number")
		return
	}
	r.fresh = false
}

// digits returns the index after the digits at i, and whether there are any.
func digits(data []byte, i int) (int, bool) {
	start := i
	for i < len(data) && '0' <= data[i] && data[i] <= '9' {
		i++
	}
	return i, i > start
}
