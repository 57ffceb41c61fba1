package schema

import (
	"errors"
	"slices"
	"strings"
	"sync"

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

// Functions with many callers are not inlined, which makes a program 10 KB smaller.
//
//go:noinline
func scalar(raw string) *node { return &node{raw: raw} }

//go:noinline
func quoted(s string) *node { return scalar(string(wire.AppendString(nil, s))) }

func object() *node { return scalar("") }

func (n *node) isObject() bool { return n != nil && n.raw == "" && !n.array }

func (n *node) isSchema() bool {
	return n.isObject() || n != nil && (n.raw == "true" || n.raw == "false")
}

// A parser reads JSON. It allocates nodes, keys and items in blocks.
type parser struct {
	wire.Reader
	text   string
	budget int
	nodes  []node
	keys   []string
	items  []*node
	open   []member // of the arrays and objects that are being read
}

type member struct {
	key  string
	node *node
}

// maxBlock is the length up to which the blocks of a parser double.
const maxBlock = 2 * maxNodes

// parsers are for the next schema. A program defines many tools at once, in each turn.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// parse reads JSON. The nodes are valid until free is called.
func parse(raw []byte) (n *node, free func(), err error) {
	p := parsers.Get().(*parser)
	p.Reader, p.text, p.budget = wire.NewReader(raw), string(raw), maxNodes
	n = p.read()
	if err = p.End(); p.budget < 0 {
		err = ErrTooComplex
	}
	return n, func() {
		*p = parser{nodes: p.nodes[:0], keys: p.keys[:0], items: p.items[:0], open: p.open[:0]}
		parsers.Put(p)
	}, err
}

func (p *parser) read() *node {
	if p.budget--; p.budget < 0 {
		p.Fail(ErrTooComplex)
		return nil
	}
	p.nodes = room(p.nodes, 1)
	p.nodes = append(p.nodes, node{})
	n, from := &p.nodes[len(p.nodes)-1], len(p.open)
	switch p.Kind() {
	case wire.Object:
		for p.Object(); p.More(); {
			key := p.key()
			p.open = append(p.open, member{key, p.read()})
		}
	case wire.Array:
		n.array = true
		for p.Array(); p.More(); {
			p.open = append(p.open, member{"", p.read()})
		}
	default:
		at := len(p.text) - p.Left()
		p.Skip()
		n.raw = p.text[at : len(p.text)-p.Left()]
		return n
	}
	list := p.open[from:]
	p.items = room(p.items, len(list))
	at := len(p.items)
	for i := range list {
		p.items = append(p.items, list[i].node)
	}
	n.items = p.items[at:len(p.items):len(p.items)]
	if !n.array {
		p.keys = room(p.keys, len(list))
		at := len(p.keys)
		for i := range list {
			p.keys = append(p.keys, list[i].key)
		}
		n.keys = p.keys[at:len(p.keys):len(p.keys)]
	}
	p.open = p.open[:from]
	return n
}

// key reads a key, which is a part of the text unless it has escapes.
func (p *parser) key() string {
	at := len(p.text) - p.Left()
	key := p.Key()
	at += strings.IndexByte(p.text[at:], '"') + 1
	if rest := p.text[at:]; len(rest) >= len(key) && rest[:len(key)] == string(key) {
		return rest[:len(key)]
	}
	return string(key)
}

// room returns a block that n more values fit into.
func room[T any](block []T, n int) []T {
	if cap(block)-len(block) >= n {
		return block
	}
	return make([]T, 0, max(n, min(2*cap(block), maxBlock), 32))
}

// get returns the value of a member, or nil.
//
//go:noinline
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
//
//go:noinline
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

// set sets a member.
//
//go:noinline
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

// remove removes a member, if it is there.
func (n *node) remove(key string) {
	if i := n.find(key); i >= 0 {
		n.index = nil
		n.keys, n.items = n.keys[:i+copy(n.keys[i:], n.keys[i+1:])], n.items[:i+copy(n.items[i:], n.items[i+1:])]
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
//
//go:noinline
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
	if strings.IndexByte(n.raw, '\\') < 0 {
		return n.raw[1 : len(n.raw)-1], true
	}
	r := wire.NewReader([]byte(n.raw))
	return r.String(), true
}

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
