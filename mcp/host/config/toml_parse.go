package config

import (
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// Values of tomlNode.kind.
const (
	tomlPlain  = iota // a number, true or false
	tomlString        // text
	tomlList          //
	tomlTable         // a table that only the headers of tables below it name
	tomlDotted        // a table of dotted keys
	tomlHeader        // a table with a header
	tomlInline        // a table in braces, which nothing extends
)

// A tomlNode is a value with its key. A file of 4 MiB can have two million, so it is
// small.
type tomlNode struct {
	key  string
	text string    // of a string, unquoted, or JSON of a plain value
	last *tomlNode // of the members of a table or the items of a list, in a ring
	next *tomlNode // in the ring that the node is in
	at   int32     // offset in the file
	kind uint8
}

// A tomlKey identifies a member of a table.
type tomlKey struct {
	table *tomlNode
	key   string
}

func (t *tomlNode) isTable() bool { return t.kind >= tomlTable }

// each calls yield for each member or item.
func (t *tomlNode) each(yield func(m *tomlNode) bool) {
	if t.last == nil {
		return
	}
	for m := t.last.next; yield(m) && m != t.last; m = m.next {
	}
}

func (t *tomlNode) appendJSON(b []byte) []byte {
	brackets := "{}"
	switch t.kind {
	case tomlPlain:
		return append(b, t.text...)
	case tomlString:
		return wire.AppendString(b, t.text)
	case tomlList:
		brackets = "[]"
	}
	b = append(b, brackets[0])
	for m := range t.each {
		if t.kind == tomlList {
			b = m.appendJSON(wire.AppendComma(b))
		} else {
			b = m.appendJSON(wire.AppendKey(b, m.key))
		}
	}
	return append(b, brackets[1])
}

// A tomlParser parses a file into tables. at is the current offset.
type tomlParser struct {
	text    string
	at      int
	root    *tomlNode
	members map[tomlKey]*tomlNode // the members of all tables
	depth   int                   // of the table whose keys are next, as in JSON
	ignored bool                  // the keys are not those of servers, and their values may have any type
	scratch tomlNode              // what is ignored
}

var errTOMLDepth = diag.Message("tables and lists nest deeper than 128") // wire.MaxDepth

const byteOrderMark = "\uFEFF"

// serversTable is the table of the servers. Everything else is ignored.
const serversTable = "mcp_servers"

func (p *tomlParser) parse() error {
	if err := p.characters(); err != nil {
		return err
	}
	current := p.root
	p.at, p.depth = 0, 1
	if strings.HasPrefix(p.text, byteOrderMark) {
		p.at = len(byteOrderMark)
	}
	for p.blank(true); p.at < len(p.text); p.blank(true) {
		var err error
		if p.text[p.at] != '[' {
			err = p.pair(current)
		} else {
			current, err = p.header()
		}
		if err != nil {
			return err
		}
		if p.blank(false); p.at < len(p.text) && p.text[p.at] != '\n' && p.text[p.at] != '\r' {
			return diag.Message("a line must end after the value")
		}
	}
	return nil
}

// characters rejects what no TOML may contain.
func (p *tomlParser) characters() error {
	for i, c := range p.text {
		p.at = i
		switch {
		case c == utf8.RuneError && !strings.HasPrefix(p.text[i:], "\uFFFD"):
			return diag.Message("text must be UTF-8")
		case c < ' ' && c != '\t' && c != '\n' && (c != '\r' || !strings.HasPrefix(p.text[i:], "\r\n")) || c == 0x7f:
			return diag.Message("text must have no control characters")
		}
	}
	return nil
}

// header reads the header of a table, which it returns.
func (p *tomlParser) header() (*tomlNode, error) {
	start, brackets := p.at, "]"
	if strings.HasPrefix(p.text[p.at:], "[[") {
		brackets = "]]"
	}
	p.at += len(brackets)
	p.depth = 2
	keys, err := p.keys()
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(p.text[p.at:], brackets) {
		return nil, diag.Message("a table must end with " + brackets)
	}
	p.at += len(brackets)
	end := p.at
	p.at = start // of errors
	p.depth = 1 + len(keys)
	p.ignored = keys[0] != serversTable
	t := p.root
	if brackets == "]]" && !p.ignored {
		return nil, diag.Message("lists of tables are not supported; write the servers as [mcp_servers.NAME]")
	}
	for i := 0; i < len(keys) && !p.ignored; i++ {
		if t, err = p.table(t, keys[i], tomlTable); err != nil {
			return nil, err
		}
	}
	if !p.ignored {
		if t.kind == tomlHeader || t.kind == tomlDotted {
			return nil, definedTwice(strings.Join(keys, "."))
		}
		t.kind = tomlHeader
	}
	p.at = end
	return t, nil
}

func definedTwice(key string) error { return diag.Message(wire.Quote(key) + " is defined twice") }

// table returns the member of a table that is a table itself. It creates a missing one
// of a kind.
func (p *tomlParser) table(t *tomlNode, key string, kind uint8) (*tomlNode, error) {
	m := p.find(t, key)
	if m == nil {
		m = p.add(t, key)
		m.kind = kind
	}
	if !m.isTable() {
		return nil, diag.Message(wire.Quote(key) + " is a value, not a table")
	}
	if m.kind == tomlInline || kind == tomlDotted && m.kind == tomlHeader {
		return nil, definedTwice(key)
	}
	if m.kind == tomlTable {
		m.kind = kind
	}
	return m, nil
}

//go:noinline
func (p *tomlParser) find(t *tomlNode, key string) *tomlNode { return p.members[tomlKey{t, key}] }

// add appends a member or an item, unless it is ignored.
func (p *tomlParser) add(t *tomlNode, key string) *tomlNode {
	if p.ignored {
		return &p.scratch
	}
	m := &tomlNode{key: key, at: int32(p.at)}
	if t.last == nil {
		t.last, m.next = m, m
	}
	m.next, t.last.next = t.last.next, m
	if t.last = m; t.kind != tomlList {
		p.members[tomlKey{t, key}] = m
	}
	return m
}

// pair reads a key with its value into a table.
func (p *tomlParser) pair(t *tomlNode) (err error) {
	start, depth, ignored := p.at, p.depth, p.ignored
	keys, err := p.keys()
	if err != nil {
		return err
	}
	if p.at >= len(p.text) || p.text[p.at] != '=' {
		return diag.Message("a key must be followed by =")
	}
	end := p.at + 1
	p.at = start // of errors and of nodes
	p.depth += len(keys) - 1
	p.ignored = ignored || t == p.root && keys[0] != serversTable
	key := keys[len(keys)-1]
	for i := 0; i < len(keys)-1 && !p.ignored; i++ {
		if t, err = p.table(t, keys[i], tomlDotted); err != nil {
			return err
		}
	}
	if !p.ignored && p.find(t, key) != nil {
		return definedTwice(key)
	}
	v := p.add(t, key)
	p.at = end
	p.blank(false)
	err = p.value(v)
	p.depth, p.ignored = depth, ignored
	return err
}

// keys reads a dotted key and the blanks after it.
func (p *tomlParser) keys() (keys []string, err error) {
	for {
		p.blank(false)
		start := p.at
		for p.at < len(p.text) && isBareKey(p.text[p.at]) {
			p.at++
		}
		key := p.text[start:p.at]
		if key == "" {
			if p.at >= len(p.text) || p.text[p.at] != '"' && p.text[p.at] != '\'' {
				return nil, diag.Message("a key is missing")
			}
			if key, err = p.str(false); err != nil {
				return nil, err
			}
		}
		if keys = append(keys, key); p.depth+len(keys)-1 > wire.MaxDepth {
			return nil, errTOMLDepth
		}
		if p.blank(false); p.at >= len(p.text) || p.text[p.at] != '.' {
			return keys, nil
		}
		p.at++
	}
}

func isBareKey(c byte) bool {
	return c == '_' || c == '-' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// blank skips blanks and comments, and with lines also line breaks.
//
//go:noinline
func (p *tomlParser) blank(lines bool) {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r'):
		case c == '#':
			for p.at+1 < len(p.text) && p.text[p.at+1] != '\n' {
				p.at++
			}
		default:
			return
		}
	}
}
