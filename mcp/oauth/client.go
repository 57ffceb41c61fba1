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
	ID     string // the client_id
	Secret string // the client_secret; empty for a public client
	Key    *Key   // in place of a Secret (private_key_jwt)

	// Issuer is the authorization server that the client is registered with.
	// Empty means the first one that the server names; the Store remembers it.
	Issuer string

	// Method is the client authentication method: "none",
	// "client_secret_basic", "client_secret_post" or "private_key_jwt". Empty
	// means one that the authorization server announces and that fits Key and
	// Secret; if the server refuses it, the Transport tries another one.
	Method string

	registered string // the method in a registration response, which may be wrong
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
	}
	for _, m := range [...]string{c.registered, methodBasic, methodPost, methodNone} {
		known := m == methodNone || c.Secret != "" && (m == methodBasic || m == methodPost)
		if known && (slices.Contains(announced, m) || len(announced) == 0) {
			return m
		}
	}
	if c.Secret == "" {
		return methodNone
	}
	return methodPost
}

// otherMethod returns the method to try after the server refused the client with this
// one, or "". Only the authorization server that knows the secret receives it.
func (c *Client) otherMethod(refused string) string {
	switch {
	case c.Method != "" || c.Secret == "" || refused == methodKey:
		return ""
	case refused == methodPost:
		return methodBasic
	}
	return methodPost
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
			return ruleError(clean(m.issuer), "client authentication private_key_jwt needs Client.Key", nil)
		}
		key := c.Key.forAlgorithms(m.signingAlgs)
		if key == nil {
			return ruleError(clean(m.issuer), "the authorization server does not support client authentication with "+c.Key.alg, nil)
		}
		audience := m.name()
		if m.stated != audience { // which receives the assertion: with the name of another server, it could be sent on to that
			audience = m.token
		}
		assertion, err := c.assertion(key, audience)
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", assertionType)
		form.Set("client_assertion", assertion)
	default:
		return ruleError(clean(m.issuer), "unknown client authentication method "+printable(method), nil)
	}
	return nil
}

// name returns the issuer as the authorization server states it, unless it states a
// template or another name that the program permits.
func (m *serverMetadata) name() string {
	if sameIssuer(m.stated, m.issuer) {
		return m.stated
	}
	return m.issuer
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
	if c.Issuer != "" && !sameIssuer(c.Issuer, s.issuer) {
		return nil, ruleError(clean(s.issuer), "Options.Client is registered with another authorization server, "+clean(c.Issuer)+
			" (Authorization Server Binding); if the server has moved, register there and set Options.Client", nil)
	}
	if c.ID == "" {
		return nil, nil
	}
	return &c, nil
}

// askForClient returns the client from Options.AskClient.
func (t *Transport) askForClient(ctx context.Context, s *server) (*Client, error) {
	if t.opts.AskClient == nil {
		return nil, ruleError(clean(s.issuer), "no dynamic client registration: register the program there and set Options.Client", nil)
	}
	defer asking(ctx, s.issuer)()
	c, err := t.opts.AskClient(ctx, s.issuer)
	if err != nil {
		return nil, err
	}
	if c.ID == "" || c.Key != nil { // a Store cannot hold a Key
		return nil, ruleError(clean(s.issuer), "Options.AskClient must return a client with an ID and without a Key", nil)
	}
	return &c, nil
}

// A registration is a client as the Store holds it: dynamically registered (RFC
// 7591) or from Options.AskClient.
type registration struct {
	id, secret, method string
	redirect           string // the registered redirect URI; deviceGrant without one, empty for AskClient
	expires            int64  // expiry of the secret in Unix time; 0 means never
}

func (g *registration) client(s *server) *Client {
	c := &Client{ID: g.id, Secret: g.secret, Issuer: s.issuer}
	if c.registered = g.method; g.redirect == "" { // from AskClient, where it is a setting
		c.Method = g.method
	}
	return c
}

// validFor reports whether the registration may be used with this redirect URI, or for
// deviceGrant.
func (g *registration) validFor(redirect string) bool {
	return g != nil && g.id != "" && (g.redirect == "" || g.redirect == redirect || redirect == deviceGrant) && (g.expires == 0 || time.Now().Unix() < g.expires)
}

func (g *registration) texts() texts {
	return texts{"client_id": &g.id, "client_secret": &g.secret, "token_endpoint_auth_method": &g.method, "redirect_uri": &g.redirect}
}

func (g *registration) encode() []byte {
	return append(wire.AppendInt(wire.AppendKey(g.texts().encode(), "client_secret_expires_at"), g.expires), '}')
}

// parseRegistration reads what encode wrote or a registration endpoint returned.
func parseRegistration(data []byte) (*registration, error) {
	g := &registration{}
	all := g.texts()
	delete(all, "client_id") // which may be a number
	return g, all.read(data, func(r *wire.Reader, key string) bool {
		switch {
		case key == "client_secret_expires_at":
			g.expires = max(0, number(r)) // some servers write a text, or -1 for never
		case key == "client_id" && r.Kind() == wire.Number:
			g.id = string(r.Number())
		case key == "client_id":
			g.id = r.String()
		default:
			return false
		}
		return true
	})
}

// clientFor returns the client for an authorization request, in the order of
// Client Registration: Options.Client, ClientURL, a stored registration, dynamic
// registration, AskClient.
func (t *Transport) clientFor(ctx context.Context, s *server, redirect string, scopes []string, known *registration) (*Client, error) {
	if c, err := t.configuredClient(s); c != nil || err != nil {
		return c, err
	}
	if t.opts.ClientURL != "" && s.clientURLs {
		return t.clientByURL(), checkClientURL(t.opts.ClientURL)
	}
	if known.validFor(redirect) {
		return known.client(s), nil
	}
	var g *registration
	if s.register == "" {
		c, err := t.askForClient(ctx, s)
		if err != nil {
			return nil, err
		}
		g = &registration{id: c.ID, secret: c.Secret, method: c.Method}
	} else {
		var err error
		if g, err = t.register(ctx, s, redirect, scopes); err != nil {
			return nil, err
		}
		g.redirect = redirect
	}
	for _, key := range []StoreKey{{Issuer: s.issuer}, {Issuer: s.issuer, Client: g.id}} {
		if err := t.save(ctx, key, g.encode()); err != nil {
			return nil, ruleError("", "cannot store the registration", err)
		}
	}
	return g.client(s), nil
}

// knownClient returns the client with this id, for which the server issued a
// token, or nil if its registration is gone.
func (t *Transport) knownClient(ctx context.Context, s *server, id string) *Client {
	if c, err := t.configuredClient(s); err != nil || c != nil && c.ID == id {
		return c
	}
	if id != "" && id == t.opts.ClientURL {
		return t.clientByURL()
	}
	if g := t.loadRegistration(ctx, StoreKey{Issuer: s.issuer, Client: id}); g != nil && g.id == id {
		return g.client(s)
	}
	return nil
}

// clientByURL returns the client whose ID is Options.ClientURL (Client ID
// Metadata Documents).
func (t *Transport) clientByURL() *Client {
	c := &Client{ID: t.opts.ClientURL, Key: t.opts.Client.Key, Method: methodNone}
	if c.Key != nil {
		c.Method = methodKey
	}
	return c
}

// loadRegistration returns the registration under key, or nil. A key without a
// client means the newest registration at the issuer.
func (t *Transport) loadRegistration(ctx context.Context, key StoreKey) *registration {
	data, err := t.store.Load(ctx, key)
	if err != nil || data == nil {
		return nil
	}
	g, err := parseRegistration(data)
	if err != nil {
		return nil
	}
	return g
}

// checkClientURL checks the URL of a client ID metadata document.
func checkClientURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "" || u.Path == "/" || u.Fragment != "" || u.User != nil {
		return ruleError(clean(raw), "Options.ClientURL must be an https URL with a path (Client ID Metadata Documents)", nil)
	}
	return nil
}
