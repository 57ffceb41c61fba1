package schema

import (
	"errors"
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// ErrTooComplex is returned for a schema that has more than 10,000 values, or, for
// Gemini, that expands to more than 4 MiB and 16 times its length.
var ErrTooComplex = errors.New("schema is too complex")

// maxNodes limits the size of a schema before expansion.
const maxNodes = 10_000

// A node is a JSON value: an object, an array, or the text of another value.
// Members keep their order.
type node struct {
	raw   string // of a value that is neither an object nor an array
	array bool
	keys  []string
	items []*node        // of an array, or the values of keys
	index map[string]int // of many keys, in items; may be nil
}

// manyKeys is the number of keys beyond which find needs an index: a schema that
// merges others can have thousands.
const manyKeys = 64

func scalar(raw string) *node { return &node{raw: raw} }

func quoted(s string) *node { return scalar(string(wire.AppendString(nil, s))) }

func object() *node { return &node{} }

func (n *node) isObject() bool { return n != nil && n.raw == "" && !n.array }

// parse reads JSON.
func parse(raw []byte) (*node, error) {
	r := wire.NewReader(raw)
	budget := maxNodes
	n := read(&r, &budget)
	if budget < 0 {
		return nil, ErrTooComplex
	}
	return n, r.End()
}

func read(r *wire.Reader, budget *int) *node {
	if *budget--; *budget < 0 {
		r.Fail(ErrTooComplex)
		return nil
	}
	n := &node{}
	switch r.Kind() {
	case wire.Object:
		for r.Object(); r.More(); {
			n.keys = append(n.keys, string(r.Key()))
			n.items = append(n.items, read(r, budget))
		}
	case wire.Array:
		n.array = true
		for r.Array(); r.More(); {
			n.items = append(n.items, read(r, budget))
		}
	default:
		n.raw = string(r.Raw())
	}
	return n
}

// get returns the value of a member, or nil.
func (n *node) get(key string) *node {
	if !n.isObject() {
		return nil
	}
	if i := n.find(key); i >= 0 {
		return n.items[i]
	}
	return nil
}

// find returns the index of a key, or -1.
func (n *node) find(key string) int {
	if len(n.keys) <= manyKeys {
		return slices.Index(n.keys, key)
	}
	if n.index == nil {
		n.index = make(map[string]int, len(n.keys))
		for i, k := range n.keys {
			n.index[k] = i
		}
	}
	if i, ok := n.index[key]; ok {
		return i
	}
	return -1
}

func (n *node) set(key string, v *node) {
	if i := n.find(key); i >= 0 {
		n.items[i] = v
		return
	}
	if n.index != nil {
		n.index[key] = len(n.keys)
	}
	n.keys, n.items = append(n.keys, key), append(n.items, v)
}

func (n *node) remove(key string) {
	if i := n.find(key); i >= 0 {
		n.index = nil
		n.keys, n.items = slices.Delete(n.keys, i, i+1), slices.Delete(n.items, i, i+1)
	}
}

// size returns about how many bytes n and two levels below take, and with them what
// rewriting n costs.
func (n *node) size() int { return n.sizeTo(2) }

func (n *node) sizeTo(depth int) int {
	const each = 64
	if n == nil {
		return each
	}
	size := each + len(n.raw)
	if depth == 0 {
		return size
	}
	for _, key := range n.keys {
		size += len(key)
	}
	for _, item := range n.items {
		size += item.sizeTo(depth - 1)
	}
	return size
}

// clone returns a shallow copy.
func (n *node) clone() *node {
	c := *n
	c.keys, c.items, c.index = slices.Clone(n.keys), slices.Clone(n.items), nil
	return &c
}

// text returns the value of a string.
func (n *node) text() (string, bool) {
	if n == nil || n.raw == "" || n.raw[0] != '"' {
		return "", false
	}
	r := wire.NewReader([]byte(n.raw))
	return r.String(), true
}

// texts returns the strings in an array.
func (n *node) texts() (list []string) {
	if n == nil || !n.array {
		return nil
	}
	for _, v := range n.items {
		if s, ok := v.text(); ok {
			list = append(list, s)
		}
	}
	return list
}

func textNodes(list []string) *node {
	n := &node{array: true}
	for _, s := range list {
		n.items = append(n.items, quoted(s))
	}
	return n
}

func (n *node) append(b []byte) []byte {
	switch {
	case n.raw != "":
		return append(wire.AppendComma(b), n.raw...)
	case n.array:
		b = append(wire.AppendComma(b), '[')
		for _, v := range n.items {
			b = v.append(b)
		}
		return append(b, ']')
	}
	b = append(wire.AppendComma(b), '{')
	for i, v := range n.items {
		b = v.append(wire.AppendKey(b, n.keys[i]))
	}
	return append(b, '}')
}
