package config

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// secret remembers a value that Hide is to hide.
func (s *Server) secret(value string) {
	if !slices.Contains(s.secrets, value) {
		s.secrets = append(s.secrets, value)
	}
}

// secretURL remembers what a URL has in front of its host and in its query.
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
	}
	for _, part := range strings.Split(query, "&") {
		_, value, _ := strings.Cut(part, "=")
		s.secret(value)
	}
}

// secretArgs remembers what of the arguments is not public.
func (s *Server) secretArgs() {
	hidden := false
	for _, arg := range s.Args {
		var public string
		if public, hidden = publicArg(arg, hidden); public == arg {
			continue
		}
		if prefix := strings.TrimSuffix(public, diag.Mask); strings.HasPrefix(arg, prefix) && !strings.Contains(arg, "://") {
			s.secret(arg[len(prefix):])
		}
		s.secretURL(arg)
	}
}

// Hide returns text with *** in place of what may be a secret: the
// values of variables and headers, tokens, and what a URL has in front of its
// host and in its query. They are known to what [Server.Expand] returns only.
func (s *Server) Hide(text string) string { return diag.Redact(text, s.secrets...) }

// Public returns a copy without what may be a secret, for status reports.
// Variables that have not been replaced are no secret.
func (s *Server) Public() *Server {
	p := s.copy()
	for i, v := range p.Env {
		if name, value, ok := strings.Cut(v, "="); ok && !isReference(value) {
			p.Env[i] = name + "=" + diag.Mask
		}
	}
	for name, value := range p.Headers {
		if !isReference(strings.TrimPrefix(value, "Bearer ")) {
			p.Headers[name] = diag.Mask
		}
	}
	maskSecret(&p.Auth.Token)
	maskSecret(&p.Auth.OAuth.ClientSecret)
	p.Auth.OAuth.Extra, p.Extra = nil, nil
	p.URL = publicURL(p.URL)
	hidden := false
	for i, arg := range p.Args {
		p.Args[i], hidden = publicArg(arg, hidden)
	}
	return p
}

func maskSecret(text *string) {
	if *text != "" && !isReference(*text) {
		*text = diag.Mask
	}
}

// isReference reports whether text is one variable.
func isReference(text string) bool {
	name, size := reference(text)
	return size > 0 && size == len(text) && !strings.Contains(name, ":-") && !strings.Contains(name, "|")
}

// publicURL returns a URL without user, password and query.
func publicURL(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i] + "?..."
	}
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	return scheme + "://" + rest
}

// publicArg returns an argument without what looks like a secret. hidden says
// that the flag before it asked for one; next, that this one does.
func publicArg(arg string, hidden bool) (public string, next bool) {
	flag, value, hasValue := strings.Cut(arg, "=")
	isFlag := strings.HasPrefix(arg, "-")
	switch {
	case isReference(arg):
		return arg, false
	case hidden && !isFlag:
		return diag.Mask, false
	case hasValue && (diag.IsSecretName(flag) || looksSecret(value)):
		return flag + "=" + diag.Mask, false
	case looksSecret(arg):
		return diag.Mask, false
	case strings.Contains(arg, "://"):
		return publicURL(arg), false
	}
	return arg, isFlag && diag.IsSecretName(flag)
}

// looksSecret reports whether text begins as the tokens of well-known services
// do, or as those of HTTP.
func looksSecret(text string) bool {
	for _, prefix := range [...]string{"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xox", "AKIA", "AIza", "eyJ", "Bearer "} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
