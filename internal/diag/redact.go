package diag

import (
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Mask replaces a secret.
const Mask = "***"

// minSecret is the length in bytes of the shortest secret that Redact replaces.
// Shorter values, such as ports and switches, occur in too many words.
const minSecret = 5

// minEncoded is the length in bytes of the shortest secret that Redact replaces in
// base64, where a few characters occur in many words.
const minEncoded = 8

// Redact returns s with [Mask] in place of the secrets, in whichever form s
// quotes them: as they are, URL-encoded, inside a JSON or Go string, or, from 8
// bytes on, in base64, alone or as a part of what is encoded. It ignores secrets
// shorter than 5 bytes.
func Redact(s string, secrets ...string) string {
	var hidden []bool // for each byte of s; nil when no secret was found
	for _, secret := range secrets {
		if len(secret) < minSecret || len(s) < len(secret) { // its other forms are no shorter
			continue
		}
		hidden = hide(hidden, s, secret)
		for _, form := range forms(secret) {
			if form != secret {
				hidden = hide(hidden, s, form)
			}
		}
	}
	if hidden == nil {
		return s
	}
	var b []byte
	for i := range len(s) {
		switch {
		case !hidden[i]:
			b = append(b, s[i])
		case i == 0 || !hidden[i-1]:
			b = append(b, Mask...)
		}
	}
	return string(b)
}

// Forms returns the texts that Redact replaces for a secret; some may be equal.
func Forms(secret string) []string {
	if len(secret) < minSecret {
		return nil
	}
	return append(forms(secret), secret)
}

// forms returns how a secret may appear in a text.
func forms(secret string) []string {
	quoted := inner(wire.Quote(secret))
	json := inner(string(wire.AppendString(nil, secret)))
	short := replace(replace(json, `\u0008`, `\b`), `\u000c`, `\f`)
	list := []string{inner(strconv.Quote(secret)), quoted, json, short, htmlSafe(short), replace(quoted, "/", `\/`), htmlSafe(quoted)}
	upper := queryEscape(secret)
	for _, escaped := range [...]string{upper, replace(upper, "+", "%20"), escape(secret, unreserved+"$&+:=@")} {
		list = append(list, escaped, lowerHex(escaped))
	}
	if len(secret) < minEncoded {
		return list
	}
	// In base64, the characters that depend only on the secret are others for
	// each number of bytes in front of it, modulo 3.
	for before, first := range [...]int{0, 2, 3} {
		text := append(make([]byte, before, before+len(secret)), secret...)
		std := string(wire.AppendBase64(nil, text)[1+first : 1+len(text)*8/6]) // without the quotes
		list = append(list, std, replace(replace(std, "+", "-"), "/", "_"))
	}
	return list
}

// htmlSafe escapes a JSON string further, as encoding/json does.
func htmlSafe(s string) string {
	for _, c := range [...][2]string{{"<", `\u003c`}, {">", `\u003e`}, {"&", `\u0026`}} {
		s = replace(s, c[0], c[1])
	}
	return s
}

// lowerHex writes percent-encoding in lower case.
func lowerHex(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			b[i+1], b[i+2] = lowerDigit(b[i+1]), lowerDigit(b[i+2])
			i += 2
		}
	}
	return string(b)
}

func lowerDigit(c byte) byte {
	if 'A' <= c && c <= 'F' {
		c += 'a' - 'A'
	}
	return c
}

// HideUserinfo returns s with [Mask] in place of the user and password of URLs.
func HideUserinfo(s string) string {
	var b []byte
	for {
		i := strings.Index(s, "://")
		if i < 0 {
			return string(append(b, s...))
		}
		b, s = append(b, s[:i+3]...), s[i+3:]
		end := wire.IndexAny(s, "/?# \t\r\n\"'<>")
		if end < 0 {
			end = len(s)
		}
		if at := strings.LastIndexByte(s[:end], '@'); at >= 0 {
			b, s = append(b, Mask...), s[at:]
		}
	}
}

// hide marks the bytes of s that belong to text, wherever it occurs.
// Occurrences may overlap.
func hide(hidden []bool, s, text string) []bool {
	i := strings.Index(s, text)
	if i < 0 {
		return hidden
	}
	if hidden == nil {
		hidden = make([]bool, len(s))
	}
	// border[n] is the length of the longest beginning of text[:n] that is also its end,
	// where the next occurrence can begin (Knuth, Morris and Pratt). A search from each
	// byte would take minutes if a server repeated a long token of one character.
	border := make([]int, len(text)+1)
	for n, same := 1, 0; n < len(text); n++ {
		for same > 0 && text[n] != text[same] {
			same = border[same]
		}
		if text[n] == text[same] {
			same++
		}
		border[n+1] = same
	}
	marked := 0
	for same := 0; i < len(s); i++ {
		for same > 0 && s[i] != text[same] {
			same = border[same]
		}
		if s[i] == text[same] {
			same++
		}
		if same == len(text) {
			for marked = max(marked, i+1-same); marked <= i; marked++ {
				hidden[marked] = true
			}
			same = border[same]
		}
	}
	return hidden
}

// replace is strings.ReplaceAll, which would add 6 KB to a program.
func replace(s, old, by string) string {
	var b []byte
	for {
		before, after, found := strings.Cut(s, old)
		if b = append(b, before...); !found {
			return string(b)
		}
		b, s = append(b, by...), after
	}
}

// inner returns what is between the quotes of s.
//
//go:noinline
func inner(s string) string { return s[1 : len(s)-1] }

// queryEscape is url.QueryEscape, without package net/url.
func queryEscape(s string) string { return replace(escape(s, unreserved), "%20", "+") }

const unreserved = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.~"

// escape escapes all bytes but those in kept.
func escape(s, kept string) string {
	var b []byte
	for i := range len(s) {
		switch c := s[i]; {
		case strings.IndexByte(kept, c) >= 0:
			b = append(b, c)
		default:
			b = append(b, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return string(b)
}

// IsSecretName reports whether the value of a header field, a variable or a
// flag with this name may be a secret.
func IsSecretName(name string) bool {
	name = Letters(name)
	for _, part := range [...]string{"auth", "cookie", "key", "token", "secret", "session", "pwd", "jwt", "bearer", "passw", "passphrase", "credential", "header"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// Letters returns name in lower case, without hyphens and underscores. Package
// strings would link its tables of Unicode.
//
//go:noinline
func Letters(name string) string {
	var b []byte
	for _, c := range []byte(name) {
		switch {
		case c == '-' || c == '_':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}
