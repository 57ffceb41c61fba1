package skills

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// maxFrontmatter limits the length of frontmatter in bytes: a letter can become a value of
// 70 bytes.
const maxFrontmatter = 256 << 10

const tooLong = "frontmatter is longer than 256 KiB"

// cutFrontmatter returns the text between the first line, "---", and the next such
// line.
func cutFrontmatter(data string) (string, error) {
	rest := strings.TrimPrefix(data, "\ufeff")
	text := ""
	for n := 1; ; n++ {
		line, after, more := strings.Cut(rest, "\n")
		fence := strings.HasPrefix(line, "---") && span(line[3:], " \t\r") == len(line)-3
		if n > 1 && fence {
			return text[:len(text)-len(rest)], nil
		}
		if n == 1 {
			text = after
		}
		if len(text)-len(after) > maxFrontmatter {
			return "", &SyntaxError{Line: n, Column: 1, Problem: tooLong}
		}
		if n == 1 && !fence || !more {
			return "", &SyntaxError{Line: n, Column: 1, Problem: `want a line "---" before and after the frontmatter`}
		}
		rest = after
	}
}

// ParseFrontmatter parses the subset of YAML 1.2 that skills use: block mappings and
// sequences, flow collections, quoted, plain, literal and folded scalars, of one line
// or several, and comments. Plain scalars are null, booleans, numbers or strings, as in
// the core schema; so yes and dates are strings. Everything else is a [*SyntaxError]:
// anchors, aliases, tags, complex and duplicate keys, merge keys, tabs between the
// parts, several documents, indentation indicators, plain scalars of several lines in
// flow collections, infinite numbers, integers of more than 64 bits in another base
// than 10, more than 512 keys in a mapping, more than 32 levels, and more than 256 KiB. The
// values have the types of [mcp.DecodeValue].
func ParseFrontmatter(yaml []byte) (fields map[string]any, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *SyntaxError:
			fields, err = nil, e
		default:
			panic(e)
		}
	}()
	var p parser
	if len(yaml) > maxFrontmatter {
		p.fail(0, tooLong)
	}
	for {
		p = parser{text: strings.TrimSuffix(string(yaml), "\n") + "\n", stop: p.stop, problem: p.problem}
		if i := control(p.text, ""); i >= 0 {
			p.fail(i, "a control character or invalid UTF-8")
		}
		p.text = strings.Map(func(c rune) rune {
			if c == '\r' { // which is before a line break
				c = -1
			}
			return c
		}, p.text)
		p.newLine()
		p.skip()
		if p.column() > 0 {
			p.fail(p.at, "want a key and a colon")
		}
		if p.next() == 0 {
			return map[string]any{}, nil
		}
		p.collection(1, "{}")
		v, err := mcp.DecodeValue(p.json)
		e, ok := err.(*wire.SyntaxError)
		if !ok {
			return v.(map[string]any), nil
		}
		if p.stop > 0 {
			return nil, e
		}
		p.stop, p.problem = e.Offset+1, e.Msg // of a key, at which the next attempt fails
	}
}

// A parser has a place in a text, whose content it writes as JSON. Its methods panic
// with a *SyntaxError, which only ParseFrontmatter recovers.
type parser struct {
	text string // ends with a line break
	at   int    // what is next
	line int    // where its line begins
	json []byte

	stop    int    // the length of json with a key that is not valid, or 0
	problem string // of that key
}

// Kinds of what put appends besides the values null, true and false, numbers, and the
// beginnings of lists and objects.
const (
	word = iota
	text
	name
	end
)

// put appends to the JSON, with a comma where one is missing.
func (p *parser) put(kind int, s string) {
	b := p.json
	if kind < name {
		b = wire.AppendComma(b)
	}
	switch kind {
	case text:
		b = wire.AppendString(b, s)
	case name:
		b = wire.AppendKey(b, s)
	default:
		b = append(b, s...)
	}
	p.json = b
}

// fail fails at an offset of the text.
func (p *parser) fail(at int, problem string) {
	before := p.text[:at]
	panic(&SyntaxError{Line: strings.Count(before, "\n") + 1, Column: at - strings.LastIndexByte(before, '\n'), Problem: problem})
}

// next returns the next byte, or 0 at the end. Inlined, it would be 2.3 KB of a stdio
// program that reads skills.
//
//go:noinline
func (p *parser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// column returns how many bytes of the line are before what is next.
func (p *parser) column() int { return p.at - p.line }

// isBlank reports whether white space, or the end of the text, is n bytes after what
// is next.
func (p *parser) isBlank(n int) bool {
	n += p.at
	return n >= len(p.text) || p.text[n] == ' ' || p.text[n] == '\t' || p.text[n] == '\n'
}

// isOneOf reports whether a byte is one of a set.
func isOneOf(c byte, set string) bool { return strings.IndexByte(set, c) >= 0 }

// blanks skips white space in the line.
func (p *parser) blanks() {
	for p.next() == ' ' || p.next() == '\t' {
		p.at++
	}
}

// newLine begins a line, which must not be the mark of a document.
func (p *parser) newLine() {
	p.line = p.at
	if rest := p.text[p.at:]; len(rest) > 3 && (rest[:3] == "---" || rest[:3] == "...") && p.isBlank(3) {
		p.fail(p.at, "only one document is supported")
	}
}

// skip goes to what is next besides white space, comments and line breaks.
func (p *parser) skip() {
	for p.comment(); isOneOf(p.next(), " \n\t"); p.comment() {
		switch p.at++; p.text[p.at-1] {
		case '\t':
			p.fail(p.at-1, "a tab; use spaces")
		case '\n':
			p.newLine()
		}
	}
}

// comment goes to the end of the line if a comment is next.
func (p *parser) comment() {
	if p.next() == '#' && (p.at == p.line || p.isBlank(-1)) {
		for p.next() != '\n' {
			p.at++
		}
	}
}
