package skills

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return s, ""
	}
	switch digits {
	case ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN":
		return nil, "JSON has no such number"
	}
	if base := strings.IndexByte("ox", at(s, 1)); base >= 0 && s[0] == '0' {
		if n, err := strconv.ParseUint(s[2:], 8+8*base, 64); err == nil {
			return float64(n), ""
		}
		return s, ""
	}
	if !isDecimal(digits) {
		return s, ""
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, "the number is too large"
	}
	return f, ""
}

// at returns a byte of a text, or 0 after its end.
func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// isDecimal reports whether a text is a number without a sign.
func isDecimal(s string) bool {
	rest := strings.TrimLeft(s, "0123456789")
	n := len(s) - len(rest)
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = strings.TrimLeft(fraction, "0123456789")
		n += len(fraction) - len(rest)
	}
	if n == 0 || rest == "" {
		return n > 0
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && strings.TrimLeft(rest, "0123456789") == ""
}

// A flow parses a quoted scalar or a flow collection in one line.
type flow struct {
	text    string
	at      int
	problem string
}

func (f *flow) fail(problem string) any {
	if f.problem == "" {
		f.problem = problem
	}
	return nil
}

// peek returns the next character that is not white space, or 0.
func (f *flow) peek() byte {
	for f.at < len(f.text) && (f.text[f.at] == ' ' || f.text[f.at] == '\t') {
		f.at++
	}
	if f.at == len(f.text) || f.text[f.at] == '#' {
		return 0
	}
	return f.text[f.at]
}

func (f *flow) value(depth int) any {
	switch c := f.peek(); c {
	case '"', '\'':
		return f.quoted()
	case '[':
		return f.list(depth)
	case '{':
		return f.object(depth)
	case 0:
		return f.fail("lists, objects and quoted text must end on their line")
	}
	v, problem := resolve(f.unquoted())
	if problem != "" {
		return f.fail(problem)
	}
	return v
}

func (f *flow) quoted() string {
	s, n, problem := quoted(f.text[f.at:])
	if problem != "" {
		f.fail(problem)
	}
	f.at += n
	return s
}

// unquoted reads a plain scalar up to a character that ends it.
func (f *flow) unquoted() string {
	rest := f.text[f.at:]
	if strings.IndexByte(",]}", rest[0]) < 0 && isIndicator(rest) {
		f.fail("anchors, aliases, tags and special characters are not supported here; quote the text")
		return ""
	}
	end := 0
	for ; end < len(rest); end++ {
		c := rest[end]
		if strings.IndexByte(",[]{}", c) >= 0 ||
			c == ':' && (end+1 == len(rest) || strings.IndexByte(" \t,[]{}", rest[end+1]) >= 0) ||
			c == '#' && end > 0 && (rest[end-1] == ' ' || rest[end-1] == '\t') {
			break
		}
	}
	f.at += end
	return trimBlank(rest[:end])
}

func (f *flow) list(depth int) any {
	if depth == maxDepth {
		return f.fail("too many levels")
	}
	f.at++
	list := []any{}
	for f.problem == "" {
		switch f.peek() {
		case ']':
			f.at++
			return list
		case ',':
			return f.fail("a comma without a value")
		}
		list = append(list, f.value(depth+1))
		if f.problem == "" && !f.next(']') {
			break
		}
	}
	return nil
}

// next reads a comma, unless the end of the collection follows.
func (f *flow) next(end byte) bool {
	switch f.peek() {
	case ',':
		f.at++
		return true
	case end:
		return true
	}
	f.fail("want a comma or " + strconv.QuoteRune(rune(end)) + " on the same line")
	return false
}

func (f *flow) object(depth int) any {
	if depth == maxDepth {
		return f.fail("too many levels")
	}
	f.at++
	m := make(map[string]any)
	for f.problem == "" {
		c := f.peek()
		if c == '}' {
			f.at++
			return m
		}
		start := f.at
		var key string
		switch c {
		case 0, ',':
			return f.fail("want a key or '}' on the same line")
		case '"', '\'':
			key = f.quoted()
		default:
			key = f.unquoted()
			if _, problem := keyText(key); problem != "" && f.problem == "" {
				f.fail(problem)
			}
		}
		if f.problem != "" {
			return nil
		}
		if _, ok := m[key]; ok {
			f.at = start
			return f.fail("the key occurs twice")
		}
		m[key] = nil
		if f.peek() == ':' {
			f.at++
			if c := f.peek(); c != ',' && c != '}' {
				m[key] = f.value(depth + 1)
			}
		}
		if f.problem == "" && !f.next('}') {
			break
		}
	}
	return nil
}

// quoted returns the content of the quoted scalar at the beginning of a text, and
// its length with the quotes.
func quoted(text string) (s string, n int, problem string) {
	var b strings.Builder
	quote := text[0]
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case c == quote && quote == '\'' && i+1 < len(text) && text[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case c == quote:
			return b.String(), i + 1, ""
		case c == '\\' && quote == '"':
			r, size := unescape(text[i+1:])
			if size == 0 {
				return "", i, "unknown escape"
			}
			b.WriteRune(r)
			i += size
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, "quoted text must end on its line"
}

// unescape returns the character that follows a backslash, and the length of its
// escape, which is 0 if it is invalid.
func unescape(s string) (rune, int) {
	const names, values = "0abt\tnvfre \"/\\N_LP", "\x00\a\b\t\t\n\v\f\r\x1b \"/\\\u0085\u00a0\u2028\u2029"
	if s == "" {
		return 0, 0
	}
	if i := strings.IndexByte(names, s[0]); i >= 0 {
		return []rune(values)[i], 1
	}
	size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
	if size == 0 || len(s) <= size {
		return 0, 0
	}
	n, err := strconv.ParseUint(s[1:1+size], 16, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), 1 + size
}
