package skills

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scalar parses a scalar or a flow collection that begins at an offset of the
// current line. Further lines have more than indent.
func (p *parser) scalar(indent, offset, depth int) any {
	switch p.raw[offset] {
	case '|', '>':
		return p.blockScalar(indent, offset)
	case '"', '\'', '[', '{':
		p.at = offset
		v := p.flow(depth)
		rest := p.raw[p.at:]
		if n := span(rest, " \t"); n < len(rest) && (n == 0 || rest[n] != '#') {
			p.fail(p.at, "unexpected text")
		}
		p.read()
		return v
	}
	return p.plainScalar(indent, offset)
}

// unsupported is the problem of a plain scalar that begins with a special character.
const unsupported = "anchors, aliases, tags and special characters are not supported here; quote the text"

// plainScalar parses a plain scalar of one line or several.
func (p *parser) plainScalar(indent, offset int) any {
	if isIndicator(p.raw[offset:]) {
		p.fail(offset, unsupported)
	}
	var b []byte
	line, breaks := p.line, -1
	for {
		text := p.raw[offset:]
		cut := comment(text)
		if i := plainEnd(text[:cut], ""); i < cut {
			p.fail(offset+i, "a colon in plain text; quote the text")
		}
		b = appendLines(b, breaks, trimBlank(text[:cut]))
		p.read()
		if cut < len(text) { // a comment ends the scalar
			break
		}
		for breaks = 0; p.indent >= 0 && isBlank(p.text()); breaks++ {
			p.read()
		}
		if p.indent <= indent || p.text()[0] == '#' {
			break
		}
		offset = p.indent + span(p.text(), " \t")
	}
	v, problem := resolve(string(b))
	if problem != "" { // only of a single line
		p.line = line
		p.fail(offset, problem)
	}
	return v
}

// comment returns where the comment of a line begins, or the line's length.
func comment(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == '#' && isSpace(text[i-1]) {
			return i
		}
	}
	return len(text)
}

// isBlank reports whether a text has only white space.
func isBlank(text string) bool { return trimBlank(text) == "" }

// trimBlank removes white space at the end of a text.
//
//go:noinline
func trimBlank(text string) string {
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// blockScalar parses a literal or folded scalar.
func (p *parser) blockScalar(indent, offset int) any {
	header := p.raw[offset:]
	chomp := trimBlank(header[1:comment(header)])
	if chomp != "" && chomp != "-" && chomp != "+" {
		p.fail(offset, "indentation indicators and text after | or > are not supported")
	}
	var b []byte
	breaks := 0           // empty lines since the last one that is not
	inner, least := -1, 0 // the indentation of the text, and what it must be because of empty lines
	more := false         // the last line has more indentation, or lines are not folded
	for p.read(); p.indent >= 0; p.read() {
		empty := p.text() == ""
		if !empty && (p.indent <= indent || p.indent < inner) {
			break
		}
		if inner < 0 {
			if least = max(least, p.indent); !empty {
				inner = p.indent
			}
			if inner >= 0 && least > inner {
				p.fail(0, "less indentation than the empty lines before")
			}
		}
		if inner < 0 || p.indent <= inner && empty {
			breaks++
			continue
		}
		line := p.raw[inner:]
		deeper := header[0] == '|' || isSpace(line[0])
		switch {
		case b != nil && (more || deeper):
			breaks++
		case b == nil && breaks == 0:
			breaks = -1
		}
		b, breaks, more = appendLines(b, breaks, line), 0, deeper
	}
	if chomp != "+" {
		breaks = 0
	}
	if b != nil && chomp != "-" {
		breaks++
	}
	if breaks > 0 {
		b = appendLines(b, breaks, "")
	}
	return string(b)
}

// appendLines appends a text after line breaks: with 0 after a space, with less after nothing.
//
//go:noinline
func appendLines(b []byte, breaks int, s string) []byte {
	if breaks == 0 {
		b = append(b, ' ')
	}
	for ; breaks > 0; breaks-- {
		b = append(b, '\n')
	}
	return append(b, s...)
}

// resolve returns the value of a plain scalar by the core schema of YAML 1.2.
func resolve(s string) (v any, problem string) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil, ""
	case "true", "True", "TRUE":
		return true, ""
	case "false", "False", "FALSE":
		return false, ""
	}
	digits := s
	if s[0] == '+' || s[0] == '-' {
		digits = s[1:]
	}
	switch digits {
	case ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN":
		return nil, "JSON has no such number"
	}
	var f float64
	var err error
	if len(s) > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'o') {
		base := 16
		if s[1] == 'o' {
			base = 8
		}
		var n uint64
		if n, err = strconv.ParseUint(s[2:], base, 64); n == math.MaxUint64 && err != nil {
			f = math.Inf(1)
		}
		f = max(f, float64(n))
	} else if span(s, "+-.0123456789eE") < len(s) {
		return s, "" // which ParseFloat could accept, as it does names and underscores
	} else {
		f, err = strconv.ParseFloat(s, 64)
	}
	if math.IsInf(f, 0) {
		return nil, "the number is too large"
	}
	if err != nil {
		return s, ""
	}
	return f, ""
}

// peek returns the next character that is not white space.
func (p *parser) peek() byte {
	p.at += span(p.raw[p.at:], " \t")
	if p.at == len(p.raw) || p.raw[p.at] == '#' {
		p.fail(p.at, "lists and objects must end on their line")
	}
	return p.raw[p.at]
}

// flow parses a value of one line.
func (p *parser) flow(depth int) any {
	switch c := p.peek(); c {
	case '"', '\'':
		return p.quoted()
	case '[', '{':
		p.checkDepth(p.at, depth+1)
		p.at++
		return p.collection(depth, c+2) // which is the other bracket
	}
	v, problem := resolve(p.unquoted())
	if problem != "" {
		p.fail(p.at, problem)
	}
	return v
}

// collection parses a list or an object after its first character.
func (p *parser) collection(depth int, end byte) any {
	list, m := []any{}, make(map[string]any)
	for {
		switch p.peek() {
		case end:
			p.at++
			if end == ']' {
				return list
			}
			return m
		case ',':
			p.fail(p.at, "a comma without a value")
		}
		if end == ']' {
			list = append(list, p.flow(depth+1))
		} else {
			p.member(depth, m)
		}
		if c := p.peek(); c == ',' {
			p.at++
		} else if c != end {
			p.fail(p.at, "want a comma or the end on the same line")
		}
	}
}

// member parses a member of an object.
func (p *parser) member(depth int, m map[string]any) {
	start := p.at
	if c := p.raw[start]; c == '"' || c == '\'' {
		p.quoted()
	} else {
		p.unquoted()
	}
	end := p.at
	p.at = start // for errors
	key := p.key(p.raw[start:end], m)
	p.at = end
	m[key] = nil
	if p.peek() == ':' {
		p.at++
		m[key] = p.flow(depth + 1)
	}
}

// unquoted reads a plain scalar up to a character that ends it.
func (p *parser) unquoted() string {
	const stops = ",[]{}"
	rest := p.raw[p.at:]
	if strings.IndexByte(",]}", rest[0]) < 0 && (isIndicator(rest) || rest[0] == ':' || rest[0] == '?') {
		p.fail(p.at, unsupported)
	}
	rest = rest[:comment(rest)]
	n := plainEnd(rest, stops)
	p.at += n
	return trimBlank(rest[:n])
}

func (p *parser) quoted() string {
	s, n, problem := quoted(p.raw[p.at:])
	p.at += n
	if problem != "" {
		p.fail(p.at, problem)
	}
	return s
}

// quoted returns the content of the quoted scalar at the beginning of a text, and
// its length with the quotes.
func quoted(text string) (s string, n int, problem string) {
	var b []byte
	quote := rune(text[0])
	for i := 1; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if c == quote {
			if quote == '"' || i == len(text) || text[i] != '\'' {
				return string(b), i, ""
			}
			i++ // of two
		} else if c == '\\' && quote == '"' {
			if c, size = unescape(text[i:]); size == 0 {
				return "", i - 1, "unknown escape"
			}
			i += size
		}
		b = utf8.AppendRune(b, c)
	}
	return "", 0, "quoted text must end on its line"
}

// unescape returns the character that follows a backslash, and the length of its
// escape, which is 0 if it is invalid.
func unescape(s string) (rune, int) {
	const names, values = "0abt\tnvfre \"/\\N_LP", "\x00\a\b\t\t\n\v\f\r\x1b \"/\\\x85\xa0\x28\x29"
	if s == "" {
		return 0, 0
	}
	if i := strings.IndexByte(names, s[0]); i >= 0 {
		r := rune(values[i])
		if r == '(' || r == ')' {
			r += 0x2000 // the separators of lines and paragraphs
		}
		return r, 1
	}
	size := strings.IndexByte("  x u   U", s[0]) // at the number of its digits
	if size < 2 || len(s) <= size {
		return 0, 0
	}
	n, err := strconv.ParseUint(s[1:1+size], 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), 1 + size
}
