package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/httperr"
)

// ErrLoginRequired is the error of a request that the user must authorize, when
// the program has no [Authorizer].
var ErrLoginRequired = errors.New("oauth: the user must log in (no Authorizer is set)")

// An Error describes why the Transport could not get a token or refused to go
// on. It quotes no token, code or secret.
type Error struct {
	URL  string // the server concerned, without user, password and query; may be empty
	Rule string // what failed, with the section of the specification that a server violated
	Err  error  // the cause; may be nil

	unanswered bool // the user did not finish a login
}

// ruleError returns an Error. It is not inlined, which makes a program 10 KB smaller.
//
//go:noinline
func ruleError(url, rule string, err error) *Error { return &Error{URL: url, Rule: rule, Err: err} }

func (e *Error) Error() string {
	s := "oauth: "
	if e.URL != "" {
		s += e.URL + ": "
	}
	s += e.Rule
	if e.Err != nil {
		s += ": " + strings.TrimPrefix(e.Err.Error(), "oauth: ")
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// A ServerError reports a refusal by an authorization server (RFC 6749,
// sections 4.1.2.1 and 5.2).
type ServerError struct {
	URL         string // without user, password and query
	Status      int    // HTTP status; 0 if the refusal came through the browser
	Code        string // such as "invalid_grant"; else the HTTP status
	Description string // the server's description, without the request's secrets

	isOAuthCode bool // Code is from the response, not the HTTP status
}

func (e *ServerError) Error() string {
	s := "oauth: " + e.URL + " refused the request: " + e.Code
	if e.Description != "" {
		s += " (" + e.Description + ")"
	}
	return s
}

// isCode reports whether err is a refusal with one of the codes.
func isCode(err error, codes ...string) bool {
	if e, ok := diag.Find[*ServerError](err); ok {
		for _, c := range codes {
			if e.Code == c {
				return true
			}
		}
	}
	return false
}

// A refusedError is the error of a request whose challenge could not be
// satisfied. It matches StatusError too, so that callers know that the server
// did not process the request.
type refusedError struct {
	status *httperr.StatusError
	err    error
}

func (e *refusedError) Error() string {
	return e.err.Error() + " (the server answered " + strconv.Itoa(e.status.Status) + ")"
}
func (e *refusedError) Unwrap() []error { return []error{e.err, e.status} }

// clean returns a printable form of a URL from a server, without secrets.
func clean(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an invalid URL"
	}
	if u.Opaque != "" || u.Host == "" { // javascript:..., mailto:...
		if u.Scheme == "" {
			return "a relative URL"
		}
		return u.Scheme + ":..."
	}
	return httpx.Clean(u)
}

// maxServerText is the limit in bytes of what an error quotes of a server.
const maxServerText = 200

// printable returns text of a server, safe to print and at most maxServerText bytes long.
func printable(s string) string { return diag.Printable(s, maxServerText) }

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
func (t *Transport) Hide(text string) string { return t.hidden.Redact(text, t.secrets()...) }

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
