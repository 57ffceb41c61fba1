package jsonschema

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxJSON limits how deep the arrays and objects of a text may nest.
const maxJSON = 10_000

// maxText limits a text, whose places are 31 bits wide.
const maxText = math.MaxInt32

// decode parses JSON until the context of the budget ends. It accepts what
// encoding/json does: the last member of a name counts, and characters that are not
// valid become U+FFFD. It does not spend from the budget, as its time and its memory
// are proportional to the length of the text.
func decode(text []byte, b *budget) (*document, error) {
	if b.seeContext(); b.err != nil {
		return nil, b.err
	}
	if len(text) > maxText/utf8.UTFMax {
		return nil, fmt.Errorf("the JSON text has %d bytes, more than %d", len(text), maxText/utf8.UTFMax)
	}
	d := decoder{budget: b, text: string(text), doc: new(document)}
	d.doc.text = d.text
	d.value()
	if d.space() != 0 || d.pos < len(d.text) {
		d.fail("unexpected text after the value")
	}
	if b.err != nil {
		return nil, b.err
	}
	return d.doc, nil
}

// A decoder reads a JSON text. After an error, which is that of the budget, it is at
// the end of the text.
type decoder struct {
	budget *budget
	text   string
	doc    *document
	plain  strings.Builder // document.plain
	pos    int
	work   int // at the names of members, in bytes
	looked int // the work and the position at the last look at the context
	depth  int
}

func (d *decoder) fail(msg string) {
	d.budget.stop(&wire.SyntaxError{Offset: d.pos, Msg: msg})
	d.pos = len(d.text)
}

// failed reports whether the decoder has to stop. It looks at the context when the
// decoder has got perLook further.
func (d *decoder) failed() bool {
	if d.pos+d.work-d.looked >= perLook {
		d.looked = d.pos + d.work
		if d.budget.seeContext(); d.budget.err != nil {
			d.pos = len(d.text)
		}
	}
	return d.budget.err != nil
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

// add adds a part to the document and returns its place.
func (d *decoder) add(p part) int32 {
	n := len(d.doc.parts)
	if n == 0 || len(d.doc.parts[n-1]) == partsAtOnce {
		left := len(d.text) - min(d.pos, len(d.text))
		d.doc.parts = append(d.doc.parts, make([]part, 0, min(partsAtOnce, left/2+3)))
		n++
	}
	last := &d.doc.parts[n-1]
	*last = append(*last, p)
	return int32((n-1)*partsAtOnce + len(*last) - 1)
}

// end returns the place of the next part.
func (d *decoder) end() int32 {
	n := len(d.doc.parts)
	return int32((n-1)*partsAtOnce + len(d.doc.parts[n-1]))
}

func (d *decoder) value() {
	if d.failed() {
		return
	}
	switch c := d.space(); {
	case c == '{':
		d.object()
	case c == '[':
		d.list()
	case c == '"':
		d.string()
	case c == '-' || '0' <= c && c <= '9':
		d.number()
	case c == 't':
		d.literal("true", part{kind: boolean, from: 1})
	case c == 'f':
		d.literal("false", part{kind: boolean})
	case c == 'n':
		d.literal("null", part{kind: null})
	case d.pos == len(d.text):
		d.fail("unexpected end of input")
	default:
		d.fail("unexpected character")
	}
}

func (d *decoder) literal(s string, p part) {
	if !strings.HasPrefix(d.text[d.pos:], s) {
		d.fail("want " + s)
		return
	}
	d.add(p)
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
	case d.failed():
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

func (d *decoder) object() {
	at, count := d.add(part{kind: object}), 0
	for first := true; d.more(first, '}'); first = false {
		if d.space() != '"' {
			d.fail("want a key")
			break
		}
		d.string()
		if !d.take(':') {
			d.fail("want a colon after the key")
		}
		d.value()
		count++
	}
	p := d.doc.part(at)
	p.count, p.to = int32(count), d.end()
	if d.budget.err == nil {
		d.nameMembers(value{d.doc, at}, p)
	}
}

// nameMembers marks the members of an object that others replace, and adds an index if
// there are many.
func (d *decoder) nameMembers(v value, p *part) {
	if width := p.count; width > fewMembers {
		x := index{make(map[string]int32, width), int(width)}
		for name, member := range v.members() {
			if d.work += perPart + len(name.text()); d.failed() {
				return
			}
			if before, ok := x.at[name.text()]; ok {
				d.replace(p, before-1)
			}
			x.at[name.text()] = member.at
		}
		d.doc.names = append(d.doc.names, x)
		p.from = int32(len(d.doc.names))
		return
	}
	var few [fewMembers]value
	n := 0
	for name := range v.members() {
		for _, before := range few[:n] {
			if !d.doc.part(before.at).replaced && before.text() == name.text() {
				d.replace(p, before.at)
			}
		}
		few[n] = name
		n++
	}
}

func (d *decoder) replace(object *part, name int32) {
	d.doc.part(name).replaced = true
	object.count--
}

func (d *decoder) list() {
	at, count := d.add(part{kind: list}), 0
	for first := true; d.more(first, ']'); first = false {
		d.value()
		count++
	}
	p := d.doc.part(at)
	p.count, p.to = int32(count), d.end()
}

// number reads a number: an integer part without leading zeros, then optionally a
// fraction and an exponent.
func (d *decoder) number() {
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
	d.add(part{kind: numeric, from: int32(start), to: int32(d.pos)})
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
	for d.pos < len(d.text) && '0' <= d.text[d.pos] && d.text[d.pos] <= '9' {
		d.pos++
	}
	if d.pos == start {
		d.fail("invalid number")
	}
}

func (d *decoder) string() {
	d.pos++
	start, verbatim := d.pos, true
	for ; d.pos < len(d.text); d.pos++ {
		switch c := d.text[d.pos]; {
		case c == '"':
			p := part{kind: text, from: int32(start), to: int32(d.pos), count: int32(d.pos - start)}
			if !verbatim {
				p = d.unescape(start)
			}
			d.add(p)
			d.pos = min(d.pos+1, len(d.text))
			return
		case c < ' ':
			d.fail("control character in string")
			return
		case c == '\\':
			d.pos++ // what follows is not an end
			verbatim = false
		case c >= utf8.RuneSelf:
			verbatim = false
		}
	}
	d.fail("unexpected end of input in string")
}

// unescape adds the string that is written from start to the present position, and
// returns its part.
func (d *decoder) unescape(start int) part {
	end := d.pos
	if d.plain.Len() == 0 {
		d.plain.Grow(len(d.text) - start)
	}
	p := part{kind: text, plain: true, from: int32(d.plain.Len())}
	for d.pos = start; d.pos < end && !d.failed(); p.count++ {
		c, n := utf8.DecodeRuneInString(d.text[d.pos:end])
		if c == '\\' {
			c, n = escape(d.text[d.pos:end])
		}
		if n == 0 {
			d.fail("invalid escape in string")
			break
		}
		d.plain.WriteRune(c) // U+FFFD for half of a surrogate pair
		d.pos += n
	}
	d.doc.plain = d.plain.String()
	p.to = int32(d.plain.Len())
	return p
}

// escape returns the character for the escape that s starts with, and the length
// of the escape, or 0 if it is invalid.
func escape(s string) (c rune, n int) {
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
func hex(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
