package jsonschema

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxJSON limits how deep the arrays and objects of a text may nest.
const maxJSON = 10_000

// decode parses JSON into nil, bool, number, string, []any and map[string]any. It
// accepts what encoding/json does, whose codec would add 0.2 MB to a program: the
// last member of a name counts, and characters that are not valid become U+FFFD.
func decode(text []byte) (any, error) {
	d := decoder{text: text}
	v := d.value()
	if d.space() != 0 || d.pos < len(text) {
		d.fail("unexpected text after the value")
	}
	if d.err != nil {
		return nil, d.err
	}
	return v, nil
}

// A decoder reads a JSON text. After an error its methods return zero values.
type decoder struct {
	text  []byte
	pos   int
	depth int
	err   error
}

func (d *decoder) fail(msg string) {
	if d.err == nil {
		d.err = &wire.SyntaxError{Offset: d.pos, Msg: msg}
		d.pos = len(d.text)
	}
}

// space steps over white space and returns the next byte, or 0 at the end.
func (d *decoder) space() byte {
	for ; d.pos < len(d.text); d.pos++ {
		switch c := d.text[d.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take steps over c, if it is next after white space.
func (d *decoder) take(c byte) bool {
	if d.space() != c || d.pos == len(d.text) {
		return false
	}
	d.pos++
	return true
}

func (d *decoder) value() any {
	switch c := d.space(); {
	case c == '{':
		return d.object()
	case c == '[':
		return d.list()
	case c == '"':
		return d.string()
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	case c == 't':
		d.literal("true")
		return true
	case c == 'f':
		d.literal("false")
		return false
	case c == 'n':
		d.literal("null")
	case d.pos == len(d.text):
		d.fail("unexpected end of input")
	default:
		d.fail("unexpected character")
	}
	return nil
}

func (d *decoder) literal(s string) {
	if len(d.text)-d.pos < len(s) || string(d.text[d.pos:d.pos+len(s)]) != s {
		d.fail("want " + s)
		return
	}
	d.pos += len(s)
}

// more steps over the opening bracket or a comma, and reports whether an item
// follows. If none does, it steps over the closing bracket.
func (d *decoder) more(first bool, closing byte) bool {
	if first {
		d.pos++
		if d.depth++; d.depth > maxJSON {
			d.fail("nested deeper than " + strconv.Itoa(maxJSON))
		}
	}
	switch {
	case d.err != nil:
		return false
	case d.take(closing):
		d.depth--
		return false
	case !first && !d.take(','):
		d.fail("want a comma or a closing bracket")
		return false
	case !first && d.space() == closing:
		d.fail("want a value after the comma")
		return false
	}
	return true
}

func (d *decoder) object() any {
	m := map[string]any{}
	for first := true; d.more(first, '}'); first = false {
		if d.space() != '"' {
			d.fail("want a key")
			break
		}
		key := d.string()
		if !d.take(':') {
			d.fail("want a colon after the key")
		}
		m[key] = d.value()
	}
	return m
}

func (d *decoder) list() any {
	list := []any{}
	for first := true; d.more(first, ']'); first = false {
		list = append(list, d.value())
	}
	return list
}

// number reads a number: an integer part without leading zeros, then optionally a
// fraction and an exponent.
func (d *decoder) number() number {
	start := d.pos
	d.skip("-")
	if !d.skip("0") {
		d.digits()
	}
	if d.skip(".") {
		d.digits()
	}
	if d.skip("eE") {
		d.skip("+-")
		d.digits()
	}
	if d.err != nil {
		return ""
	}
	return number(d.text[start:d.pos])
}

// skip steps over one of the characters.
func (d *decoder) skip(chars string) bool {
	for i := range len(chars) {
		if d.pos < len(d.text) && d.text[d.pos] == chars[i] {
			d.pos++
			return true
		}
	}
	return false
}

func (d *decoder) digits() {
	start := d.pos
	for d.skip("0123456789") {
	}
	if d.pos == start {
		d.fail("invalid number")
	}
}

// string reads a string.
func (d *decoder) string() string {
	d.pos++
	start, verbatim := d.pos, true
	for ; d.pos < len(d.text); d.pos++ {
		switch c := d.text[d.pos]; {
		case c == '"':
			raw := d.text[start:d.pos]
			d.pos++
			if verbatim {
				return string(raw)
			}
			return d.unescape(raw)
		case c < ' ':
			d.fail("control character in string")
			return ""
		case c == '\\':
			d.pos++ // what follows is no end
			verbatim = false
		case c >= utf8.RuneSelf:
			verbatim = false
		}
	}
	d.fail("unexpected end of input in string")
	return ""
}

// unescape returns the string that is written as raw.
func (d *decoder) unescape(raw []byte) string {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		c, n := utf8.DecodeRune(raw[i:])
		if c == '\\' {
			c, n = escape(raw[i:])
		}
		if n == 0 {
			d.fail("invalid escape in string")
			return ""
		}
		out = utf8.AppendRune(out, c) // U+FFFD for half of a surrogate pair
		i += n
	}
	return string(out)
}

// escape returns the character for the escape that s starts with, and the length
// of the escape, or 0 if it is invalid.
func escape(s []byte) (c rune, n int) {
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2
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
	}
	if c = hex(s); c < 0 {
		return 0, 0
	}
	if pair := utf16.DecodeRune(c, hex(s[6:])); pair != utf8.RuneError {
		return pair, 12
	}
	return c, 6
}

// hex returns the value of the \uXXXX that s starts with, or -1.
func hex(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
