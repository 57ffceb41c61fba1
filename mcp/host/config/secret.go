package config

import (
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
)

// secretURL adds the user info and the query values of a URL.
func (s *Server) secretURL(url string) {
	_, rest, ok := cut(url, "://")
	if !ok {
		return
	}
	rest, query, _ := cut(rest, "?")
	host, _, _ := cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		_, password, _ := cut(host[:at], ":")
		s.secrets = append(s.secrets, host[:at], password, unescape(password))
	}
	for part := range strings.SplitSeq(query, "&") {
		_, value, _ := cut(part, "=")
		if value == "" {
			continue
		}
		s.secrets = append(s.secrets, value, unescape(value))
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
	public, secrets := diag.PublicArgs(args...)
	for i, arg := range args {
		if public[i] != arg { // with the quotes that a shell would remove
			_, value, _ := cut(arg, "=")
			s.secrets = append(s.secrets, arg, value)
		}
	}
	for _, secret := range secrets {
		first, _, _ := cut(secret, " ") // the mask may cover more than the secret
		_, password, _ := cut(secret, ":")
		for _, text := range [...]string{secret, first, password} {
			s.secrets = append(s.secrets, text, unescape(text))
		}
		s.secretURL("://?" + secret)
	}
}

// Hide returns text with *** in place of each secret: values of variables and
// headers, tokens, and the user info and query of URLs. Of the variables that
// InheritEnv passes on, the values of those are secret whose names suggest it, such as
// API_KEY. Only a Server that [Server.Expand] returned knows its secrets.
func (s *Server) Hide(text string) string {
	if s.hidden == nil {
		return text
	}
	return s.hidden.Redact(text, s.secrets...)
}

// Public returns a copy without secrets, for status reports. References to
// variables are not secret.
func (s *Server) Public() *Server {
	p := s.copy()
	for i, v := range p.Env {
		if name, value, ok := cut(v, "="); ok && (s.Literal || !settings.IsReference(value)) {
			p.Env[i] = name + "=" + diag.Mask
		}
	}
	for name, value := range p.Headers {
		if s.Literal || !settings.IsReference(strings.TrimPrefix(value, "Bearer ")) {
			p.Headers[name] = diag.Mask
		}
	}
	p.maskSecret(&p.Auth.Token)
	p.maskSecret(&p.Auth.OAuth.ClientSecret)
	for _, t := range p.Auth.OAuth.texts() {
		*t.value = settings.PublicURL(*t.value)
	}
	p.Auth.Header, p.Auth.OAuth.RedirectURI = settings.PublicURL(p.Auth.Header), settings.PublicURL(p.Auth.OAuth.RedirectURI)
	p.Auth.OAuth.Extra, p.Extra = nil, nil
	p.Overrides = publicOverrides(p.Overrides)
	p.URL = settings.PublicURL(p.URL)
	p.Args = settings.PublicArgs(p.Args)
	p.texts(func(_, _, text string) string { return s.Hide(text) }) // what Expand has put there
	return p
}

func (s *Server) maskSecret(text *string) {
	if *text != "" && (s.Literal || !settings.IsReference(*text)) {
		*text = diag.Mask
	}
}
