package oauth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Client is what an authorization server knows a program as. Printing it
// shows no secret.
type Client struct {
	ID     string
	Secret string
	Key    *Key // in place of a Secret (private_key_jwt)

	// Issuer is the authorization server that knows the client. When it is
	// empty, that is the one which was met first; it is remembered in the Store.
	Issuer string

	// Method is how the client authenticates itself: "none",
	// "client_secret_basic", "client_secret_post" or "private_key_jwt". Empty
	// means what the server announces and the client can.
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

// method returns how the client authenticates itself to a server that
// announces the methods. None announced means basic (RFC 8414, section 2).
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

// authenticate adds to a token request to the server with this issuer who
// sends it (OAuth 2.1, section 2.4; RFC 7523, section 2.2).
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
			return &Error{URL: clean(m.issuer), Rule: "private_key_jwt needs a Client.Key"}
		}
		key := c.Key.forAlgorithms(m.signingAlgs)
		if key == nil {
			return &Error{URL: clean(m.issuer), Rule: "it announces no client authentication with " + c.Key.alg}
		}
		assertion, err := c.assertion(key, m.issuer)
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", assertionType)
		form.Set("client_assertion", assertion)
	default:
		return &Error{URL: clean(m.issuer), Rule: "unknown client authentication " + printable(method)}
	}
	return nil
}

// assertion returns a token, signed by key, that says who the client is, once,
// to the server with this issuer.
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

// given returns the client that the program says it is, if it says so, after
// a look at whom it may be shown to (Authorization Server Binding).
func (t *Transport) configuredClient(s *server) (*Client, error) {
	c := t.opts.Client
	t.mu.Lock()
	if c.ID != "" && c.Issuer == "" {
		c.Issuer = t.binding.issuer
	}
	t.mu.Unlock()
	if c.Issuer != "" && c.Issuer != s.issuer {
		return nil, &Error{URL: clean(s.issuer), Rule: "the client is registered with another authorization server, " + clean(c.Issuer) +
			" (Authorization Server Binding); if the server has moved, register there and set Options.Client"}
	}
	if c.ID == "" {
		return nil, nil
	}
	return &c, nil
}

// ask has the program ask for a client, as nothing else is left.
func (t *Transport) askForClient(ctx context.Context, s *server) (*Client, error) {
	if t.opts.AskClient == nil {
		return nil, &Error{URL: clean(s.issuer), Rule: "it registers no clients by itself: register the program there and set Options.Client"}
	}
	c, err := t.opts.AskClient(ctx, s.issuer)
	if err != nil {
		return nil, err
	}
	if c.ID == "" || c.Key != nil { // which no Store keeps
		return nil, &Error{URL: clean(s.issuer), Rule: "Options.AskClient must return a client with an ID, and without a Key"}
	}
	return &c, nil
}
