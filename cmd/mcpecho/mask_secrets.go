package main

import (
	"net/http"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/recording"
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

// mask returns JSON text on one line, with values that look like secrets masked.
func (h secrets) mask(data []byte) ([]byte, error) { return recording.MaskJSON(data, h.hide) }
