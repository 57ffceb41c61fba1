package skills

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPath is how long the path of a file may be, in bytes: what the strictest common
// system, macOS, allows. Without a limit, one path could have millions of directories.
const maxPath = 1024

// fileName returns the path of a URI below root, which ends with a slash, or "". The
// path has at most maxPath bytes and no empty or dotted part, escaped slash, backslash,
// colon, line break or control character, and so stays in its directory on every system.
func fileName(root, uri string) string {
	rest, ok := strings.CutPrefix(uri, root)
	b, n := make([]byte, len(rest)), 0
	for i := 0; i < len(rest); i++ {
		c := uint64(rest[i])
		switch {
		case c == '?' || c == '#':
			c = 0 // a control character, which is not valid
		case c == '%': // packages url and hex would link package fmt
			end := min(i+3, len(rest)) // one digit is a control character, too
			var err error
			if c, err = strconv.ParseUint(rest[i+1:end], 16, 8); err != nil || c == '/' {
				c = 0
			}
			i = end - 1
		}
		b[n] = byte(c)
		n++
	}
	name := string(b[:n])
	if path := "/" + name + "/"; !ok || n > maxPath || control(name, "\\:\t\n") >= 0 || strings.ContainsAny(name, "\u0085\u2028\u2029") || strings.Contains(path, "//") || hasDots(path) {
		return ""
	}
	return name
}

// hasDots reports whether a path has a segment of one dot or two.
func hasDots(path string) bool {
	return strings.Contains(path, "/./") || strings.Contains(path, "/../")
}

// control returns the offset of the first control character, character of a set, or
// invalid UTF-8, or -1. Tabs and line breaks do not count as control characters.
func control(s, set string) int {
	for i, c := range s {
		if c < ' ' && c != '\t' && c != '\n' && (c != '\r' || !strings.HasPrefix(s[i:], "\r\n")) || c >= 0x7f && c < 0xa0 && c != 0x85 || c == 0xfeff ||
			c == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") || strings.IndexByte(set, s[i]) >= 0 {
			return i
		}
	}
	return -1
}

func escapeURI(path string) string {
	const digits = "0123456789ABCDEF"
	b, n := make([]byte, 3*len(path)), 0
	for i := range len(path) {
		c := path[i]
		if span(path[i:i+1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=@/") == 0 {
			b[n], b[n+1] = '%', digits[c>>4]
			c = digits[c&15]
			n += 2
		}
		b[n] = c
		n++
	}
	return string(b[:n])
}

// span returns how many bytes at the beginning of s are of a set.
func span(s, set string) int {
	n := 0
	for n < len(s) && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return n
}

// validName reports whether a name is one of the Agent Skills specification.
func validName(s string) bool {
	return s != "" && len(s) <= 64 && span(s, "abcdefghijklmnopqrstuvwxyz-0123456789") == len(s) &&
		s[0] != '-' && s[len(s)-1] != '-' && !strings.Contains(s, "--")
}
