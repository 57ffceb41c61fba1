package testserver

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// fields holds the members of a JSON object. Its methods read one member each and
// record the first error.
type fields struct {
	at   string            // where the object is, for errors
	json []byte            // the object, or nil
	raw  map[string][]byte // the members as JSON
	err  *string           // the first error, or empty; shared with inner objects
}

// newFields reads an object. If raw is nil, it has no members.
func newFields(at string, raw []byte) *fields {
	f := &fields{at: at, err: new(string)}
	f.read(raw)
	return f
}

func (f *fields) sub(key string, raw []byte) *fields {
	o := &fields{at: strings.Trim(f.at+"."+key, "."), err: f.err}
	o.read(raw)
	return o
}

func (f *fields) read(raw []byte) {
	f.raw, f.json = map[string][]byte{}, raw
	if raw == nil {
		return
	}
	r := wire.NewReader(raw)
	for r.Object(); r.More(); {
		key := string(r.Key())
		f.raw[key] = r.Raw()
	}
	if err := r.End(); err != nil {
		f.fail("", err.Error())
	}
}

// fail records an error of a member, or of the object if key is empty.
func (f *fields) fail(key, what string) {
	if *f.err == "" {
		*f.err = strings.Trim(f.at+"."+key, ".") + ": " + what
	}
}

func (f *fields) has(key string) bool { return f.raw[key] != nil }

// keys returns the sorted names of the members.
func (f *fields) keys() []string {
	var keys []string
	for key := range f.raw {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// is reports whether there is a member of a kind. Another kind is an error.
func (f *fields) is(key string, want wire.Kind) bool {
	if !f.has(key) {
		return false
	}
	if have := kindOf(f.raw[key]); have != want {
		f.fail(key, "want "+want.String()+", got "+have.String())
		return false
	}
	return true
}

// need requires a member.
func (f *fields) need(key string) {
	if !f.has(key) {
		f.fail(key, "missing")
	}
}

// text returns a required string.
func (f *fields) text(key string) string {
	f.need(key)
	return f.optText(key)
}

func (f *fields) optText(key string) string {
	if !f.is(key, wire.String) {
		return ""
	}
	return textOf(f.raw[key])
}

// oneOf returns a required string, which must be in the list.
func (f *fields) oneOf(key string, list ...string) string {
	s := f.text(key)
	if *f.err == "" && !slices.Contains(list, s) {
		f.fail(key, "want one of "+strings.Join(list, ", ")+"; got "+strconv.Quote(s))
	}
	return s
}

// number returns a required number.
func (f *fields) number(key string) float64 {
	f.need(key)
	return f.optNumber(key, 0)
}

func (f *fields) optNumber(key string, missing float64) float64 {
	if !f.is(key, wire.Number) {
		return missing
	}
	r := wire.NewReader(f.raw[key])
	return r.Float()
}

func (f *fields) optBool(key string) bool {
	return f.is(key, wire.Bool) && string(f.raw[key]) == "true"
}

// object returns a required object.
func (f *fields) object(key string) *fields {
	f.need(key)
	return f.optObject(key)
}

// optObject returns an object, which is empty if the member is missing.
func (f *fields) optObject(key string) *fields {
	if !f.is(key, wire.Object) {
		return f.sub(key, nil)
	}
	return f.sub(key, f.raw[key])
}

// list returns the elements of an array.
func (f *fields) list(key string) (elements [][]byte) {
	if !f.is(key, wire.Array) {
		return nil
	}
	r := wire.NewReader(f.raw[key])
	for r.Array(); r.More(); {
		elements = append(elements, r.Raw())
	}
	return elements
}

// texts requires that all members are strings.
func (f *fields) texts() {
	for _, key := range f.keys() {
		f.is(key, wire.String)
	}
}

func kindOf(raw []byte) wire.Kind {
	r := wire.NewReader(raw)
	return r.Kind()
}

// textOf returns the value of a JSON string.
func textOf(raw []byte) string {
	r := wire.NewReader(raw)
	return r.String()
}

// isInteger reports whether raw is a number written without fraction or exponent.
func isInteger(raw []byte) bool {
	return kindOf(raw) == wire.Number && !strings.ContainsAny(string(raw), ".eE")
}

func itoa(n int) string { return strconv.Itoa(n) }

// quote returns s as JSON.
func quote(s string) string { return string(wire.AppendString(nil, s)) }

// quoteAll returns a JSON array of strings.
func quoteAll(list []string) string {
	b := []byte{'['}
	for _, s := range list {
		b = wire.AppendString(wire.AppendComma(b), s)
	}
	return string(append(b, ']'))
}
