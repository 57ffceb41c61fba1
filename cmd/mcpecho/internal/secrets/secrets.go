// Package secrets masks secrets in what mcpecho shows and writes.
package secrets

import (
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A Set holds the secrets of the command line, the configuration, a login and arguments.
// Errors and recordings mask them.
type Set struct {
	Values []string
	Entry  *config.Server      // masks the secrets of its configuration; may be nil
	Login  func(string) string // masks the tokens of a login; may be nil
	Sent   *recording.Secrets  // those that the client has sent as arguments; may be nil
}

// Hide replaces the secrets in a text.
func (h Set) Hide(s string) string { return h.Hider()(s) }

// Hider returns Hide for many texts.
func (h Set) Hider() func(string) string {
	values := &display.Cache{}
	return func(s string) string { return h.hide(values, s) }
}

func (h Set) hide(values *display.Cache, s string) string {
	for _, secret := range h.Values {
		if s == secret && s != "" {
			return diag.Mask // even if it is short
		}
	}
	s = values.Redact(s, h.Values...)
	if h.Entry != nil {
		s = h.Entry.Hide(s)
	}
	if h.Login != nil {
		s = h.Login(s)
	}
	return h.Sent.Redact(s)
}

// Mask returns JSON text on one line, with values that look like secrets masked.
func (h Set) Mask(data []byte) ([]byte, error) { return recording.MaskJSON(data, h.Hider()) }

// HideJSON returns JSON text that hide has masked. Masking a number in it leaves text that is
// not JSON, so then the values are masked one by one.
func HideJSON(text []byte, hide func(string) string) []byte {
	masked := []byte(hide(string(text)))
	if wire.Valid(masked) != nil {
		if values, err := recording.MaskJSON(text, hide); err == nil {
			return values
		}
	}
	return masked
}
