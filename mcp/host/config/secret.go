package config

import (
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// secret adds a value for Hide. Inlined in all its callers it would be long.
//
//go:noinline
func (s *Server) secret(value string) { s.secrets = append(s.secrets, value) }

// secretURL adds the user info and the query values of a URL.
func (s *Server) secretURL(url string) {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return
	}
	rest, query, _ := strings.Cut(rest, "?")
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		_, password, _ := strings.Cut(host[:at], ":")
		s.secret(host[:at])
		s.secret(password)
		s.secret(unescape(password))
	}
	for _, part := range strings.Split(query, "&") {
		_, value, _ := strings.Cut(part, "=")
		s.secret(value)
		s.secret(unescape(value))
	}
}

// unescape returns s without percent-encoding, as a server reads it.
func unescape(s string) string {
	var b []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '+' {
			c = ' '
		} else if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c = byte(n)
				i += 2
			}
		}
		b = append(b, c)
	}
	return string(b)
}

// secretArgs adds the secret parts of arguments.
func (s *Server) secretArgs(args []string) {
	hidden := false
	for _, arg := range args {
		var public string
		if public, hidden = publicArg(arg, hidden); public == arg {
			continue
		}
		if prefix, masked := strings.CutSuffix(public, diag.Mask); masked && strings.HasPrefix(arg, prefix) {
			s.secret(arg[len(prefix):])
		}
		s.secretURL(arg)
	}
}

// Hide returns text with *** in place of each secret: values of variables and
// headers, tokens, and the user info and query of URLs. Only a Server that
// [Server.Expand] returned knows its secrets.
func (s *Server) Hide(text string) string { return diag.Redact(text, s.secrets...) }

// Public returns a copy without secrets, for status reports. References to
// variables are not secret.
func (s *Server) Public() *Server {
	p := s.copy()
	for i, v := range p.Env {
		if name, value, ok := strings.Cut(v, "="); ok && (s.Literal || !isReference(value)) {
			p.Env[i] = name + "=" + diag.Mask
		}
	}
	for name, value := range p.Headers {
		if s.Literal || !isReference(strings.TrimPrefix(value, "Bearer ")) {
			p.Headers[name] = diag.Mask
		}
	}
	p.maskSecret(&p.Auth.Token)
	p.maskSecret(&p.Auth.OAuth.ClientSecret)
	p.Auth.OAuth.Extra, p.Extra = nil, nil
	p.Overrides = publicOverrides(p.Overrides)
	p.URL = publicURL(p.URL)
	hidden := false
	for i, arg := range p.Args {
		p.Args[i], hidden = publicArg(arg, hidden)
	}
	return p
}

// Identity returns JSON text that tells servers apart: what reaches the server, and
// the file that says so. It has no secrets, and of Env only names. A Catalog of
// package host keeps what servers said under their identities.
func (s *Server) Identity() string {
	b := wire.AppendString([]byte(`{"name":`), s.Name)
	for _, part := range [...]struct{ key, value string }{
		{"source", s.Source}, {"cwd", s.Dir}, {"type", s.Type}, {"command", s.Command}, {"url", publicURL(s.URL)}, {"id", s.ID},
	} {
		if part.value != "" {
			b = wire.AppendString(wire.AppendKey(b, part.key), part.value)
		}
	}
	b = append(wire.AppendKey(b, "args"), '[')
	hidden := false
	for _, arg := range s.Args {
		arg, hidden = publicArg(arg, hidden)
		b = wire.AppendString(wire.AppendComma(b), arg)
	}
	b = append(wire.AppendKey(append(b, ']'), "env"), '[')
	names := make(map[string]string, len(s.Env))
	for _, v := range s.Env {
		name, _, _ := strings.Cut(v, "=")
		names[name] = name
	}
	for _, name := range wire.SortedKeys(names) {
		b = wire.AppendString(wire.AppendComma(b), name)
	}
	return string(append(b, "]}"...))
}

func (s *Server) maskSecret(text *string) {
	if *text != "" && (s.Literal || !isReference(*text)) {
		*text = diag.Mask
	}
}

// isReference reports whether text is a single reference to a variable.
func isReference(text string) bool {
	name, size := reference(text)
	return size > 0 && size == len(text) && !strings.Contains(name, ":-") && !strings.Contains(name, "|")
}

// publicURL returns a URL without user info and query.
func publicURL(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	if i := wire.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i] + "?..."
	}
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	return scheme + "://" + rest
}

// publicArg returns an argument without what looks like a secret. hidden means
// that the flag before it has a secret value; next means that the following one
// is.
func publicArg(arg string, hidden bool) (public string, next bool) {
	flag, value, hasValue := strings.Cut(arg, "=")
	isFlag := strings.HasPrefix(arg, "-")
	switch {
	case isReference(arg):
		return arg, false
	case hidden && !isFlag:
		return diag.Mask, false
	case hasValue && !strings.Contains(flag, "://") && (diag.IsSecretName(flag) || looksSecret(value)):
		return flag + "=" + diag.Mask, false
	case looksSecret(arg):
		return diag.Mask, false
	case strings.Contains(arg, "://"):
		return publicURL(arg), false
	}
	return arg, isFlag && diag.IsSecretName(flag)
}

// looksSecret reports whether text has a prefix of well-known tokens.
//
//go:noinline
func looksSecret(text string) bool {
	for _, prefix := range [...]string{"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xox", "AKIA", "AIza", "eyJ", "Bearer "} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
