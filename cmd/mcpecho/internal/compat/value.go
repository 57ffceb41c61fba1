package compat

import (
	"errors"
	"hash/maphash"
	"strings"

	"github.com/stdmcp/stdmcp/internal/decimal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxText limits the JSON text of a schema or another value of an item, in bytes.
const maxText = 1 << 20

// seed makes hashes unpredictable for servers.
var seed = maphash.MakeSeed()

// A value is a decoded JSON value.
type value struct {
	kind wire.Kind
	text string   // a decoded string, or the text of a scalar
	raw  string   // as received
	keys []string // of the members
	of   []*value // members or items
	at   map[string]int

	hash   uint64 // equal for equal values, regardless of the order of members
	refs   refs   // in the value or below it
	masked bool   // a string in the value or below it has the mask of a recording
}

// refs tell what kinds of references a value contains.
type refs uint8

const (
	defRefs   refs = 1 << iota // to $defs or definitions
	otherRefs                  // to other places and documents
	ids                        // $id: references may be relative to it
	dialects                   // a keyword whose meaning depends on the dialect
)

// anything is a schema that permits every value.
var anything = must(`{}`)

func must(text string) *value {
	v, err := parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

var errLong = errors.New("is longer than 1 MiB")

// parse decodes a JSON text.
func parse(text []byte) (*value, error) {
	if len(text) > maxText {
		return nil, errLong
	}
	r := wire.NewReader(text)
	v := read(&r, string(text))
	if err := r.End(); err != nil {
		return nil, err
	}
	return v, nil
}

// read reads the next value of r, which reads text.
func read(r *wire.Reader, text string) *value {
	v := &value{kind: r.Kind()}
	var h maphash.Hash
	h.SetSeed(seed)
	_ = h.WriteByte(byte(v.kind))
	start := len(text) - r.Left()
	switch v.kind {
	case wire.Object:
		sum := uint64(0) // does not depend on the order
		for r.Object(); r.More(); {
			key := string(r.Key())
			sub := read(r, text)
			v.keys, v.of = append(v.keys, key), append(v.of, sub)
			v.refs |= sub.refs | refsOf(key, sub)
			v.masked = v.masked || sub.masked || strings.Contains(key, diag.Mask)
			sum += maphash.Comparable(seed, member{key, sub.hash})
		}
		if len(v.keys) > 1 && v.member("$ref") != nil {
			v.refs |= dialects // earlier dialects ignore what is beside a reference
		}
		maphash.WriteComparable(&h, sum)
		if len(v.keys) > 8 {
			v.at = make(map[string]int, len(v.keys))
			for i, key := range v.keys {
				v.at[key] = i
			}
		}
	case wire.Array:
		for r.Array(); r.More(); {
			sub := read(r, text)
			v.of = append(v.of, sub)
			v.refs |= sub.refs
			v.masked = v.masked || sub.masked
			maphash.WriteComparable(&h, sub.hash)
		}
	case wire.String:
		v.text = r.String()
		v.masked = strings.Contains(v.text, diag.Mask)
		_, _ = h.WriteString(v.text)
	case wire.Number:
		v.text = string(r.Raw())
		if d, ok := decimal.Parse(v.text); ok {
			maphash.WriteComparable(&h, d)
		} else {
			_, _ = h.WriteString(v.text)
		}
	default:
		v.text = string(r.Raw())
		_, _ = h.WriteString(v.text)
	}
	v.hash = h.Sum64()
	v.raw = wire.Trim(text[start : len(text)-r.Left()])
	return v
}

type member struct {
	key  string
	hash uint64
}

// refsOf returns the references that a member adds. The name may be that of a property
// instead: then there seem to be more references than there are.
func refsOf(key string, v *value) refs {
	switch key {
	case "$ref":
		if strings.HasPrefix(v.text, "#/$defs/") || strings.HasPrefix(v.text, "#/definitions/") {
			return defRefs
		}
		return otherRefs
	case "$dynamicRef", "$recursiveRef":
		return otherRefs | dialects
	case "$id", "$anchor":
		return ids
	case "prefixItems", "additionalItems", "dependencies", "unevaluatedItems", "unevaluatedProperties", "dependentRequired", "dependentSchemas",
		"contains", "minContains", "maxContains":
		return dialects
	case "items":
		if v.kind == wire.Array {
			return dialects
		}
	}
	return 0
}

// member returns a member of an object, or nil.
func (v *value) member(key string) *value {
	if v == nil {
		return nil
	}
	if v.at != nil {
		if i, ok := v.at[key]; ok {
			return v.of[i]
		}
		return nil
	}
	for i := range v.keys {
		if v.keys[i] == key {
			return v.of[i]
		}
	}
	return nil
}

func (v *value) isObject() bool { return v != nil && v.kind == wire.Object }

// isArray reports whether v is a list.
func (v *value) isArray() bool { return v != nil && v.kind == wire.Array }

// is reports whether v is a literal such as true.
func (v *value) is(literal string) bool {
	return v != nil && v.kind == wire.Bool && v.text == literal
}

func (v *value) string() string {
	if v == nil || v.kind != wire.String {
		return ""
	}
	return v.text
}

// same reports whether two values, which may be nil, are equal.
func same(a, b *value) bool {
	return a == b || a != nil && b != nil && a.hash == b.hash
}
