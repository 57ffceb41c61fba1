package jsonrpc

import (
	"bytes"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// An ID identifies a request. It holds a number or a string exactly as it was
// received, and can be compared with ==. The zero ID means that there is none, as
// in a notification.
type ID struct {
	kind wire.Kind // Invalid if there is no id
	num  int64     // the value of an integer in its usual notation
	text string    // the value of a string, or any other number as it was written
}

// NumberID returns the id n.
func NumberID(n int64) ID { return ID{kind: wire.Number, num: n} }

// StringID returns the id s.
func StringID(s string) ID { return ID{kind: wire.String, text: s} }

// nullID is the id in a response to a request whose id the peer could not read.
var nullID = ID{kind: wire.Null}

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return id.kind == wire.Invalid }

// String returns the id as JSON text, or "" for the zero ID.
func (id ID) String() string {
	switch {
	case id.IsZero():
		return ""
	case id.kind == wire.Number && id.text == "":
		return strconv.FormatInt(id.num, 10)
	}
	return string(id.append(nil))
}

func (id ID) append(b []byte) []byte {
	switch {
	case id.kind == wire.String:
		return wire.AppendString(b, id.text)
	case id.kind != wire.Number:
		return append(b, "null"...)
	case id.text != "":
		return append(b, id.text...)
	}
	return wire.AppendInt(b, id.num)
}

// MarshalJSON returns the id as JSON text.
func (id ID) MarshalJSON() ([]byte, error) { return id.append(nil), nil }

// UnmarshalJSON reads a number, a string or null.
func (id *ID) UnmarshalJSON(data []byte) error {
	r := wire.NewReader(bytes.Clone(data)) // a long string shares memory with its source
	v := readID(&r)
	if err := r.End(); err != nil {
		return err
	}
	*id = v
	return nil
}

func readID(r *wire.Reader) ID {
	switch r.Kind() {
	case wire.String:
		return StringID(r.Exact())
	case wire.Null:
		r.Null()
		return nullID
	}
	b := r.Number()
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil && b[0] != '-' || err == nil && n != 0 {
		return NumberID(n)
	}
	return ID{kind: wire.Number, text: string(b)}
}

// number returns the number of the id, or that of a string of digits, as some
// servers return every id as a string.
func (id ID) number() (int64, bool) {
	switch {
	case id.kind == wire.Number && id.text == "":
		return id.num, true
	case id.kind == wire.Number: // 1.0 is the number 1
		r := wire.NewReader([]byte(id.text))
		n := r.Int()
		return n, r.Err() == nil
	case id.kind == wire.String:
		n, err := strconv.ParseInt(id.text, 10, 64)
		return n, err == nil && strconv.FormatInt(n, 10) == id.text
	}
	return 0, false
}
