package mcp

import (
	"errors"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Expand returns the URI for the given variables, whose values are strings or
// []string (RFC 6570). It omits variables without a value. It returns an error
// for an invalid template or value.
func (t *ResourceTemplate) Expand(values map[string]any) (string, error) {
	uri, err := expandTemplate(t.URITemplate, values)
	if err == errTemplate {
		err = errors.New(err.Error() + " " + wire.Quote(t.URITemplate))
	}
	return uri, err
}

// expandTemplate expands the expressions of a template.
func expandTemplate(rest string, values map[string]any) (string, error) {
	var uri []byte
	for {
		before, after, found := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return "", errTemplate
		}
		uri = append(uri, escapeURI(before, true)...)
		if !found {
			return string(uri), nil
		}
		expression, after, closed := strings.Cut(after, "}")
		if !closed {
			return "", errTemplate
		}
		text, err := expand(expression, values)
		if err != nil {
			return "", err
		}
		uri, rest = append(uri, text...), after
	}
}

var errTemplate = errors.New("invalid URI template")

// An operator determines how an expression is expanded (RFC 6570, Appendix A).
type operator struct {
	first, sep string
	named      bool   // values are preceded by their names
	empty      string // follows the name of an empty value
	reserved   bool   // reserved characters are not escaped
}

func operatorFor(c byte) (op operator, special bool) {
	switch c {
	case '+':
		return operator{"", ",", false, "", true}, true
	case '#':
		return operator{"#", ",", false, "", true}, true
	case '.', '/':
		return operator{string(c), string(c), false, "", false}, true
	case ';':
		return operator{";", ";", true, "", false}, true
	case '?', '&':
		return operator{string(c), "&", true, "=", false}, true
	}
	return operator{"", ",", false, "", false}, false
}

// expand returns the expansion of an expression.
func expand(expression string, values map[string]any) (string, error) {
	if expression == "" {
		return "", errTemplate
	}
	op, special := operatorFor(expression[0])
	if special {
		expression = expression[1:]
	}
	var parts []string
	for spec := range strings.SplitSeq(expression, ",") {
		name, explode := strings.CutSuffix(spec, "*")
		name, length, prefixed := strings.Cut(name, ":")
		limit, err := strconv.Atoi(length)
		if !isVariable(name) || prefixed && (err != nil || explode || length[0] < '1' || len(length) > 4) {
			return "", errTemplate
		}
		var list []string
		switch v := values[name].(type) {
		case nil:
			continue
		case string:
			if prefixed {
				v = firstRunes(v, limit)
			}
			list, explode = []string{v}, false
		case []string:
			if prefixed {
				return "", errors.New("the variable " + wire.Quote(name) + " is a list, which has no prefix")
			}
			if len(v) == 0 {
				continue
			}
			list = v
		default:
			return "", errors.New("the variable " + wire.Quote(name) + " is neither a string nor a list of strings")
		}
		parts = append(parts, op.joinValues(name, list, explode)...)
	}
	if parts == nil {
		return "", nil
	}
	return op.first + strings.Join(parts, op.sep), nil
}

// joinValues returns the parts of an expression for one variable.
func (op *operator) joinValues(name string, list []string, explode bool) []string {
	escaped := make([]string, len(list))
	for i, v := range list {
		escaped[i] = escapeURI(v, op.reserved)
	}
	if !explode {
		escaped = []string{strings.Join(escaped, ",")}
	}
	if op.named {
		for i, v := range escaped {
			if v == "" {
				escaped[i] = name + op.empty
			} else {
				escaped[i] = name + "=" + v
			}
		}
	}
	return escaped
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// isVariable reports whether s is valid as the name of a variable.
func isVariable(s string) bool {
	for i := range len(s) {
		c := s[i]
		dot := c == '.' && i > 0 && i < len(s)-1 && s[i-1] != '.'
		if !isAlphanumeric(c) && c != '_' && c != '%' && !dot {
			return false
		}
	}
	return s != ""
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// escapeURI escapes the characters that are not allowed in a URI. If reserved is
// set it leaves reserved characters and existing escapes as they are.
func escapeURI(s string, reserved bool) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	for i := range len(s) {
		c := s[i]
		switch {
		case isAlphanumeric(c), strings.IndexByte("-._~", c) >= 0,
			reserved && strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0,
			reserved && c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b = append(b, c)
		default:
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
