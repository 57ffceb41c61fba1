package terminal

import (
	"bytes"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Indent returns indented JSON, and text that is not JSON as it is. It is
// json.Indent, which would add 0.1 MB to the program.
func Indent(raw []byte) string {
	if wire.Valid(raw) != nil {
		return string(raw)
	}
	var b bytes.Buffer
	line, empty, quoted := "\n", false, false
	for i := 0; i < len(raw); i++ {
		ch := raw[i]
		if quoted {
			b.WriteByte(ch)
			if ch == '\\' {
				i++
				b.WriteByte(raw[i])
			}
			quoted = ch != '"'
			continue
		}
		if strings.IndexByte(" \t\r\n", ch) >= 0 {
			continue
		}
		if ch == '}' || ch == ']' {
			line = line[:len(line)-2]
		}
		if empty != (ch == '}' || ch == ']') {
			b.WriteString(line)
		}
		b.WriteByte(ch)
		empty = ch == '{' || ch == '['
		switch {
		case empty:
			line += "  "
		case ch == ',':
			b.WriteString(line)
		case ch == ':':
			b.WriteByte(' ')
		}
		quoted = ch == '"'
	}
	return b.String()
}

// ColorJSON returns escaped, indented JSON with styles: keys, strings and other
// values differ. They are readable on black and on white, as green and cyan are not.
func ColorJSON(text string, st func(Style, string) string) string {
	var b bytes.Buffer
	for i := 0; i < len(text); {
		start := i
		switch ch := text[i]; {
		case ch == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(text))
			kind := Plain
			if strings.HasPrefix(text[i:], ":") {
				kind = Bold
			}
			b.WriteString(st(kind, text[start:i]))
		case strings.IndexByte("{}[]:, \n\t\r", ch) >= 0:
			b.WriteByte(ch)
			i++
		default:
			for i < len(text) && strings.IndexByte("{}[]:, \n\t\r\"", text[i]) < 0 {
				i++
			}
			b.WriteString(st(magenta, text[start:i]))
		}
	}
	return b.String()
}

// PlainJSON returns the text of a JSON string, and other JSON unchanged.
func PlainJSON(raw []byte) string {
	r := wire.NewReader(raw)
	if r.Kind() == wire.String {
		return r.String()
	}
	return string(raw)
}
