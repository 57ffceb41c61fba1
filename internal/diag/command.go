package diag

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Mask replaces a secret.
const Mask = "***"

// PublicArgs returns the words of a command as texts may show them, and what [Mask]
// has replaced in them: the values of flags, variables, fields and members with the
// names of secrets, tokens with well-known prefixes, arguments with keys in PEM, the
// passwords in user:password after -u and flags that end in -user, headers after -H, and
// the users, passwords and queries of URLs and connection strings. It also reads the
// inside of words, which may be a command for a shell, or JSON. In doubt it masks more.
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
	user    bool   // the part before was -u, --user or the like, whose value may be user:password
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
			begin := i
			if i += m.part(part, i == 0); m.hidden == word && i < end && begin > 0 && strings.IndexByte(quotes, s[begin-1]) >= 0 {
				m.hidden = line // 'name=value', where the value may have blanks
			}
			if last := part[len(part)-1]; (last == '=' || last == ':' && m.hidden == word) && i == end && (i == len(s) || strings.IndexByte(blanks, s[i]) >= 0) {
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
	name, user := m.name, m.user || isUser(s[:min(2, len(s))])
	m.name, m.user = false, isUser(s) || m.user && s == ","
	n, hidden := len(s), word
	switch {
	case name && (s[0] == ':' || s[0] == '='): // "name" : "value"
		n, hidden = 1, line
		for n < len(s) && strings.IndexByte(`:=>\`, s[n]) >= 0 {
			n++
		}
	case LooksSecret(s):
		n = 0
	case isScheme(s):
	default:
		n = m.pairs(s, first, user)
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

// pairs is part for name=value, name:value, URLs, connection strings and, if user is set,
// user:password.
func (m *argMask) pairs(s string, first, user bool) int {
	isURL, inHost := false, false
	from, start, last := 0, 0, strings.LastIndexByte(s, '@')
	for p := 0; p < len(s); p++ {
		switch c := s[p]; {
		case (c == '?' || c == '#') && isURL:
			m.put(s[from:p], "")
			m.put("?...", "")
			m.secrets = append(m.secrets, s[p+1:])
			return len(s)
		case c == ';' || c == '&' || c == '?':
			if first = first || c == ';'; !inHost { // the values of a connection string may have spaces
				start = p + 1
			}
		case c == '/':
			inHost = false
		case c == '@' && inHost:
			m.put(s[from:start], s[start:p])
			from, inHost = p, false
		case c == ':' && strings.HasPrefix(s[p:], "://"):
			p += 2
			isURL, inHost, user, start = true, true, false, p+1
		case c == ':' || c == '=':
			user = user || isUser(s[start:p])
			password := c == ':' && (user && isPassword(s[:p], s[p+1:]) || strings.HasPrefix(s, "-H"))
			if password || IsSecretName(s[start:p]) || LooksSecret(s[p+1:]) {
				m.put(s[from:p+1], "")
				switch {
				case first && (c == '=' || p+1 < len(s) || !user):
					m.hidden = rest
				case c == ':' && !user:
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

// isUser reports whether the value of a flag may be user:password.
//
//go:noinline
func isUser(flag string) bool {
	return flag == "-u" || flag == "-U" || strings.HasPrefix(flag, "-") && strings.HasSuffix(flag, "-user")
}

// isPassword reports whether user:s is a user and a password, and not uid:gid.
func isPassword(user, s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || '9' < c {
			return true
		}
	}
	return user == "" || user[len(user)-1] > '9'
}

func isScheme(s string) bool {
	s = Letters(s)
	return s == "bearer" || s == "basic" || s == "dpop"
}

// IsSecretName reports whether the value of a header field, a variable or a
// flag with this name may be a secret.
func IsSecretName(name string) bool {
	name, last := letters(name)
	// compass and path are not
	return strings.Contains(",pass,pat,pin,otp,pw,sig,sas,", ","+last+",") || HasWord(name, secretNames, len(name))
}

// secretNames are parts of the names of secrets, and tokens the prefixes of well-known
// tokens and of keys in PEM in base64.
const (
	secretNames = "auth,cookie,key,token,secret,session,pwd,jwt,bearer,passw,passphrase,passcode,pswd,dbpass,userpass,cred,header,signat"
	tokens      = "sk-,sk_,xai-,rk_,whsec_,ghp_,gho_,ghu_,ghs_,ghr_,github_p,glpat-,glptt-,glrt-,gldt-,glsa_,xox,xapp-,AKIA,ASIA,AIza,GOCSPX,ya29.,eyJ,Bearer ," +
		"npm_,pypi-A,hf_,dop_v,SG.,shpat_,shpss_,dckr_,lin_a,ntn_,gsk_,r8_,hvs.,pplx-,tvly-,figd_,sbp_,sntr,ATAT,PMAK-,LS0tLS1"
)

// HasWord reports whether text has one of the words of a list, which commas separate, at
// max or before.
func HasWord(text, list string, max int) bool {
	for more := true; more; {
		var word string
		word, list, more = strings.Cut(list, ",")
		if i := strings.Index(text, word); 0 <= i && i <= max {
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

// letters returns Letters, and those of its last word. Inlined in both callers, it would
// add 1 KB to a stdio program.
//
//go:noinline
func letters(name string) (all, last string) {
	b, from := make([]byte, 0, len(name)), 0
	for i, c := range []byte(name) {
		switch {
		case c == '-' || c == '_':
			from = len(b)
			continue
		case 'A' <= c && c <= 'Z':
			if i > 0 && name[i-1] >= 'a' {
				from = len(b) // of userPass
			}
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b), string(b[from:])
}

// LooksSecret reports whether text has a prefix of well-known tokens.
func LooksSecret(text string) bool { return HasWord(text[:min(len(text), 16)], tokens, 0) }

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
