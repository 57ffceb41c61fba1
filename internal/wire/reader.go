// Package wire reads and writes JSON text (RFC 8259) the way the library needs it.
//
// [Reader] pulls values out of a byte slice in one pass. It is strict: keys
// are compared exactly, strings must be valid UTF-8 without lone surrogates
// (but see [Reader.Mend]), containers nest at most [MaxDepth] deep, and nothing may follow the value.
// Numbers are handed out as they were written. Values can be skipped or cut
// out raw without being decoded, and are validated all the same.
//
// The Append functions write one line of valid UTF-8 JSON to the end of a
// byte slice.
//
// The package knows nothing of JSON-RPC or MCP, and uses none of
// encoding/json, whose codec would add 0.4 to 0.8 MB to a program.
package wire

import (
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest, and nestedTooDeep the message.
const MaxDepth, nestedTooDeep = 128, "nested deeper than 128"

// A Kind is the kind of a JSON value.
type Kind uint8

// The kinds of JSON values. Invalid stands for the end of the input and for a
// byte that starts no value.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"no value", "null", "a boolean", "a number", "a string", "an array", "an object"}

func (k Kind) String() string { return kindNames[k] }

// A SyntaxError says what is wrong with a JSON text, and where.
type SyntaxError struct {
	Offset int // in bytes from the start of the text
	Msg    string
}

func (e *SyntaxError) Error() string {
	return "JSON: " + e.Msg + " at byte " + strconv.Itoa(e.Offset)
}

// A Reader pulls values out of a JSON text, in the order in which they stand.
//
// The first error sticks: every later call returns a zero value and More
// returns false, so loops end and the caller asks [Reader.Err] or [Reader.End]
// once. Slices that a Reader returns share memory with the text. A Reader is
// not safe for concurrent use.
//
//	r := wire.NewReader(text)
//	for r.Object(); r.More(); {
//		switch string(r.Key()) {
//		case "name":
//			name = r.String()
//		default:
//			r.Skip()
//		}
//	}
//	err := r.End()
type Reader struct {
	data []byte
	pos  int
	err  error

	depth   int
	objects [MaxDepth / 64]uint64 // bit d-1 is set when the container at depth d is an object
	fresh   bool                  // a container was opened and nothing was read from it yet
	lax     bool                  // strings may hold any bytes; see Lax
	anyKeys bool                  // see AnyKeys
	trusted bool                  // the text is valid; see Trust
	mend    bool                  // see Mend
	odd     string                // see Odd

	postpone      bool // see Postpone
	own           bool // see Again
	twice         bool // a string that was postponed is read more than once
	postponed     int  // strings
	long, longEnd int  // the place of the first of them

	keys keys // of the objects that are open
}

// NewReader returns a Reader of the JSON text data, which must not change
// while the Reader or anything it returned is in use.
func NewReader(data []byte) Reader { return Reader{data: data} }

// Lax makes the reader accept strings that are not valid UTF-8 or hold lone
// surrogates or control characters. It serves to find out which call a message
// concerns that must be refused; nothing it reads may be handed on.
func (r *Reader) Lax() { r.lax = true }

// Mend makes the reader accept escapes of lone surrogates, as JavaScript writes them
// for a text that was cut in the middle of a character. It replaces them with that of
// U+FFFD in a copy of the text, so that what it hands out, raw texts included, has none.
func (r *Reader) Mend() { r.mend = true }

// AnyKeys makes the reader accept objects in which a key occurs twice, and those with more
// than 512 members, in a text that is copied and not interpreted.
func (r *Reader) AnyKeys() { r.anyKeys = true }

// Odd returns what the first part of the text breaks that was read nevertheless: the
// first note, or that the reader has replaced lone surrogates.
func (r *Reader) Odd() string { return r.odd }

// Note makes Odd return what, unless an earlier note did.
//
//go:noinline
func (r *Reader) Note(what string) {
	if r.odd == "" {
		r.odd = what
	}
}

// Trust makes the reader step over arrays and objects without looking at what
// is in them, and hand out strings without copying them: the text, or what it
// is a part of, has been read before and will not change.
func (r *Reader) Trust() { r.trusted = true }

// Postpone makes the reader of a trusted text return long strings with escapes as
// they are written there. Postponed reports whether it did. [Reader.Again] then
// reads the text once more and decodes them in place, which costs no memory.
func (r *Reader) Postpone() { r.postpone = true }

// Postponed reports whether the reader has returned a string that is not decoded.
func (r *Reader) Postponed() bool { return r.postponed > 0 }

// Again returns to the start of the text, which the same calls then read once more.
// The text belongs to the reader alone from then on, and is not JSON any more when
// it has been read: the reader decodes long strings where they are, unless much
// less memory is enough for them. After a Reset to a place before a string that was
// postponed, it decodes copies as usual.
func (r *Reader) Again() {
	*r = Reader{data: r.data, trusted: true, own: !r.twice, long: r.long, longEnd: r.longEnd}
}

// A Mark is a place in a text.
type Mark struct {
	pos, depth, keys, postponed int
	objects                     [MaxDepth / 64]uint64
	fresh                       bool
}

// Mark returns where the reader is.
//
//go:noinline
func (r *Reader) Mark() Mark { return Mark{r.pos, r.depth, r.keys.n, r.postponed, r.objects, r.fresh} }

// Reset goes back to where the reader was when it had no error. What was open
// there must not have been left since.
//
//go:noinline
func (r *Reader) Reset(m Mark) {
	r.pos, r.depth, r.keys.n, r.objects, r.fresh, r.err = m.pos, m.depth, m.keys, m.objects, m.fresh, nil
	if r.postponed > m.postponed {
		r.twice = true
	}
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Offset returns how many bytes have been read.
func (r *Reader) Offset() int { return r.pos }

// Left returns how many bytes have not been read yet.
func (r *Reader) Left() int { return len(r.data) - r.pos }

// Fail makes err the reader's error, unless it has one.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// syntax makes msg the reader's error. It stays out of line, as errors are rare
// and there are many places for them: 2.8 KB of a stdio program.
//
//go:noinline
func (r *Reader) syntax(msg string) {
	if r.err == nil {
		r.err = &SyntaxError{Offset: r.pos, Msg: msg}
	}
}

func (r *Reader) expected(k Kind) {
	if r.err != nil {
		return
	}
	if got := r.Kind(); got != Invalid {
		r.syntax("want " + k.String() + ", got " + got.String())
	} else {
		r.unexpected()
	}
}

// unexpected reports a character that starts no value.
func (r *Reader) unexpected() {
	if r.pos >= len(r.data) {
		r.syntax("unexpected end of input")
		return
	}
	c, _ := utf8.DecodeRune(r.data[r.pos:])
	r.syntax("unexpected character " + strconv.QuoteRuneToASCII(c))
}

func (r *Reader) space() {
	for r.pos < len(r.data) {
		if c := r.data[r.pos]; c > ' ' || (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
			return
		}
		r.pos++
	}
}

// Kind returns the kind of the next value without reading it. It is not inlined: at
// its many call sites it would add 4.1 KB to a stdio program, and 8 KB to an agent with
// a host.
//
//go:noinline
func (r *Reader) Kind() Kind {
	if r.err != nil {
		return Invalid
	}
	r.space()
	if r.pos >= len(r.data) {
		return Invalid
	}
	return kinds[r.data[r.pos]]
}

// kinds tells a value by its first byte.
var kinds = [256]Kind{
	'"': String, '{': Object, '[': Array, 't': Bool, 'f': Bool, 'n': Null, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// Null reads the next value if it is null, and reports whether it was.
func (r *Reader) Null() bool {
	return r.Kind() == Null && r.literal("null")
}

// Bool reads a boolean.
func (r *Reader) Bool() bool {
	switch {
	case r.Kind() != Bool:
		r.expected(Bool)
	case r.data[r.pos] == 't':
		return r.literal("true")
	default:
		r.literal("false")
	}
	return false
}

func (r *Reader) literal(s string) bool {
	if len(r.data)-r.pos < len(s) || string(r.data[r.pos:r.pos+len(s)]) != s {
		r.syntax("want " + s)
		return false
	}
	r.pos += len(s)
	r.fresh = false
	return true
}

// Object enters an object. More and Key then walk its members. A key that
// occurs twice is an error, and so are more than 512 members; [Reader.Skip]
// and [Reader.Raw] look for neither.
func (r *Reader) Object() {
	if r.open(Object) {
		r.keys.push(nil)
	}
}

// Array enters an array. More then walks its elements.
func (r *Reader) Array() { r.open(Array) }

func (r *Reader) open(k Kind) bool {
	if r.Kind() != k {
		r.expected(k)
		return false
	}
	return r.openKind(k)
}

func (r *Reader) openKind(k Kind) bool {
	if r.depth == MaxDepth {
		r.syntax(nestedTooDeep)
		return false
	}
	d := uint(r.depth)
	word, bit := &r.objects[d/64], uint64(1)<<(d%64)
	if k == Object {
		*word |= bit
	} else {
		*word &^= bit
	}
	r.depth++
	r.pos++
	r.fresh = true
	return true
}

func (r *Reader) inObject() bool {
	d := uint(r.depth - 1)
	return r.objects[d/64%uint(len(r.objects))]>>(d%64)&1 != 0
}

// More reports whether another member or element follows in the innermost
// container, and leaves the container when none does.
func (r *Reader) More() bool {
	object := r.err == nil && r.depth > 0 && r.inObject()
	if r.next() {
		return true
	}
	if object && r.err == nil {
		r.keys.popObject()
	}
	return false
}

// next steps over a comma or the end of the innermost container.
func (r *Reader) next() bool {
	if r.err != nil {
		return false
	}
	if r.depth == 0 {
		r.syntax("no array or object is open")
		return false
	}
	r.space()
	if r.pos >= len(r.data) {
		r.syntax("unexpected end of input")
		return false
	}
	object := r.inObject()
	switch c := r.data[r.pos]; {
	case c == '}' && object, c == ']' && !object:
		r.pos++
		r.depth--
		r.fresh = false
		return false
	case r.fresh:
		r.fresh = false
	case c == ',':
		r.pos++
	default:
		r.syntax("want a comma or a closing bracket")
		return false
	}
	return true
}

// Key reads the next member's key and the colon after it.
func (r *Reader) Key() []byte {
	start, end, escaped := r.member()
	if r.err != nil {
		return nil
	}
	key := r.decoded(start, end, escaped)
	if r.anyKeys {
		return key
	}
	if msg := r.keys.add(key); msg != "" {
		r.pos = start - 1
		r.syntax(msg)
		return nil
	}
	return key
}

func (r *Reader) member() (start, end int, escaped bool) {
	if r.Kind() != String {
		r.expected(String)
		return
	}
	start, end, escaped = r.scanString()
	if r.err != nil {
		return
	}
	r.space()
	if r.pos >= len(r.data) || r.data[r.pos] != ':' {
		r.syntax("want a colon after the key")
		return
	}
	r.pos++
	return
}

// End returns the reader's error, or an error if anything but white space
// follows what has been read.
func (r *Reader) End() error {
	switch r.Kind(); { // steps over white space
	case r.depth > 0:
		r.syntax("the value has not been read to its end")
	case r.pos < len(r.data):
		r.syntax("unexpected text after the value")
	}
	return r.err
}

// Valid returns nil when data is one JSON value that a Reader accepts.
func Valid(data []byte) error {
	r := NewReader(data)
	r.Skip()
	return r.End()
}
