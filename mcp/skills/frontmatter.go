package skills

import (
	"strings"
)

// maxDepth is how deep lists and objects of frontmatter may nest.
const maxDepth = 32

// cutFrontmatter returns the text between the first line, "---", and the next such
// line.
func cutFrontmatter(data []byte) ([]byte, error) {
	first, text, _ := strings.Cut(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	if !isFence(first) {
		return nil, &SyntaxError{1, 1, `want the line "---", which begins the frontmatter`}
	}
	n := 2
	for rest := text; rest != ""; n++ {
		line, next, _ := strings.Cut(rest, "\n")
		if isFence(line) {
			return []byte(text[:len(text)-len(rest)]), nil
		}
		rest = next
	}
	return nil, &SyntaxError{n, 1, `want the line "---", which ends the frontmatter`}
}

func isFence(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "---")
	return ok && isBlank(rest)
}

// ParseFrontmatter parses the subset of YAML 1.2 that skills use: block mappings and
// sequences, flow collections and quoted scalars of one line, plain scalars of
// several lines, literal and folded scalars, and comments. Plain scalars are null,
// booleans, numbers or strings, as in the core schema; so yes and dates are strings.
// Everything else is a [*SyntaxError]: anchors, aliases, tags, complex and duplicate
// keys, merge keys, tabs as indentation, several documents, indentation indicators,
// infinite numbers, integers of more than 64 bits in another base than 10, and more
// than 32 levels. The values have the types of [mcp.Value].
func ParseFrontmatter(text []byte) (fields map[string]any, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *SyntaxError:
			fields, err = nil, e
		default:
			panic(e)
		}
	}()
	p := &parser{rest: string(text)}
	p.read()
	p.skip()
	if p.indent > 0 || p.indent == 0 && keyEnd(p.text()) < 0 {
		p.fail(p.indent, "want a key and a colon at the beginning of the line")
	}
	return p.mapping(0, 1), nil
}

// A parser has a current line, and the rest of the text. Its methods panic with a
// *SyntaxError, which only ParseFrontmatter recovers.
type parser struct {
	rest   string // after the current line
	raw    string // the current line
	indent int    // where what is next begins in raw; -1 after the last line
	line   int    // number of the current line
	at     int    // offset in raw, in quoted scalars and flow collections
}

// fail fails at an offset of the current line.
//
//go:noinline
func (p *parser) fail(offset int, problem string) {
	panic(&SyntaxError{p.line, offset + 1, problem})
}

// read goes to the next line.
func (p *parser) read() {
	p.line++
	p.raw, p.indent = "", -1
	if p.rest == "" {
		return
	}
	p.raw, p.rest, _ = strings.Cut(p.rest, "\n")
	p.raw = strings.TrimSuffix(p.raw, "\r")
	if i := control(p.raw, ""); i >= 0 {
		p.fail(i, "a control character or invalid UTF-8")
	}
	p.indent = span(p.raw, " ")
}

// text returns the current line from indent on.
//
//go:noinline
func (p *parser) text() string { return p.raw[p.indent:] }

// skip goes to the next line that has more than a comment, if the current one has
// not.
func (p *parser) skip() {
	for ; p.indent >= 0; p.read() {
		text := p.text()
		if isBlank(text) || text[0] == '#' {
			continue
		}
		if text[0] == '\t' {
			p.fail(p.indent, "a tab as indentation; use spaces")
		}
		if p.indent == 0 && (strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...")) && (len(text) == 3 || isSpace(text[3])) {
			p.fail(0, "only one document is supported")
		}
		return
	}
}
