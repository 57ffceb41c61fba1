package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escape returns text of a server without terminal control sequences: control
// characters and those that reorder or hide text become escapes such as \u001b,
// which do not change the meaning of JSON. Line breaks and tabs stay.
func escape(s string) string { return escapeFunc(s, mustEscape) }

// escapeLine is escape for text that must stay on one line.
func escapeLine(s string) string {
	return escapeFunc(s, func(r rune) bool { return r == '\n' || r == '\t' || mustEscape(r) })
}

func escapeFunc(s string, matches func(rune) bool) string {
	var b strings.Builder
	done := 0 // s[:done] has been written
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '\r' && strings.HasPrefix(s[i:], "\r\n") && !matches('\n') {
			i += n // a line break of two characters
			continue
		}
		if broken := r == utf8.RuneError && n == 1; broken || matches(r) {
			b.WriteString(s[done:i])
			if broken {
				b.WriteString(`\x` + strconv.FormatUint(uint64(s[i]), 16))
			} else {
				b.WriteString(escaped(r))
			}
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// mustEscape reports whether a terminal might interpret r instead of showing it.
func mustEscape(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case 0x7f <= r && r <= 0x9f: // DEL and C1
		return true
	case r == 0x61c, r == 0x200e, r == 0x200f, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069: // bidirectional
		return true
	case r == 0x2028, r == 0x2029: // line breaks to some
		return true
	case 0xe0000 <= r && r <= 0xe007f: // tags, which are invisible
		return true
	}
	return false
}

// escaped returns the JSON escape of r.
func escaped(r rune) string {
	if r > 0xffff {
		r -= 0x10000
		return escaped(0xd800+r>>10) + escaped(0xdc00+r&0x3ff)
	}
	hex := strconv.FormatUint(uint64(r), 16)
	return `\u` + "0000"[len(hex):] + hex
}
