package main

import (
	"strconv"
	"strings"
	"unicode"
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

// escapeName is escapeLine for names and titles, in which invisible characters
// would make two of them look alike. It leaves those that belong to an emoji.
func escapeName(s string) string {
	var last rune
	return escapeFunc(s, func(r rune) bool {
		joins := (r == 0x200d || r == 0xfe0f) && (last == 0xfe0f || unicode.In(last, unicode.So, unicode.Sk))
		last = r
		return r == '\n' || r == '\t' || mustEscape(r) || isInvisible(r) && !joins
	})
}

// isInvisible reports whether r takes up no space, or looks like a space without
// being one. Some of them have a use in text, but none in a name.
func isInvisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case 0x180b <= r && r <= 0x180f, 0x200b <= r && r <= 0x200d, 0x2060 <= r && r <= 0x206f, 0xfe00 <= r && r <= 0xfe0f,
		0xfff0 <= r && r <= 0xfffb, 0x1d173 <= r && r <= 0x1d17a, 0xe0100 <= r && r <= 0xe0fff:
		return true
	}
	return false
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
