package oauth

import (
	"context"
	"crypto/sha256"
	"net/url"
	"slices"
	"strings"
)

// An Authorizer has a person authorize the program in a browser. [Loopback] and
// [Paste] are such.
type Authorizer interface {
	// Listen gets ready to receive an answer. last is the redirect URI of an
	// earlier time; to use it again spares a registration. It is empty the
	// first time.
	Listen(ctx context.Context, last string) (Receiver, error)
}

// A Receiver gets the answer of a person, once.
type Receiver interface {
	// RedirectURI is where the browser is sent with the answer.
	RedirectURI() string

	// Authorize shows the page at url, which is of http or https, and returns
	// the URL that the browser was sent to, with its query. It returns when
	// ctx ends.
	Authorize(ctx context.Context, url string) (response string, err error)

	// Close ends the waiting.
	Close() error
}

// byCode gets a token by an authorization code that a person approves (OAuth
// 2.1, section 4.1).
func (t *Transport) tokenByCode(ctx context.Context, s *server, scopes []string, key *Key) (*token, *Client, error) {
	switch {
	case t.opts.Authorizer == nil:
		return nil, nil, t.loginRequired()
	case s.authorize == "":
		return nil, nil, &Error{URL: clean(s.issuer), Rule: "its metadata has no authorization_endpoint"}
	case !s.legacy && !slices.Contains(s.pkceMethods, "S256"):
		return nil, nil, &Error{URL: clean(s.issuer), Rule: "it announces no PKCE with S256 in code_challenge_methods_supported (Authorization Code Protection)"}
	}
	known := t.loadRegistration(ctx, StoreKey{Issuer: s.issuer})
	k, c, err := t.authorizeByUser(ctx, s, scopes, key, known)
	if known != nil && c != nil && c.ID == known.id && isCode(err, "invalid_client", "unauthorized_client") {
		return t.authorizeByUser(ctx, s, scopes, key, nil) // it has forgotten the client
	}
	return k, c, err
}

// askPerson asks once. known is a registration to use if it holds, or nil. The
// client is returned with errors too, if there is one.
func (t *Transport) authorizeByUser(ctx context.Context, s *server, scopes []string, key *Key, known *registration) (*token, *Client, error) {
	last := ""
	if known != nil {
		last = known.redirect
	}
	in, err := t.opts.Authorizer.Listen(ctx, last)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	redirect := in.RedirectURI()
	c, err := t.clientFor(ctx, s, redirect, known)
	if err != nil {
		return nil, nil, err
	}
	verifier, state := randomString(), randomString()
	page, err := t.authorizationURL(s, c, redirect, state, verifier, scopes, key)
	if err != nil {
		return nil, c, err
	}
	response, err := in.Authorize(ctx, page)
	if err != nil {
		return nil, c, err
	}
	code, err := parseCallback(response, expectedCallback{redirect, state, s.issuer, s.issInResponses})
	if err != nil {
		return nil, c, err
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect},
		"code_verifier": {verifier}, "resource": {s.resource},
	}
	k, err := t.requestToken(ctx, &s.serverMetadata, c, form, key)
	if err != nil {
		return nil, c, err
	}
	k.scopes = union(scopes, k.scopes)
	if len(k.granted) == 0 {
		k.granted = scopes // what is not said is as asked for (RFC 6749, section 5.1)
	}
	return k, c, nil
}

// authorizationURL returns the page on which a person authorizes the client.
func (t *Transport) authorizationURL(s *server, c *Client, redirect, state, verifier string, scopes []string, key *Key) (string, error) {
	u, err := t.fetch.parse(s.authorize)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(verifier))
	q := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": c.ID, "redirect_uri": redirect, "state": state,
		"code_challenge": encode(sum[:]), "code_challenge_method": "S256", "resource": s.resource,
	} {
		q.Set(name, value)
	}
	if len(scopes) > 0 {
		q.Set("scope", strings.Join(scopes, " "))
	}
	if slices.Contains(scopes, "offline_access") {
		q.Set("prompt", "consent") // OpenID Connect Core, section 11, asks for it
	}
	if key != nil {
		q.Set("dpop_jkt", key.thumbprint())
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}
