package main

import (
	"net/http"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// secrets holds the secrets of the command line, the configuration and a login.
// Errors and traces mask them.
type secrets struct {
	values []string
	entry  *config.Server      // masks the secrets of its configuration; may be nil
	login  func(string) string // masks the tokens of a login; may be nil
}

// secrets returns the values of -H, those of -e that look like secrets, and
// those of the configured server and of the login.
func (c *invocation) secrets() secrets { return secrets{c.flags.secrets(), c.entry, c.hideLogin} }

func (c *invocation) hideLogin(s string) string {
	if c.auth == nil {
		return s
	}
	return c.auth.Hide(s)
}

// hide replaces the secrets in a text.
func (c *invocation) hide(s string) string { return c.secrets().hide(s) }

func (f *flags) secrets() (all []string) {
	for key, values := range f.header {
		for _, v := range values {
			all = append(all, v)
			if _, token, ok := strings.Cut(v, " "); ok && http.CanonicalHeaderKey(key) == "Authorization" {
				all = append(all, strings.TrimSpace(token))
			}
		}
	}
	for _, e := range f.env {
		if key, value, _ := strings.Cut(e, "="); diag.IsSecretName(key) {
			all = append(all, value)
		}
	}
	return all
}

// hide replaces the secrets in a text.
func (h secrets) hide(s string) string {
	for _, secret := range h.values {
		if s == secret && s != "" {
			return diag.Mask // even if it is short
		}
	}
	s = diag.Redact(s, h.values...)
	if h.entry != nil {
		s = h.entry.Hide(s)
	}
	if h.login != nil {
		s = h.login(s)
	}
	return s
}

// masked replaces a secret in JSON.
const masked = `"***"`

// mask returns JSON text on one line, with values that look like secrets masked.
func (h secrets) mask(data []byte) ([]byte, error) {
	r := wire.NewReader(data)
	b := h.appendMasked(nil, &r, false)
	return b, r.End()
}

// appendMasked appends the next value of r. schema reports that its keys are
// property names of a JSON Schema, whose values are schemas and not secrets.
func (h secrets) appendMasked(b []byte, r *wire.Reader, schema bool) []byte {
	switch r.Kind() {
	case wire.Object:
		b = append(b, '{')
		for r.Object(); r.More(); {
			key := string(r.Key())
			b = wire.AppendKey(b, key)
			if isSecretKey(key) && canBeSecret(r.Kind(), schema) {
				r.Skip()
				b = append(b, masked...)
				continue
			}
			b = h.appendMasked(b, r, key == "properties")
		}
		return append(b, '}')
	case wire.Array:
		b = append(b, '[')
		for r.Array(); r.More(); {
			b = h.appendMasked(wire.AppendComma(b), r, false)
		}
		return append(b, ']')
	case wire.String:
		raw := r.Raw()
		inner := wire.NewReader(raw)
		text := inner.String()
		if m := h.maskText(text); m != text {
			return wire.AppendString(b, m)
		}
		return append(b, raw...) // with the original escapes
	}
	return append(b, r.Raw()...)
}

// canBeSecret reports whether a value of that kind can be a secret.
func canBeSecret(k wire.Kind, schema bool) bool {
	return k == wire.String || k == wire.Number || k == wire.Array || k == wire.Object && !schema
}

// maskText masks secrets and HTTP credentials in a text, and in JSON inside it.
func (h secrets) maskText(s string) string {
	s = h.hide(s)
	for _, scheme := range []string{"Bearer ", "Basic "} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return scheme + "***"
		}
	}
	if text := strings.TrimSpace(s); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if inner, err := h.mask([]byte(s)); err == nil && strings.Contains(string(inner), "***") {
			return string(inner)
		}
	}
	return s
}

// isSecretKey reports whether a key names a secret. Progress tokens and counts of
// tokens are not secrets.
func isSecretKey(key string) bool {
	key = nearest.Plain(key)
	if strings.HasSuffix(key, "token") {
		return key != "progresstoken"
	}
	for _, word := range []string{"authorization", "password", "passwd", "passphrase", "secret", "apikey", "accesskey",
		"privatekey", "credential", "cookie", "session", "pwd", "jwt"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
