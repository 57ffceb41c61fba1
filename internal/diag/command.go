package diag

import (
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Mask replaces a secret.
const Mask = "***"

// PublicArgs returns the words of a command as texts may show them, and what [Mask]
// has replaced in them: the values of flags, variables, fields and members with the
// names of secrets, tokens with well-known prefixes, arguments with keys in PEM, the value
// of -u if it is user:password, and the users, passwords and queries of URLs and
// connection strings. It also reads the inside of words, which may be a command for a
// shell, or JSON. In doubt it masks more.
func PublicArgs(args ...string) (public, secrets []string) {
	var m argMask
	for _, arg := range args {
		m.b = nil
		m.arg(arg)
		public = append(public, string(m.b))
	}
	return public, m.secrets
}

// An argMask masks the arguments of a command in turn, in one pass.
type argMask struct {
	b       []byte // the argument
	secrets []string
	hidden  extent // of the secret that follows
	name    bool   // the part before was the name of a secret
	user    bool   // the part before was -u or --user, whose value may be user:password
}

// An extent is how far a secret reaches.
type extent uint8

const (
	nothing extent = iota
	word
	line // or quotation
	rest // of the argument
)

func (m *argMask) arg(s string) {
	if m.hidden != nothing && !isFlag(s) || strings.Contains(s, "-----BEGIN") { // a key in PEM
		if s == "" {
			m.put(Mask, "") // as every other value
		}
		m.put("", s)
		if m.hidden = nothing; strings.HasPrefix(s, "-") && IsSecretName(s) {
			m.hidden = word
		}
		return
	}
	m.hidden = nothing
	for i := 0; i < len(s); {
		end := i + wire.IndexAny(s[i:], blanks+quotes)
		if end == i {
			m.put(s[i:i+1], "")
			i++
			continue
		}
		if end < i {
			end = len(s)
		}
		part := s[i:end]
		if m.hidden == word && isFlag(part) {
			m.hidden = nothing
		}
		if m.hidden == nothing {
			i += m.part(part, i == 0)
			if part[len(part)-1] == '=' && i == end && (i == len(s) || strings.IndexByte(blanks, s[i]) >= 0) {
				m.hidden = nothing // an empty value
			}
			continue
		}
		end = m.end(s, i)
		if m.put("", s[i:end]); !isScheme(s[i:end]) {
			m.hidden = nothing
		}
		i = end
	}
}

const (
	blanks = " \t\r\n"
	quotes = "'\"`"
)

// put appends a public text, and the mask of the secret after it if there is one. It
// stays out of line: 2.8 KB of a stdio program.
//
//go:noinline
func (m *argMask) put(public, secret string) {
	m.b = append(m.b, public...)
	if secret != "" {
		m.b = append(m.b, Mask...)
		m.secrets = append(m.secrets, secret)
	}
}

// part appends the beginning of a part of an argument that is public and returns its
// length. If that is not all, what follows is secret, and m.hidden is set.
func (m *argMask) part(s string, first bool) int {
	name, user := m.name, m.user
	m.name, m.user = false, s == "-u" || s == "--user"
	n, hidden := len(s), word
	switch {
	case name && (s[0] == ':' || s[0] == '='): // "name" : "value"
		n, hidden = 1, line
		for n < len(s) && strings.IndexByte(`:=>\`, s[n]) >= 0 {
			n++
		}
	case LooksSecret(s):
		n = 0
	case user && hasPassword(s):
		if n = 0; first {
			hidden = rest
		}
	case isScheme(s):
	default:
		n = m.pairs(s, first)
		if n == len(s) && m.hidden == nothing {
			switch m.name = IsSecretName(s); {
			case s == "-H":
				m.hidden = line
			case m.name && s[0] == '-':
				m.hidden = word
			}
		}
		return n
	}
	m.hidden = hidden
	m.put(s[:n], "")
	return n
}

// pairs is part for name=value, name:value, URLs and connection strings.
func (m *argMask) pairs(s string, first bool) int {
	isURL, inHost := false, false
	from, start, last := 0, 0, strings.LastIndexByte(s, '@')
	for p := 0; p < len(s); p++ {
		switch c := s[p]; {
		case (c == '?' || c == '#') && isURL:
			m.put(s[from:p], "")
			m.put("?...", "")
			m.secrets = append(m.secrets, s[p+1:])
			return len(s)
		case c == ';': // a connection string, whose values may have spaces
			first = true
		case c == '/':
			inHost = false
		case c == '@' && inHost:
			m.put(s[from:start], s[start:p])
			from, inHost = p, false
		case c == ':' && strings.HasPrefix(s[p:], "://"):
			p += 2
			isURL, inHost, start = true, true, p+1
		case c == ':' || c == '=':
			if IsSecretName(s[start:p]) || LooksSecret(s[p+1:]) {
				m.put(s[from:p+1], "")
				switch {
				case first:
					m.hidden = rest
				case c == ':':
					m.hidden = line
				default:
					m.hidden = word
				}
				return p + 1
			}
			if c == ':' && p < last { // the password may contain any character
				m.put(s[from:start], s[start:last])
				from, p, inHost = last, last, false
			}
			start = p + 1
		}
	}
	m.put(s[from:], "")
	return len(s)
}

// end returns where the secret that begins at i ends.
func (m *argMask) end(s string, i int) int {
	switch {
	case m.hidden == rest || s[i] == '{' || s[i] == '[':
		return len(s)
	case i > 0 && strings.IndexByte(quotes, s[i-1]) >= 0:
		return closing(s, i)
	case m.hidden == line:
		if n := wire.IndexAny(s[i:], quotes+"\n"); n >= 0 {
			return i + n
		}
		return len(s)
	}
	for ; i < len(s) && strings.IndexByte(blanks, s[i]) < 0; i++ {
		if strings.IndexByte(quotes, s[i]) >= 0 {
			if i = closing(s, i+1); i == len(s) {
				break
			}
		}
	}
	return i
}

// closing returns the end of the quotation that begins at i. The quotes may be
// escaped; if they are not, those inside are.
func closing(s string, i int) int {
	escaped := i > 1 && s[i-2] == '\\'
	for j := i; j < len(s); j++ {
		if s[j] == s[i-1] && (escaped || s[j-1] != '\\') {
			return j
		}
	}
	return len(s)
}

// isFlag reports whether an argument is a flag and not the value of one before.
func isFlag(s string) bool { return strings.HasPrefix(s, "--") || len(s) == 2 && s[0] == '-' }

// hasPassword reports whether the value of -u is user:password. It may be uid:gid or a URL.
func hasPassword(s string) bool {
	_, s, _ = strings.Cut(s, ":")
	_, err := strconv.Atoi(s)
	return s != "" && err != nil && !strings.HasPrefix(s, "//")
}

// isScheme reports whether s is an HTTP authentication scheme, which a secret follows.
func isScheme(s string) bool {
	s = Letters(s)
	return s == "bearer" || s == "basic" || s == "dpop"
}

// IsSecretName reports whether the value of a header field, a variable or a
// flag with this name may be a secret.
func IsSecretName(name string) bool {
	name, last := letters(name)
	if last == "pass" || last == "pat" {
		return true // compass and path are not
	}
	for _, part := range [...]string{"auth", "cookie", "key", "token", "secret", "session", "pwd", "jwt", "bearer", "passw", "passphrase", "cred", "header"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// Letters returns name in lower case, without hyphens and underscores. Package
// strings would link its tables of Unicode.
func Letters(name string) string {
	all, _ := letters(name)
	return all
}

// letters returns Letters, and those behind the last hyphen or underscore.
// Inlined, it would add 4 KB to mcpecho.
//
//go:noinline
func letters(name string) (all, last string) {
	b, from := make([]byte, 0, len(name)), 0
	for _, c := range []byte(name) {
		switch {
		case c == '-' || c == '_':
			from = len(b)
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b), string(b[from:])
}

// LooksSecret reports whether text has a prefix of well-known tokens.
func LooksSecret(text string) bool {
	for _, prefix := range [...]string{"sk-", "sk_", "gh", "github_pat_", "glpat-", "npm_", "hf_", "xox", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "eyJ", "Bearer "} {
		if strings.HasPrefix(text, prefix) {
			return prefix != "gh" || len(text) > 3 && text[3] == '_' // ghp_, gho_, ghs_ and so on
		}
	}
	return false
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
