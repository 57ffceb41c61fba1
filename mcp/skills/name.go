package skills

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fileName returns the path below root of a URI. The path is valid on every
// system, also if a program creates the file: it has no escaped slash, no
// backslash, no colon and no control character.
func fileName(root, uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, root+"/")
	if !ok || control(rest, "?#") >= 0 {
		return "", false
	}
	var name []byte
	for more := true; more; {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		part, ok = unescapeURI(part)
		if !ok || part == "" || part == "." || part == ".." || control(part, "/\\:\t") >= 0 {
			return "", false
		}
		if name != nil {
			name = append(name, '/')
		}
		name = append(name, part...)
	}
	return string(name), true
}

// control returns the offset of the first control character, character of a set, or
// invalid UTF-8, or -1. A tab is no control character.
func control(s, set string) int {
	for i, c := range s {
		if c < ' ' && c != '\t' || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfeff ||
			c == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") || strings.IndexByte(set, s[i]) >= 0 {
			return i
		}
	}
	return -1
}

// unescapeURI decodes the escapes of a part of a URI, as url.PathUnescape does.
// Packages url and hex would link package fmt.
func unescapeURI(s string) (string, bool) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := uint64(s[i])
		if c == '%' {
			if i+3 > len(s) {
				return "", false
			}
			var err error
			if c, err = strconv.ParseUint(s[i+1:i+3], 16, 8); err != nil {
				return "", false
			}
			i += 2
		}
		b = append(b, byte(c))
	}
	return string(b), true
}

// escapeURI escapes a path for a URI.
func escapeURI(path string) string {
	const unescaped, digits = "-._~!$&'()*+,;=@/", "0123456789ABCDEF"
	var b []byte
	for i := range len(path) {
		c := path[i]
		if low := c | 0x20; (low < 'a' || low > 'z') && (c < '0' || c > '9') && strings.IndexByte(unescaped, c) < 0 {
			b = append(b, '%', digits[c>>4])
			c = digits[c&15]
		}
		b = append(b, c)
	}
	return string(b)
}

// span returns how many bytes at the beginning of s are of a set.
//
//go:noinline
func span(s, set string) int {
	n := 0
	for n < len(s) && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return n
}

const hexDigits = "0123456789abcdef"

// validName reports whether a name is one of the Agent Skills specification.
func validName(s string) bool {
	return s != "" && len(s) <= 64 && span(s, "abcdefghijklmnopqrstuvwxyz-0123456789") == len(s) &&
		s[0] != '-' && s[len(s)-1] != '-' && !strings.Contains(s, "--")
}

func validDigest(s string) bool {
	digits, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(digits) == 2*sha256.Size && span(digits, hexDigits) == len(digits)
}
