package oauth

import (
	"fmt"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
)

// The Format methods keep secrets out of logs: every verb prints only a name. The
// MarshalText methods keep them out of JSON, from which no such value can be decoded.

// Format implements fmt.Formatter.
func (c Client) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(c.text())) }

// MarshalText implements encoding.TextMarshaler.
func (c Client) MarshalText() ([]byte, error) { return []byte(c.text()), nil }

func (c *Client) text() string { return "oauth.Client(" + c.ID + ")" }

// Format implements fmt.Formatter.
func (k Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("oauth.Key(" + k.alg + ")")) }

// Format implements fmt.Formatter.
func (o Options) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("oauth.Options")) }

// MarshalText implements encoding.TextMarshaler.
func (o Options) MarshalText() ([]byte, error) { return []byte("oauth.Options"), nil }

// Format implements fmt.Formatter.
func (g Identity) Format(f fmt.State, _ rune) {
	_, _ = f.Write([]byte(g.text()))
}

// MarshalText implements encoding.TextMarshaler.
func (g Identity) MarshalText() ([]byte, error) { return []byte(g.text()), nil }

func (g *Identity) text() string { return "oauth.Identity(" + clean(g.TokenURL) + ")" }

// Format implements fmt.Formatter.
func (t *Transport) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }

// String returns the server's URL without user, password and query.
func (t *Transport) String() string {
	if t.url == nil {
		return "invalid URL"
	}
	return httpx.Clean(t.url)
}

// Hide returns text with the Transport's tokens and client secret replaced by
// "***". Use it before printing a server's text, which may echo them.
func (t *Transport) Hide(text string) string { return diag.Redact(text, t.secrets()...) }

// secrets returns the client's secret and the tokens, also those of the last token
// that a server refused: it may quote them later.
func (t *Transport) secrets() []string {
	t.mu.Lock()
	list := []string{t.opts.Client.Secret}
	for _, k := range [...]*token{t.tok, t.dropped} {
		if k != nil {
			list = append(list, k.access, k.refresh)
		}
	}
	t.mu.Unlock()
	return list
}

// Format implements fmt.Formatter.
func (m *Memory) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("oauth.Memory")) }

// Format implements fmt.Formatter.
func (p *headerTransport) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("oauth." + p.name)) }
