package config

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A tomlTable is a table with a key, or a value.
type tomlTable struct {
	key     string
	at      int          // offset in the file
	value   string       // JSON; empty for a table
	table   []*tomlTable // members of a table
	byKey   map[string]*tomlTable
	defined bool // the table has a header of its own
}

func (t *tomlTable) find(key string) *tomlTable { return t.byKey[key] }

// add adds a member, whose key is new.
func (t *tomlTable) add(m *tomlTable) {
	if t.byKey == nil {
		t.byKey = make(map[string]*tomlTable)
	}
	t.table, t.byKey[m.key] = append(t.table, m), m
}

// appendJSON appends the table as an object.
func (t *tomlTable) appendJSON(b []byte) []byte {
	if t.value != "" {
		return append(b, t.value...)
	}
	b = append(b, '{')
	for _, m := range t.table {
		b = m.appendJSON(wire.AppendKey(b, m.key))
	}
	return append(b, '}')
}

// A tomlParser parses a file into tables. at is the current offset.
type tomlParser struct {
	text  string
	at    int
	root  *tomlTable
	depth int
}

// maxTOMLDepth limits how deep values are nested.
const maxTOMLDepth = 100

func (p *tomlParser) parse() error {
	current, ignored := p.root, false
	for p.blank(true); p.at < len(p.text); p.blank(true) {
		start := p.at
		if p.text[p.at] != '[' {
			if err := p.pair(current, ignored); err != nil {
				return err
			}
		} else {
			list := strings.HasPrefix(p.text[p.at:], "[[")
			brackets := "]"
			if p.at++; list {
				p.at++
				brackets = "]]"
			}
			keys, err := p.keys()
			if err != nil {
				return err
			}
			if !strings.HasPrefix(p.text[p.at:], brackets) {
				return diag.Message("a table must end with " + brackets)
			}
			p.at += len(brackets)
			ignored = keys[0] != "mcp_servers"
			switch {
			case list && !ignored:
				p.at = start
				return diag.Message("lists of tables are not supported; write the servers as [mcp_servers.NAME]")
			case list:
				current = &tomlTable{}
			default:
				if current, err = p.root.walk(keys, start); err == nil && current.defined {
					err = diag.Message(wire.Quote(strings.Join(keys, ".")) + " is defined twice")
				}
				if err != nil {
					p.at = start
					return err
				}
				current.defined = true
			}
		}
		if p.blank(false); p.at < len(p.text) && p.text[p.at] != '\n' && p.text[p.at] != '\r' {
			return diag.Message("a line must end after the value")
		}
	}
	return nil
}

// walk returns the table at keys below t, which it creates if it is missing.
func (t *tomlTable) walk(keys []string, at int) (*tomlTable, error) {
	for _, key := range keys {
		next := t.find(key)
		if next == nil {
			next = &tomlTable{key: key, at: at}
			t.add(next)
		} else if next.value != "" {
			return nil, diag.Message(wire.Quote(key) + " is a value, not a table")
		}
		t = next
	}
	return t, nil
}

// pair reads a key with its value into a table. ignored means that a value may be
// of a type that is not supported.
func (p *tomlParser) pair(t *tomlTable, ignored bool) error {
	start := p.at
	keys, err := p.keys()
	if err != nil {
		return err
	}
	if p.at >= len(p.text) || p.text[p.at] != '=' {
		return diag.Message("a key must be followed by =")
	}
	p.at++
	p.blank(false)
	v := &tomlTable{key: keys[len(keys)-1], at: start}
	if err := p.value(v, ignored || t == p.root && keys[0] != "mcp_servers"); err != nil {
		return err
	}
	if t, err = t.walk(keys[:len(keys)-1], start); err == nil && t.find(v.key) != nil {
		err = diag.Message(wire.Quote(v.key) + " is defined twice")
	}
	if err != nil {
		p.at = start
		return err
	}
	t.add(v)
	return nil
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
			if key, err = p.str(); err != nil {
				return nil, err
			}
		}
		keys = append(keys, key)
		if p.blank(false); p.at >= len(p.text) || p.text[p.at] != '.' {
			return keys, nil
		}
		p.at++
	}
}

func isBareKey(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// blank skips blanks and comments, and with lines also line breaks.
func (p *tomlParser) blank(lines bool) {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r'):
		case c == '#':
			for p.at+1 < len(p.text) && p.text[p.at+1] != '\n' {
				p.at++
			}
		case p.at == 0 && strings.HasPrefix(p.text, "\uFEFF"):
			p.at += 2
		default:
			return
		}
	}
}

// value reads a value into v.
func (p *tomlParser) value(v *tomlTable, ignored bool) error {
	if p.depth++; p.depth > maxTOMLDepth {
		return diag.Message("values are nested too deep")
	}
	defer func() { p.depth-- }()
	if p.at >= len(p.text) {
		return diag.Message("a value is missing")
	}
	switch p.text[p.at] {
	case '"', '\'':
		s, err := p.str()
		if !utf8.ValidString(s) {
			return diag.Message("text must be UTF-8")
		}
		v.value = string(wire.AppendString(nil, s))
		return err
	case '[':
		return p.list(v, ignored)
	case '{':
		return p.inline(v, ignored)
	}
	start := p.at
	for p.at < len(p.text) && (isBareKey(p.text[p.at]) || strings.IndexByte("+.:", p.text[p.at]) >= 0) {
		p.at++
	}
	text := p.text[start:p.at]
	if text == "true" || text == "false" {
		v.value = text
		return nil
	}
	digits := strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	if n, err := strconv.ParseInt(digits, 0, 64); err == nil {
		v.value = strconv.FormatInt(n, 10)
		return nil
	}
	if n, err := strconv.ParseFloat(digits, 64); err == nil && n-n == 0 {
		v.value = strconv.FormatFloat(n, 'g', -1, 64)
		return nil
	}
	if ignored && text != "" {
		v.value = "null"
		return nil
	}
	p.at = start
	return diag.Message("the value of " + wire.Quote(v.key) + " is neither text in quotes, a number, true, false, a list nor a table; dates are not supported")
}

func (p *tomlParser) list(v *tomlTable, ignored bool) error {
	b := []byte{'['}
	for p.at++; ; {
		if p.blank(true); p.at < len(p.text) && p.text[p.at] == ']' {
			p.at++
			v.value = string(append(b, ']'))
			return nil
		}
		item := &tomlTable{key: v.key}
		if err := p.value(item, ignored); err != nil {
			return err
		}
		b = item.appendJSON(wire.AppendComma(b))
		if p.blank(true); p.at < len(p.text) && p.text[p.at] == ',' {
			p.at++
		} else if p.at >= len(p.text) || p.text[p.at] != ']' {
			return diag.Message("a list must end with ]")
		}
	}
}

func (p *tomlParser) inline(v *tomlTable, ignored bool) error {
	for p.at++; ; {
		if p.blank(true); p.at < len(p.text) && p.text[p.at] == '}' {
			p.at++
			v.defined = true
			return nil
		}
		if err := p.pair(v, ignored); err != nil {
			return err
		}
		if p.blank(true); p.at < len(p.text) && p.text[p.at] == ',' {
			p.at++
		} else if p.at >= len(p.text) || p.text[p.at] != '}' {
			return diag.Message("a table must end with }")
		}
	}
}

// str reads a string in single or double quotes, of one line or of several.
func (p *tomlParser) str() (string, error) {
	start, quote := p.at, p.text[p.at:p.at+1]
	long := strings.HasPrefix(p.text[p.at:], strings.Repeat(quote, 3))
	if long {
		quote = strings.Repeat(quote, 3)
	}
	p.at += len(quote)
	if long && strings.HasPrefix(strings.TrimPrefix(p.text[p.at:], "\r"), "\n") {
		p.at += strings.IndexByte(p.text[p.at:], '\n') + 1
	}
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case strings.HasPrefix(p.text[p.at:], quote):
			p.at += len(quote)
			for more := 0; long && more < 2 && strings.HasPrefix(p.text[p.at:], quote[:1]); more++ {
				b.WriteByte(quote[0]) // up to two quotes may precede the end
				p.at++
			}
			return b.String(), nil
		case c == '\n' && !long:
			p.at = start
			return "", diag.Message("text must end with " + quote + " in the same line")
		case c == '\\' && quote[0] == '"':
			if err := p.escape(&b, long); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	p.at = start
	return "", diag.Message("text must end with " + quote)
}

// escape reads what a backslash stands for.
func (p *tomlParser) escape(b *strings.Builder, long bool) error {
	rest := p.text[p.at+1:]
	if rest == "" {
		return diag.Message("text must not end with a backslash")
	}
	digits := 0
	switch c := rest[0]; c {
	case 'b', 't', 'n', 'f', 'r', 'e', '"', '\\':
		b.WriteByte("\b\t\n\f\r\x1b\"\\"[strings.IndexByte(`btnfre"\`, c)])
		p.at += 2
		return nil
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		end := trimLeft(rest, " \t\r\n")
		if long && strings.Contains(rest[:len(rest)-len(end)], "\n") {
			p.at += 1 + len(rest) - len(end)
			return nil
		}
	}
	if digits > 0 && len(rest) > digits {
		if n, err := strconv.ParseUint(rest[1:1+digits], 16, 32); err == nil && utf8.ValidRune(rune(n)) {
			b.WriteRune(rune(n))
			p.at += 2 + digits
			return nil
		}
	}
	return diag.Message("text has an invalid escape")
}
