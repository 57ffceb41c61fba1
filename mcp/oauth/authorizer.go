package oauth

import (
	"context"
	"crypto/sha256"
	"net/url"
	"slices"
	"strings"
)

// An Authorizer has the user authorize the program in a browser. [Loopback] and
// [Paste] are implementations.
type Authorizer interface {
	// Listen prepares to receive one authorization response. last is the redirect
	// URI of the previous registration, or empty if there is none. If the
	// Receiver has the same one, the program need not be registered again.
	Listen(ctx context.Context, last string) (Receiver, error)
}

// A Receiver receives one authorization response.
type Receiver interface {
	// RedirectURI returns the redirect URI of the authorization request.
	RedirectURI() string

	// Authorize shows the user the page at url, which has the scheme http or
	// https, and returns the URL, with its query, to which the authorization
	// server redirected the browser. It must return when ctx is done.
	Authorize(ctx context.Context, url string) (response string, err error)

	// Close releases the resources of the Receiver.
	Close() error
}

// tokenByCode gets a token with an authorization code (OAuth 2.1, section 4.1).
func (t *Transport) tokenByCode(ctx context.Context, s *server, scopes []string, key *Key) (*token, *Client, error) {
	switch {
	case t.opts.Authorizer == nil:
		return nil, nil, t.loginRequired()
	case s.authorize == "":
		return nil, nil, &Error{URL: clean(s.issuer), Rule: "no authorization_endpoint in the metadata"}
	case !s.legacy && !slices.Contains(s.pkceMethods, "S256"):
		return nil, nil, &Error{URL: clean(s.issuer), Rule: "no PKCE with S256 in code_challenge_methods_supported (Authorization Code Protection)"}
	}
	known := t.loadRegistration(ctx, StoreKey{Issuer: s.issuer})
	k, c, err := t.authorizeByUser(ctx, s, scopes, key, known)
	if known != nil && c != nil && c.ID == known.id && isCode(err, "invalid_client", "unauthorized_client") {
		return t.authorizeByUser(ctx, s, scopes, key, nil) // the server deleted the registration
	}
	return k, c, err
}

// authorizeByUser has the user authorize the program once. known is a stored
// registration or nil. The client is returned with an error too, if it is known.
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
		k.granted = scopes // an absent scope means the requested one (RFC 6749, section 5.1)
	}
	return k, c, nil
}

// authorizationURL returns the URL of the authorization request.
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
		q.Set("prompt", "consent") // required by OpenID Connect Core, section 11
	}
	if key != nil {
		q.Set("dpop_jkt", key.thumbprint())
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}
