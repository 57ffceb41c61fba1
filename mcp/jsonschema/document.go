package jsonschema

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A document is a decoded JSON text. It needs 16 bytes for each value and each name
// of a member, and no memory of its own for a string: an attacker sends values of
// two bytes.
type document struct {
	text  string // contains the numbers, and the strings that have no escapes
	plain string // contains the other strings
	parts [][]part
	names []index // of the objects that have more than fewMembers
}

// An index finds the members of an object.
type index struct {
	at    map[string]int32 // the places of the values
	width int              // how many members there are, with those that are replaced
}

// A part is a value in a document, or the name of a member, which is before its
// value. The parts of a list or an object follow it.
type part struct {
	kind     kind
	plain    bool // the string is in document.plain
	replaced bool // the name is there once more
	count    int32
	from, to int32
}

// For a string, count is the number of characters; for a list or an object, of items or
// members. A string and a number are the bytes between from and to. For a list or an
// object, to is the part after it; from is how many indexes there are up to that of the
// object, or 0 if it has none. For true, from is 1.

const (
	// partsAtOnce is how many parts are allocated at once.
	partsAtOnce = 4096

	// fewMembers is the number of members up to which a search for one looks at all.
	fewMembers = 8
)

// A kind is a type of JSON values.
type kind uint8

const (
	absent kind = iota
	null
	boolean
	numeric
	text
	list
	object
)

var kindNames = [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}

func (k kind) String() string { return kindNames[k] }

// A value is a place in a document. The zero value is absent.
type value struct {
	doc *document
	at  int32
}

func (d *document) part(i int32) *part { return &d.parts[i/partsAtOnce][i%partsAtOnce] }

func (v value) kind() kind {
	if v.doc == nil {
		return absent
	}
	return v.doc.part(v.at).kind
}

// text returns a string, or a number as it is written, and otherwise nothing.
func (v value) text() string {
	if k := v.kind(); k != text && k != numeric {
		return ""
	}
	p := v.doc.part(v.at)
	if p.plain {
		return v.doc.plain[p.from:p.to]
	}
	return v.doc.text[p.from:p.to]
}

// length returns the length of what text returns.
func (v value) length() int {
	if k := v.kind(); k != text && k != numeric {
		return 0
	}
	p := v.doc.part(v.at)
	return int(p.to - p.from)
}

func (v value) isTrue() bool { return v.kind() == boolean && v.doc.part(v.at).from == 1 }

// count returns the number of characters, items or members.
func (v value) count() int {
	if v.doc == nil {
		return 0
	}
	return int(v.doc.part(v.at).count)
}

// next returns the part after the value.
func (v value) next() int32 {
	if p := v.doc.part(v.at); p.kind == list || p.kind == object {
		return p.to
	}
	return v.at + 1
}

// width returns how many items or members the document has for the value, which is
// more than count if some members replace others.
func (v value) width() int {
	switch k := v.kind(); {
	case k == object && v.doc.part(v.at).from > 0:
		return v.doc.names[v.doc.part(v.at).from-1].width
	case k == object || k == list:
		return v.count()
	}
	return 0
}

func (v value) items() iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		if v.kind() != list {
			return
		}
		item := value{v.doc, v.at + 1}
		for i := range v.count() {
			if !yield(i, item) {
				return
			}
			item.at = item.next()
		}
	}
}

// members returns the members of an object, without those that a later one replaces.
func (v value) members() iter.Seq2[value, value] {
	return func(yield func(name, member value) bool) {
		if v.kind() != object {
			return
		}
		for at, end := v.at+1, v.next(); at < end; {
			name, member := value{v.doc, at}, value{v.doc, at + 1}
			if !v.doc.part(at).replaced && !yield(name, member) {
				return
			}
			at = member.next()
		}
	}
}

// member returns a member of an object, which is absent if the object has none of
// the name. The time depends on the length of the name alone.
func (v value) member(name string) value {
	if v.kind() != object {
		return value{}
	}
	if i := v.doc.part(v.at).from; i > 0 {
		if at, ok := v.doc.names[i-1].at[name]; ok {
			return value{v.doc, at}
		}
		return value{}
	}
	for key, member := range v.members() {
		if key.text() == name {
			return member
		}
	}
	return value{}
}

// maxPath limits the path in an error, in bytes: a value nests up to maxJSON deep.
const maxPath = 4 << 10

// path returns the JSON Pointer of the value, or the beginning of a long one. It searches
// from the start of the document, as only errors need it, and a validation has one.
func (v value) path() string {
	var b strings.Builder
	for in := (value{v.doc, 0}); in.at != v.at; {
		if b.Len() > maxPath {
			b.WriteString("/…")
			break
		}
		in = in.stepTo(v.at, &b)
	}
	return b.String()
}

// stepTo returns the part of a list or an object that contains a part or is it, and
// adds it to the path.
func (v value) stepTo(at int32, path *strings.Builder) value {
	path.WriteByte('/')
	inside := value{v.doc, v.at + 1}
	for i := 0; ; i++ {
		name := inside
		if v.kind() == object {
			inside.at++
		}
		if at < inside.next() {
			if v.kind() == list {
				path.WriteString(strconv.Itoa(i))
				return inside
			}
			path.WriteString(pointerEscaper.Replace(short(name.text())))
			if at == name.at {
				return name
			}
			return inside
		}
		inside.at = inside.next()
	}
}

// maxQuote limits what an error quotes of a schema or a value.
const maxQuote = 256

// short cuts a text that is too long for an error.
func short(s string) string {
	if len(s) <= maxQuote {
		return s
	}
	n := maxQuote
	for n > maxQuote-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
