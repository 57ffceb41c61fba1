package oauth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Client identifies a program to an authorization server. Printing it shows
// no secrets.
type Client struct {
	ID     string
	Secret string
	Key    *Key // in place of a Secret (private_key_jwt)

	// Issuer is the authorization server that the client is registered with.
	// Empty means the first one that the server names; the Store remembers it.
	Issuer string

	// Method is the client authentication method: "none",
	// "client_secret_basic", "client_secret_post" or "private_key_jwt". Empty
	// means one that the authorization server announces and that fits Key and
	// Secret.
	Method string
}

const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"

	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	assertionTime = time.Minute
)

// method returns the authentication method to use with a server that announces
// these. An empty list means client_secret_basic (RFC 8414, section 2).
func (c *Client) method(announced []string) string {
	switch {
	case c.Method != "":
		return c.Method
	case c.Key != nil:
		return methodKey
	case c.Secret == "":
		return methodNone
	case len(announced) == 0:
		return methodBasic
	}
	for _, m := range [...]string{methodBasic, methodPost, methodNone} {
		if slices.Contains(announced, m) {
			return m
		}
	}
	return methodBasic
}

// authenticate adds the client's authentication to a token request (OAuth 2.1,
// section 2.4; RFC 7523, section 2.2).
func (c *Client) authenticate(m *serverMetadata, form url.Values, h http.Header) error {
	switch method := c.method(m.authMethods); method {
	case methodNone:
		if c.ID != "" {
			form.Set("client_id", c.ID)
		}
	case methodBasic:
		r := http.Request{Header: h}
		r.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret))
	case methodPost:
		form.Set("client_id", c.ID)
		form.Set("client_secret", c.Secret)
	case methodKey:
		if c.Key == nil {
			return &Error{URL: clean(m.issuer), Rule: "client authentication private_key_jwt needs Client.Key"}
		}
		key := c.Key.forAlgorithms(m.signingAlgs)
		if key == nil {
			return &Error{URL: clean(m.issuer), Rule: "the authorization server does not support client authentication with " + c.Key.alg}
		}
		assertion, err := c.assertion(key, m.issuer)
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", assertionType)
		form.Set("client_assertion", assertion)
	default:
		return &Error{URL: clean(m.issuer), Rule: "unknown client authentication method " + printable(method)}
	}
	return nil
}

// assertion returns a JWT, signed by key, that authenticates the client to the
// audience once.
func (c *Client) assertion(key *Key, audience string) (string, error) {
	h := wire.AppendString(wire.AppendKey([]byte{'{'}, "typ"), "JWT")
	h = wire.AppendString(wire.AppendKey(h, "alg"), key.alg)
	if key.id != "" {
		h = wire.AppendString(wire.AppendKey(h, "kid"), key.id)
	}
	now := time.Now()
	b := wire.AppendString(wire.AppendKey([]byte{'{'}, "iss"), c.ID)
	b = wire.AppendString(wire.AppendKey(b, "sub"), c.ID)
	b = wire.AppendString(wire.AppendKey(b, "aud"), audience)
	b = wire.AppendString(wire.AppendKey(b, "jti"), randomString())
	b = wire.AppendInt(wire.AppendKey(b, "iat"), now.Unix())
	b = wire.AppendInt(wire.AppendKey(b, "exp"), now.Add(assertionTime).Unix())
	return key.sign(append(h, '}'), append(b, '}'))
}

// configuredClient returns Options.Client, or nil if it has no ID. It fails if
// the client is registered with another authorization server (Authorization
// Server Binding).
func (t *Transport) configuredClient(s *server) (*Client, error) {
	c := t.opts.Client
	t.mu.Lock()
	if c.ID != "" && c.Issuer == "" {
		c.Issuer = t.binding.issuer
	}
	t.mu.Unlock()
	if c.Issuer != "" && c.Issuer != s.issuer {
		return nil, &Error{URL: clean(s.issuer), Rule: "Options.Client is registered with another authorization server, " + clean(c.Issuer) +
			" (Authorization Server Binding); if the server has moved, register there and set Options.Client"}
	}
	if c.ID == "" {
		return nil, nil
	}
	return &c, nil
}

// askForClient returns the client from Options.AskClient.
func (t *Transport) askForClient(ctx context.Context, s *server) (*Client, error) {
	if t.opts.AskClient == nil {
		return nil, &Error{URL: clean(s.issuer), Rule: "no dynamic client registration: register the program there and set Options.Client"}
	}
	defer asking(ctx, s.issuer)()
	c, err := t.opts.AskClient(ctx, s.issuer)
	if err != nil {
		return nil, err
	}
	if c.ID == "" || c.Key != nil { // a Store cannot hold a Key
		return nil, &Error{URL: clean(s.issuer), Rule: "Options.AskClient must return a client with an ID and without a Key"}
	}
	return &c, nil
}
