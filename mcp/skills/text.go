package skills

import "strings"

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

// plainScalar parses a plain scalar of one line or several.
func (p *parser) plainScalar(indent, offset int) (any, error) {
	if isIndicator(p.lines[p.at].raw[offset:]) {
		return nil, p.fail(offset, "anchors, aliases, tags and special characters are not supported here; quote the text")
	}
	var b []byte
	blank := 0
	for first := true; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		text := line.text
		if first {
			text = line.raw[offset:]
		} else {
			if isBlank(text) {
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
		if breaks(&b, blank); !first && blank == 0 {
			add(&b, " ")
		}
		add(&b, trimBlank(text[:cut]))
		blank, first = 0, false
		if cut < len(text) { // a comment ends the scalar
			p.at++
			break
		}
	}
	v, problem := resolve(string(b))
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

// isBlank reports whether a text has only white space.
func isBlank(text string) bool { return trimBlank(text) == "" }

// trimBlank removes white space at the end of a text.
func trimBlank(text string) string {
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	return text
}

// blockScalar parses a literal or folded scalar.
func (p *parser) blockScalar(indent, offset int) (any, error) {
	header := p.lines[p.at].raw[offset:]
	folded, chomp := header[0] == '>', byte(0)
	rest := trimBlank(header[1:comment(header)])
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
		line := &p.lines[p.at]
		if line.text != "" && (line.indent <= indent || line.indent < inner) {
			break
		}
		if inner < 0 && line.text != "" {
			inner = line.indent
			for i := range lines {
				if p.lines[p.at-len(lines)+i].indent > inner {
					return nil, p.fail(0, "less indentation than the empty lines before")
				}
			}
		}
		text := ""
		if inner >= 0 && line.indent >= inner {
			text = line.raw[inner:]
		}
		lines = append(lines, text)
	}
	content := len(lines)
	for content > 0 && lines[content-1] == "" {
		content--
	}
	b := joinLines(lines[:content], folded)
	switch {
	case chomp == '+':
		if content > 0 {
			content--
		}
		breaks(&b, len(lines)-content)
	case chomp == 0 && content > 0:
		breaks(&b, 1)
	}
	return string(b), p.endOfValue(indent)
}

// joinLines joins the lines of a block scalar. The last one is not empty.
func joinLines(lines []string, folded bool) (b []byte) {
	blank, more := 0, true // more: the line before has more indentation, or there is none
	for i, line := range lines {
		if line == "" && folded {
			blank++
			continue
		}
		deeper := !folded || line[0] == ' ' || line[0] == '\t'
		n := blank // line breaks, of which folding removes one
		if i > blank && (more || deeper) {
			n++
		}
		if n == 0 && i > 0 {
			add(&b, " ")
		}
		breaks(&b, n)
		add(&b, line)
		blank, more = 0, deeper
	}
	return b
}

// add appends to a text. It is not inlined, as many places call it.
//
//go:noinline
func add(b *[]byte, s string) { *b = append(*b, s...) }

// breaks appends line breaks.
func breaks(b *[]byte, n int) {
	for ; n > 0; n-- {
		add(b, "\n")
	}
}
