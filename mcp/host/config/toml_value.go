package config

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// value reads a value into v.
func (p *tomlParser) value(v *tomlNode) (err error) {
	if p.at >= len(p.text) {
		return diag.Message("a value is missing")
	}
	switch p.text[p.at] {
	case '"', '\'':
		v.kind = tomlString
		v.text, err = p.str(true)
		return err
	case '[':
		v.kind = tomlList
		return p.nested("list", ']', func() error { return p.value(p.add(v, "")) })
	case '{':
		v.kind = tomlInline
		return p.nested("table", '}', func() error { return p.pair(v) })
	}
	start := p.at
	p.word()
	if date := p.text[start:p.at]; p.ignored && len(date) == len("2006-01-02") && strings.HasPrefix(p.text[p.at:], " ") && p.at+1 < len(p.text) && isDigit(p.text[p.at+1]) {
		p.at++ // a time after its date
		p.word()
	}
	text := p.text[start:p.at]
	if v.text = text; text == "true" || text == "false" || p.ignored && text != "" {
		return nil
	}
	if v.text = tomlNumber(text); v.text == "" {
		p.at = start
		return diag.Message("the value of " + wire.Quote(v.key) + " is neither text in quotes, a number, true, false, a list nor a table; dates are not supported")
	}
	return nil
}

// word skips the characters of numbers, dates and names.
func (p *tomlParser) word() {
	for p.at < len(p.text) && (isBareKey(p.text[p.at]) || strings.IndexByte("+.:", p.text[p.at]) >= 0) {
		p.at++
	}
}

// nested reads the items of a list or an inline table up to the closing bracket.
func (p *tomlParser) nested(what string, closing byte, item func() error) error {
	if p.depth++; p.depth > wire.MaxDepth {
		return errTOMLDepth
	}
	for p.at++; ; {
		if p.blank(true); p.at < len(p.text) && p.text[p.at] == closing {
			p.at++
			p.depth--
			return nil
		}
		if err := item(); err != nil {
			return err
		}
		if p.blank(true); p.at < len(p.text) && p.text[p.at] == ',' {
			p.at++
		} else if p.at >= len(p.text) || p.text[p.at] != closing {
			return diag.Message("a " + what + " must end with " + string(closing))
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// tomlNumber returns a number as JSON, or "".
func tomlNumber(text string) string {
	for _, p := range [...]struct {
		prefix string
		base   int
	}{{"0x", 16}, {"0o", 8}, {"0b", 2}} {
		if digits, ok := strings.CutPrefix(text, p.prefix); ok {
			n, err := strconv.ParseUint(withoutUnderscores(digits, hexDigits), p.base, 63)
			if err != nil {
				return ""
			}
			return strconv.FormatUint(n, 10)
		}
	}
	// Without a plus sign, the decimal numbers are those of JSON.
	s, plus := strings.CutPrefix(text, "+")
	s = withoutUnderscores(s, hexDigits[:10])
	if plus && strings.HasPrefix(s, "-") || wire.Valid([]byte(s)) != nil || kind([]byte(s)) != wire.Number {
		return ""
	}
	var err error
	if wire.IndexAny(s, ".eE") >= 0 {
		_, err = strconv.ParseFloat(s, 64)
	} else {
		_, err = strconv.ParseInt(s, 10, 64)
	}
	if err != nil {
		return ""
	}
	return s
}

const hexDigits = "0123456789abcdefABCDEF"

// withoutUnderscores returns a number without underscores, which must be between digits,
// or "".
func withoutUnderscores(number, digits string) string {
	for i := range len(number) {
		if number[i] == '_' && (i == 0 || i+1 == len(number) || strings.IndexByte(digits, number[i-1]) < 0 || strings.IndexByte(digits, number[i+1]) < 0) {
			return ""
		}
	}
	return strings.ReplaceAll(number, "_", "")
}

// str reads a string in single or double quotes, of one line or, with long, of
// several.
func (p *tomlParser) str(long bool) (string, error) {
	start, quote := p.at, p.text[p.at:p.at+1]
	if three := strings.Repeat(quote, 3); long && strings.HasPrefix(p.text[p.at:], three) {
		quote = three
	}
	long = len(quote) == 3
	p.at += len(quote)
	if long && strings.HasPrefix(strings.TrimPrefix(p.text[p.at:], "\r"), "\n") {
		p.at += strings.IndexByte(p.text[p.at:], '\n') + 1
	}
	var b []byte
	from := p.at // of the text that is not in b yet
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == quote[0] && strings.HasPrefix(p.text[p.at:], quote):
			end := p.at
			p.at += len(quote)
			for more := 0; long && more < 2 && strings.HasPrefix(p.text[p.at:], quote[:1]); more++ {
				end++ // up to two quotes may precede the end
				p.at++
			}
			if b == nil {
				return p.text[from:end], nil
			}
			return string(append(b, p.text[from:end]...)), nil
		case c == '\n' && !long:
			p.at = start
			return "", diag.Message("text must end with " + quote + " in the same line")
		case c == '\\' && quote[0] == '"':
			b = append(b, p.text[from:p.at]...)
			var err error
			if b, err = p.escape(b, long); err != nil {
				return "", err
			}
			from = p.at
			p.at--
		}
	}
	p.at = start
	return "", diag.Message("text must end with " + quote)
}

// escape appends what a backslash stands for.
func (p *tomlParser) escape(b []byte, long bool) ([]byte, error) {
	rest := p.text[p.at+1:]
	if rest == "" {
		return nil, diag.Message("text must not end with a backslash")
	}
	digits := 0
	switch c := rest[0]; c {
	case 'b', 't', 'n', 'f', 'r', 'e', '"', '\\':
		p.at += 2
		return append(b, "\b\t\n\f\r\x1b\"\\"[strings.IndexByte(`btnfre"\`, c)]), nil
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		end := trimLeft(rest, " \t\r\n")
		blanks := rest[:len(rest)-len(end)]
		if long && strings.HasPrefix(trimLeft(blanks, " \t\r"), "\n") {
			p.at += 1 + len(blanks)
			return b, nil
		}
	}
	if digits > 0 && len(rest) > digits {
		if n, err := strconv.ParseUint(rest[1:1+digits], 16, 32); err == nil && utf8.ValidRune(rune(n)) {
			p.at += 2 + digits
			return utf8.AppendRune(b, rune(n)), nil
		}
	}
	return nil, diag.Message("text has an invalid escape")
}
