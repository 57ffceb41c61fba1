package skills

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep lists and objects of frontmatter may nest.
const maxDepth = 32

// cutFrontmatter returns the text between the first line "---" and the next one,
// and the number of lines before it.
func cutFrontmatter(data []byte) ([]byte, int, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	begin := lineEnd(data, 0)
	if begin == len(data) || !isFence(data[:begin]) {
		return nil, 0, newSyntaxError(1, 1, `want the line "---", which begins the frontmatter`)
	}
	n := 1
	for at := begin + 1; at < len(data); n++ {
		end := lineEnd(data, at)
		if isFence(data[at:end]) {
			return data[begin+1 : at], 1, nil
		}
		at = end + 1
	}
	return nil, 0, newSyntaxError(n+1, 1, `want the line "---", which ends the frontmatter`)
}

// lineEnd returns the offset of the end of the line that begins at an offset.
func lineEnd(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(data)
}

func isFence(line []byte) bool {
	return len(line) >= 3 && string(line[:3]) == "---" && isBlank(strings.TrimSuffix(string(line[3:]), "\r"))
}

// ParseFrontmatter parses the subset of YAML 1.2 that skills use: block mappings
// and sequences, flow collections and quoted scalars of one line, plain scalars
// of several lines, literal and folded scalars, and comments. Plain scalars are
// null, booleans, numbers or strings by the core schema; so yes and dates are
// strings. Everything else is a [*SyntaxError]: anchors, aliases, tags, complex
// and duplicate keys, merge keys, tabs as indentation, several documents,
// indentation indicators, infinite numbers, and more than 32 levels. The values have
// the types of [mcp.Value].
func ParseFrontmatter(text []byte) (map[string]any, error) {
	p := &parser{}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if !utf8.ValidString(line) {
			return nil, newSyntaxError(i+1, 1, "the line is not valid UTF-8")
		}
		for at, c := range line {
			if c < ' ' && c != '\t' || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfeff {
				return nil, newSyntaxError(i+1, at+1, "control character")
			}
		}
		content := strings.TrimLeft(line, " ")
		p.lines = append(p.lines, yamlLine{raw: line, indent: len(line) - len(content), text: content})
	}
	if err := p.skipBlank(); err != nil {
		return nil, err
	}
	if p.at == len(p.lines) {
		return map[string]any{}, nil
	}
	if line := p.lines[p.at]; line.indent != 0 || !isKey(line.text) {
		return nil, p.fail(line.indent, "want a key and a colon at the beginning of the line")
	}
	v, err := p.mapping(0, 1)
	if err != nil {
		return nil, err
	}
	if p.at < len(p.lines) {
		return nil, p.fail(p.lines[p.at].indent, "unexpected indentation")
	}
	return v, nil
}

// A yamlLine is a line and its text after the indentation.
type yamlLine struct {
	raw    string
	indent int
	text   string
}

type parser struct {
	lines []yamlLine
	at    int // the current line
}

// fail returns an error at an offset of the current line.
func (p *parser) fail(offset int, problem string) error {
	return newSyntaxError(min(p.at, len(p.lines)-1)+1, offset+1, problem)
}

// skipBlank goes to the next line that has more than a comment.
func (p *parser) skipBlank() error {
	for ; p.at < len(p.lines); p.at++ {
		text := p.lines[p.at].text
		if isBlank(text) || text[0] == '#' {
			continue
		}
		switch {
		case text[0] == '\t':
			return p.fail(p.lines[p.at].indent, "a tab as indentation; use spaces")
		case p.lines[p.at].indent == 0 && (text == "..." || text[0] == '%' || text == "---" || strings.HasPrefix(text, "--- ")):
			return p.fail(0, "only one document is supported")
		}
		return nil
	}
	return nil
}
