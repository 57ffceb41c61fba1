package display

import (
	"strconv"
	"unicode/utf8"
)

// EscapeName returns a name on one line with control and hidden characters as the
// escapes of JSON, such as \u200b, and with other bytes as \xff. It leaves all else.
func EscapeName(s string) string {
	return Escape(s, func(before, r, after rune) bool {
		return r < ' ' || 0x7f <= r && r <= 0x9f || r == 0x2028 || r == 0x2029 || IsHidden(before, r, after)
	})
}

// Escape returns text with the characters that match, and with bytes that are not
// UTF-8, as escapes. before and after are 0 at the ends.
func Escape(s string, matches func(before, r, after rune) bool) string {
	var b []byte
	done := 0 // s[:done] has been written
	before := rune(0)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		after, _ := utf8.DecodeRuneInString(s[i+n:])
		if i+n == len(s) {
			after = 0
		}
		broken := r == utf8.RuneError && n == 1
		if broken || matches(before, r, after) {
			b = append(b, s[done:i]...)
			if broken {
				b = append(b, `\x`...)
				b = strconv.AppendUint(b, uint64(s[i]), 16)
			} else {
				b = appendEscape(b, r)
			}
			done = i + n
		}
		before, i = r, i+n
	}
	if done == 0 {
		return s
	}
	return string(append(b, s[done:]...))
}

// appendEscape appends the JSON escape of r.
func appendEscape(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return appendEscape(appendEscape(b, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	hex := strconv.FormatUint(uint64(r), 16)
	return append(append(append(b, `\u`...), "0000"[len(hex):]...), hex...)
}
