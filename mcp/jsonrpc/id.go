package jsonrpc

import (
	"bytes"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// An ID identifies a request. It is a number or a string, kept exactly as it
// was received, and can be compared with ==. The zero ID is that of a
// notification, which has none.
type ID struct {
	kind wire.Kind // Invalid when there is no id
	num  int64     // the value of an integer that is written in the usual way
	text string    // a string's value, or any other number as it was written
}

// NumberID returns the id that is the number n.
func NumberID(n int64) ID { return ID{kind: wire.Number, num: n} }

// StringID returns the id that is the string s.
func StringID(s string) ID { return ID{kind: wire.String, text: s} }

// nullID is the id of an answer to a request whose id the peer could not read.
var nullID = ID{kind: wire.Null}

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.kind == wire.Invalid }

// String returns the id as it is written in JSON, or "" when there is none.
func (id ID) String() string {
	if id.IsZero() {
		return ""
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

// MarshalJSON returns the id as it is written in JSON.
func (id ID) MarshalJSON() ([]byte, error) { return id.append(nil), nil }

// UnmarshalJSON reads a number, a string or null.
func (id *ID) UnmarshalJSON(data []byte) error {
	r := wire.NewReader(bytes.Clone(data)) // a long string would share memory with it
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
		return StringID(r.String())
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

// number returns the number that an id stands for: its own, or that of a
// string of digits, as some servers send every id back as a string.
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
