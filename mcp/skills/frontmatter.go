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
	first, rest, ok := bytes.Cut(data, []byte("\n"))
	if !ok || string(bytes.TrimRight(first, " \t\r")) != "---" {
		return nil, 0, &SyntaxError{1, 1, `want the line "---", which begins the frontmatter`}
	}
	n := 1
	for at := 0; at < len(rest); n++ {
		line, _, _ := bytes.Cut(rest[at:], []byte("\n"))
		if string(bytes.TrimRight(line, " \t\r")) == "---" {
			return rest[:at], 1, nil
		}
		at += len(line) + 1
	}
	return nil, 0, &SyntaxError{n + 1, 1, `want the line "---", which ends the frontmatter`}
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
			return nil, &SyntaxError{i + 1, 1, "the line is not valid UTF-8"}
		}
		for at, c := range line {
			if c < ' ' && c != '\t' || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfeff {
				return nil, &SyntaxError{i + 1, at + 1, "control character"}
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
	return &SyntaxError{min(p.at, len(p.lines)-1) + 1, offset + 1, problem}
}

// skipBlank goes to the next line that has more than a comment.
func (p *parser) skipBlank() error {
	for ; p.at < len(p.lines); p.at++ {
		text := p.lines[p.at].text
		if strings.Trim(text, " \t") == "" || text[0] == '#' {
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

func isItem(text string) bool {
	return text == "-" || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "-\t")
}

// isKey reports whether a text begins with a key and a colon.
func isKey(text string) bool { return keyEnd(text) >= 0 }

// keyEnd returns the offset of the colon after a key, or -1.
func keyEnd(text string) int {
	if text == "" {
		return -1
	}
	if text[0] == '"' || text[0] == '\'' {
		_, n, err := quoted(text)
		if err != "" {
			return -1
		}
		rest := strings.TrimLeft(text[n:], " ")
		if rest == ":" || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, ":\t") {
			return len(text) - len(rest)
		}
		return -1
	}
	for i := range len(text) {
		switch {
		case text[i] == '#' && i > 0 && (text[i-1] == ' ' || text[i-1] == '\t'):
			return -1
		case text[i] == ':' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t'):
			return i
		}
	}
	return -1
}

// mapping parses the keys at an indentation.
func (p *parser) mapping(indent, depth int) (map[string]any, error) {
	if depth > maxDepth {
		return nil, p.fail(indent, "too many levels")
	}
	m := make(map[string]any)
	for {
		if err := p.skipBlank(); err != nil {
			return nil, err
		}
		if p.at == len(p.lines) || p.lines[p.at].indent < indent {
			return m, nil
		}
		line := p.lines[p.at]
		end := keyEnd(line.text)
		switch {
		case line.indent > indent:
			return nil, p.fail(line.indent, "unexpected indentation")
		case isItem(line.text):
			return nil, p.fail(indent, "a list item where a key should be")
		case end < 0:
			return nil, p.fail(indent, "want a key and a colon")
		}
		key, problem := keyText(line.text[:end])
		if problem != "" {
			return nil, p.fail(indent, problem)
		}
		if _, ok := m[key]; ok {
			return nil, p.fail(indent, "the key occurs twice")
		}
		v, err := p.value(indent, indent+end+1, depth, true)
		if err != nil {
			return nil, err
		}
		m[key] = v
	}
}

func keyText(s string) (key, problem string) {
	s = strings.TrimRight(s, " \t")
	switch {
	case s == "" || s == "?" || strings.HasPrefix(s, "? "):
		return "", "complex keys are not supported"
	case s == "<<":
		return "", "merge keys are not supported"
	case s[0] == '"' || s[0] == '\'':
		key, n, problem := quoted(s)
		if problem == "" && n < len(s) {
			problem = "text after the quoted key"
		}
		return key, problem
	case isIndicator(s):
		return "", "the key begins with a special character; quote it"
	}
	return s, ""
}

// isIndicator reports whether a plain scalar may not begin so.
func isIndicator(s string) bool {
	if strings.IndexByte(",[]{}#&*!|>'\"%@`", s[0]) >= 0 {
		return true
	}
	return strings.IndexByte("-?:", s[0]) >= 0 && (len(s) == 1 || s[1] == ' ' || s[1] == '\t')
}

// sequence parses the items at an indentation.
func (p *parser) sequence(indent, depth int) ([]any, error) {
	if depth > maxDepth {
		return nil, p.fail(indent, "too many levels")
	}
	list := []any{}
	for {
		if err := p.skipBlank(); err != nil {
			return nil, err
		}
		if p.at == len(p.lines) || p.lines[p.at].indent < indent || p.lines[p.at].indent == indent && !isItem(p.lines[p.at].text) {
			return list, nil
		}
		line := p.lines[p.at]
		if line.indent > indent {
			return nil, p.fail(line.indent, "unexpected indentation")
		}
		rest := strings.TrimLeft(line.text[1:], " ")
		if strings.HasPrefix(rest, "\t") {
			return nil, p.fail(indent+1, "a tab as indentation; use spaces")
		}
		var v any
		var err error
		if isItem(rest) || rest != "" && rest[0] != '#' && isKey(rest) && rest[0] != '{' && rest[0] != '[' {
			inner := indent + len(line.text) - len(rest)
			p.lines[p.at].indent, p.lines[p.at].text = inner, rest
			v, err = p.block(inner, depth+1)
		} else {
			v, err = p.value(indent, indent+1, depth, false)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// block parses a mapping or a sequence, whose first line is the current one.
func (p *parser) block(indent, depth int) (any, error) {
	if isItem(p.lines[p.at].text) {
		return p.sequence(indent, depth)
	}
	return p.mapping(indent, depth)
}

// value parses what follows a key or a dash at an indentation: from an offset of
// the current line, or on the next lines.
func (p *parser) value(indent, offset, depth int, inMapping bool) (any, error) {
	raw := p.lines[p.at].raw
	text := strings.TrimLeft(raw[offset:], " \t")
	offset = len(raw) - len(text)
	if text == "" || text[0] == '#' {
		p.at++
		if err := p.skipBlank(); err != nil {
			return nil, err
		}
		if p.at == len(p.lines) {
			return nil, nil
		}
		line := p.lines[p.at]
		switch {
		case line.indent > indent && (isItem(line.text) || isKey(line.text) && line.text[0] != '[' && line.text[0] != '{'):
			return p.block(line.indent, depth+1)
		case line.indent > indent:
			return p.scalar(indent, line.indent, depth)
		case line.indent == indent && inMapping && isItem(line.text):
			return p.sequence(indent, depth+1)
		}
		return nil, nil
	}
	return p.scalar(indent, offset, depth)
}

// scalar parses a scalar or a flow collection that begins at an offset of the
// current line. Further lines have more than indent.
func (p *parser) scalar(indent, offset, depth int) (any, error) {
	text := p.lines[p.at].raw[offset:]
	switch text[0] {
	case '|', '>':
		return p.blockScalar(indent, offset)
	case '"', '\'', '[', '{':
		f := flow{text: text}
		v := f.value(depth)
		if rest := strings.TrimLeft(text[f.at:], " \t"); f.problem == "" && rest != "" && (rest[0] != '#' || len(rest) == len(text[f.at:])) {
			f.problem = "unexpected text"
		}
		if f.problem != "" {
			return nil, p.fail(offset+f.at, f.problem)
		}
		p.at++
		return v, p.endOfValue(indent)
	}
	return p.plainScalar(indent, offset)
}

// endOfValue returns an error if the next line would continue the value.
func (p *parser) endOfValue(indent int) error {
	if err := p.skipBlank(); err != nil {
		return err
	}
	if p.at < len(p.lines) && p.lines[p.at].indent > indent {
		return p.fail(p.lines[p.at].indent, "unexpected indentation")
	}
	return nil
}

// plainScalar parses a plain scalar of one line or several.
func (p *parser) plainScalar(indent, offset int) (any, error) {
	if isIndicator(p.lines[p.at].raw[offset:]) {
		return nil, p.fail(offset, "anchors, aliases, tags and special characters are not supported here; quote the text")
	}
	var b strings.Builder
	blank := 0
	for first := true; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		text := line.text
		if first {
			text = line.raw[offset:]
		} else {
			if strings.Trim(text, " \t") == "" {
				blank++
				continue
			}
			if line.indent <= indent || text[0] == '#' {
				break
			}
			text = strings.TrimLeft(text, "\t")
			offset = len(line.raw) - len(text)
		}
		cut := comment(text)
		if i := keyEnd(text[:cut]); i >= 0 && text[0] != '"' && text[0] != '\'' || i >= 0 && !first {
			return nil, p.fail(offset+i, "a colon in plain text; quote the text")
		}
		switch {
		case first:
		case blank > 0:
			b.WriteString(strings.Repeat("\n", blank))
		default:
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimRight(text[:cut], " \t"))
		blank, first = 0, false
		if cut < len(text) { // a comment ends the scalar
			p.at++
			break
		}
	}
	v, problem := resolve(b.String())
	if problem != "" {
		p.at--
		return nil, p.fail(offset, problem)
	}
	return v, p.endOfValue(indent)
}

// comment returns where the comment of a line begins, or the line's length.
func comment(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == '#' && (text[i-1] == ' ' || text[i-1] == '\t') {
			return i
		}
	}
	return len(text)
}

// blockScalar parses a literal or folded scalar.
func (p *parser) blockScalar(indent, offset int) (any, error) {
	header := p.lines[p.at].raw[offset:]
	folded, chomp := header[0] == '>', byte(0)
	rest := strings.TrimRight(header[1:comment(header)], " \t")
	if rest == "-" || rest == "+" {
		chomp, rest = rest[0], ""
	}
	if rest != "" {
		return nil, p.fail(offset, "indentation indicators and text after | or > are not supported")
	}
	p.at++
	inner := -1
	var lines []string
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		if line.text == "" {
			if inner >= 0 && line.indent > inner {
				lines = append(lines, line.raw[inner:])
			} else {
				lines = append(lines, "")
			}
			continue
		}
		if line.indent <= indent {
			break
		}
		if inner < 0 {
			inner = line.indent
			for i := range lines {
				if before := p.lines[p.at-len(lines)+i]; before.indent > inner {
					return nil, p.fail(0, "less indentation than the empty lines before")
				}
			}
		}
		if line.indent < inner {
			break
		}
		lines = append(lines, line.raw[inner:])
	}
	content := len(lines)
	for content > 0 && lines[content-1] == "" {
		content--
	}
	text := joinLines(lines[:content], folded)
	switch {
	case chomp == '+' && content > 0:
		text += strings.Repeat("\n", len(lines)-content+1)
	case chomp == '+':
		text = strings.Repeat("\n", len(lines))
	case chomp == 0 && content > 0:
		text += "\n"
	}
	return text, p.endOfValue(indent)
}

// joinLines joins the lines of a block scalar.
func joinLines(lines []string, folded bool) string {
	if !folded {
		return strings.Join(lines, "\n")
	}
	var b strings.Builder
	blank, first, more := 0, true, false
	for _, line := range lines {
		if line == "" {
			blank++
			continue
		}
		deeper := line[0] == ' ' || line[0] == '\t'
		switch {
		case first:
			b.WriteString(strings.Repeat("\n", blank))
		case more || deeper:
			b.WriteString(strings.Repeat("\n", blank+1))
		case blank == 0:
			b.WriteByte(' ')
		default:
			b.WriteString(strings.Repeat("\n", blank))
		}
		b.WriteString(line)
		blank, first, more = 0, false, deeper
	}
	return b.String()
}
