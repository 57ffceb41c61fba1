package skills

import "strings"

// block parses a mapping or a sequence, whose first line is the current one.
func (p *parser) block(depth int) any {
	if isItem(p.text()) {
		return p.sequence(p.indent, depth)
	}
	return p.mapping(p.indent, depth)
}

// mapping parses the keys at an indentation.
func (p *parser) mapping(indent, depth int) map[string]any {
	p.checkDepth(indent, depth)
	m := make(map[string]any)
	for p.skip(); p.indent >= indent; p.skip() {
		text := p.text()
		end := keyEnd(text)
		problem := ""
		switch {
		case p.indent > indent:
			problem = "unexpected indentation"
		case end < 0:
			problem = "want a key and a colon"
		}
		if problem != "" {
			p.fail(p.indent, problem)
		}
		p.at = indent
		key := p.key(text[:end], m)
		m[key] = p.value(indent, indent+end+1, depth, true)
	}
	return m
}

// maxKey is the specification's limit of keys, in bytes rather than characters.
const maxKey = 1024

// key returns the key that a text at p.at is, which must not be in m.
func (p *parser) key(s string, m map[string]any) string {
	problem := ""
	if len(s) > maxKey {
		problem = "the key is longer than 1024 bytes"
	} else if s = trimBlank(s); s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, problem = quoted(s)
	} else if s == "" || s == "<<" || isIndicator(s) {
		problem = "complex keys and merge keys are not supported, and a special character wants quotes"
	}
	if _, ok := m[s]; ok {
		problem = "the key occurs twice"
	}
	if problem != "" {
		p.fail(p.at, problem)
	}
	return s
}

// sequence parses the items at an indentation.
func (p *parser) sequence(indent, depth int) []any {
	p.checkDepth(indent, depth)
	list := []any{}
	for {
		p.skip()
		if p.indent < indent || p.indent == indent && !isItem(p.text()) {
			return list
		}
		if p.indent > indent {
			p.fail(p.indent, "unexpected indentation")
		}
		next := indent + 1 + span(p.raw[indent+1:], " ")
		rest := p.raw[next:]
		if rest != "" && rest[0] == '\t' {
			p.fail(indent+1, "a tab as indentation; use spaces")
		}
		var v any
		if isBlock(rest) {
			p.indent = next
			v = p.block(depth + 1)
		} else {
			v = p.value(indent, indent+1, depth, false)
		}
		list = append(list, v)
	}
}

func (p *parser) checkDepth(offset, depth int) {
	if depth > maxDepth {
		p.fail(offset, "too many levels")
	}
}

// isBlock reports whether a text begins a mapping or a sequence.
func isBlock(text string) bool {
	return isItem(text) || text != "" && strings.IndexByte("#[{", text[0]) < 0 && keyEnd(text) >= 0
}

//go:noinline
func isItem(text string) bool {
	return text != "" && text[0] == '-' && (len(text) == 1 || text[1] == ' ' || text[1] == '\t')
}

// keyEnd returns the offset of the colon after a key at the beginning of a text, or
// -1.
func keyEnd(text string) int {
	n := 0
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		_, end, problem := quoted(text)
		if n = end + span(text[end:], " "); problem != "" || !isColon(text, n, "") {
			return -1
		}
		return n
	}
	text = text[:comment(text)]
	if n = plainEnd(text, ""); n == len(text) {
		return -1
	}
	return n
}

// plainEnd returns the offset of the first character of stops, or of a colon that
// ends a key, or the length of s.
func plainEnd(s, stops string) int {
	n := 0
	for n < len(s) && strings.IndexByte(stops, s[n]) < 0 && !isColon(s, n, stops) {
		n++
	}
	return n
}

// isColon reports whether a colon is at an offset, and what follows is white space,
// of stops, or the end of the line.
func isColon(s string, i int, stops string) bool {
	return i < len(s) && s[i] == ':' && (i+1 == len(s) || isSpace(s[i+1]) || strings.IndexByte(stops, s[i+1]) >= 0)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// isIndicator reports whether a plain scalar may not begin so.
func isIndicator(s string) bool {
	return strings.IndexByte(",[]{}#&*!|>'\"%@`", s[0]) >= 0 ||
		strings.IndexByte("-?:", s[0]) >= 0 && (len(s) == 1 || isSpace(s[1]))
}

// value parses what follows a key or a dash at an indentation: from an offset of
// the current line, or on the next lines.
func (p *parser) value(indent, offset, depth int, inMapping bool) any {
	offset += span(p.raw[offset:], " \t")
	if offset < len(p.raw) && p.raw[offset] != '#' {
		return p.scalar(indent, offset, depth)
	}
	p.read()
	p.skip()
	switch {
	case p.indent > indent && isBlock(p.text()):
		return p.block(depth + 1)
	case p.indent > indent:
		return p.scalar(indent, p.indent, depth)
	case p.indent == indent && inMapping && isItem(p.text()):
		return p.sequence(indent, depth+1)
	}
	return nil
}
