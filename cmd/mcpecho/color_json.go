package main

import "strings"

// colorJSON returns escaped, indented JSON with styles: keys, strings and other
// values differ.
func colorJSON(text string, st func(style, string) string) string {
	var b strings.Builder
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
			kind := green
			if strings.HasPrefix(text[i:], ":") {
				kind = cyan
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
