package skills

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// plainText parses a plain scalar up to one of stops, a comment, a colon that ends a key,
// or the end of the line.
func (p *parser) plainText(stops string) string {
	c := p.next()
	if isOneOf(c, ",[]{}#&*!|>'\"%@`") || isOneOf(c, "-?:") && (p.isBlank(1) || len(stops) > 1 && c != '-') {
		p.fail(p.at, "anchors, aliases, tags and special characters are not supported here; quote the text")
	}
	return p.part(stops)
}

// part returns a line of a plain scalar.
func (p *parser) part(stops string) string {
	start, end := p.at, p.at
	for ; ; p.at++ {
		c := p.next()
		if c == 0 || isOneOf(c, stops) || c == '#' && p.at > start && p.isBlank(-1) ||
			c == ':' && (p.isBlank(1) || isOneOf(p.text[p.at+1], stops)) {
			return p.text[start:end]
		}
		if !p.isBlank(0) {
			end = p.at + 1
		}
	}
}

// scalar parses a plain scalar. Further lines have more than indent.
func (p *parser) scalar(indent int) {
	start := p.at
	b := []byte(p.plainText("\n"))
	for p.next() == '\n' {
		end, line := p.at, p.line
		p.at++
		n := p.breaks()
		if p.column() <= indent || p.next() == '#' {
			p.at, p.line = end, line
			break
		}
		b = appendLines(b, n, p.part("\n"))
	}
	p.resolve(start, string(b))
}

// breaks goes to the next text, and returns how many empty lines are before it.
func (p *parser) breaks() (n int) {
	for p.newLine(); ; p.newLine() {
		if p.blanks(); p.next() != '\n' {
			return n
		}
		p.at++
		n++
	}
}

// appendLines appends a text after line breaks: with 0 after a space, with less after nothing.
func appendLines(b []byte, breaks int, s string) []byte {
	if breaks == 0 {
		b = append(b, ' ')
	}
	for range breaks {
		b = append(b, '\n')
	}
	return append(b, s...)
}

// block parses a literal or folded scalar.
func (p *parser) block(indent int) {
	start, literal := p.at, p.next() == '|'
	p.at++
	chomp := p.next()
	if chomp == '+' || chomp == '-' {
		p.at++
	}
	p.blanks()
	if p.comment(); p.next() != '\n' {
		p.fail(start, "text after | or > is not supported")
	}
	var b []byte
	breaks := 0          // empty lines since the last one that is not
	inner, least := 0, 0 // the indentation of the text, and what it must be because of empty lines
	more := false        // the last line has more indentation, or lines are not folded
	for {
		p.at++
		p.newLine()
		for p.next() == ' ' && (inner == 0 || p.column() < inner) {
			p.at++
		}
		column := p.column()
		if p.next() == '\n' {
			breaks++
			least = max(least, column)
			continue
		}
		if inner == 0 && column > indent {
			if inner = column; least > inner {
				p.fail(p.line, "less indentation than before")
			}
		}
		if inner == 0 || column < inner {
			break
		}
		deeper := literal || p.isBlank(0)
		switch {
		case b != nil && (more || deeper):
			breaks++
		case b == nil && breaks == 0:
			breaks = -1
		}
		line := p.text[p.at:]
		line = line[:strings.IndexByte(line, '\n')]
		b, breaks, more = appendLines(b, breaks, line), 0, deeper
		p.at += len(line)
	}
	p.at = p.line
	if chomp != '+' {
		breaks = 0
	}
	if b != nil && chomp != '-' {
		breaks++
	}
	if breaks > 0 {
		b = appendLines(b, breaks, "")
	}
	p.put(text, string(b))
}

// Plain scalars that are not strings, in the core schema of YAML 1.2.
const (
	nulls  = "\x00\x00~\x00null\x00Null\x00NULL"
	trues  = "\x00true\x00True\x00TRUE"
	falses = "\x00false\x00False\x00FALSE"
	others = "\x00.inf\x00.Inf\x00.INF\x00+.inf\x00+.Inf\x00+.INF\x00-.inf\x00-.Inf\x00-.INF\x00.nan\x00.NaN\x00.NAN\x00"
)

// resolve appends the value of a plain scalar that begins at an offset.
func (p *parser) resolve(at int, s string) {
	switch i := strings.Index(nulls+trues+falses+others, "\x00"+s+"\x00"); {
	case i < 0:
	case i < len(nulls):
		p.put(word, "null")
		return
	case i < len(nulls+trues):
		p.put(word, "true")
		return
	case i < len(nulls+trues+falses):
		p.put(word, "false")
		return
	default:
		p.fail(at, "JSON has no such number")
	}
	var f float64
	err := strconv.ErrSyntax
	if len(s) > 1 && s[0] == '0' && isOneOf(s[1], "xo") && strings.IndexByte(s, '_') < 0 {
		var n uint64
		n, err = strconv.ParseUint(s, 0, 64)
		f = float64(n)
	} else if span(s, "+-.0123456789eE") == len(s) { // ParseFloat accepts names and underscores
		f, err = strconv.ParseFloat(s, 64)
	}
	if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
		p.fail(at, "the number is too large")
	}
	kind := text
	if err == nil {
		b, _ := wire.AppendFloat(nil, f)
		kind, s = word, string(b)
	}
	p.put(kind, s)
}

func (p *parser) quoted() string {
	start, quote := p.at, p.next()
	var b []byte
	for p.at++; ; {
		from, c := p.at, p.next()
		p.at++
		end := p.at
		switch {
		case c == 0:
			p.fail(start, "quoted text does not end")
		case c == quote:
			if c == '"' || p.next() != c {
				return string(b)
			}
			p.at++ // of two
		case c == ' ' || c == '\t':
			if p.blanks(); p.next() == '\n' {
				continue
			}
			end = p.at
		case c == '\n':
			b = appendLines(b, p.breaks(), "")
			continue
		case c == '\\' && quote == '"':
			b = p.escape(b)
			continue
		}
		b = append(b, p.text[from:end]...)
	}
}

// escape appends what follows a backslash.
func (p *parser) escape(b []byte) []byte {
	const names, values = "0abt\tnvfre \"/\\N_LP", "\x00\a\b\t\t\n\v\f\r\x1b \"/\\\x85\xa0\x28\x29"
	start, c := p.at-1, p.next()
	p.at++
	if c == '\n' {
		if n := p.breaks(); n > 0 {
			b = appendLines(b, n, "")
		}
		return b
	}
	r := utf8.MaxRune + 1                     // which is not valid
	size := strings.IndexByte("  x u   U", c) // at the number of its digits
	if i := strings.IndexByte(names, c); i >= 0 {
		if r = rune(values[i]); r == '(' || r == ')' {
			r += 0x2000 // the separators of lines and paragraphs
		}
	} else if rest := p.text[p.at:]; size > 1 && size < len(rest) {
		if n, err := strconv.ParseUint(rest[:size], 16, 32); err == nil {
			r = rune(n)
		}
		p.at += size
	}
	if !utf8.ValidRune(r) {
		p.fail(start, "unknown escape")
	}
	return utf8.AppendRune(b, r)
}
