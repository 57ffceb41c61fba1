package oauth

import (
	"context"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// A Source returns a token or assertion that comes from elsewhere. It is called
// whenever one is needed, possibly by several goroutines at once.
type Source func(context.Context) (string, error)

// Static returns a Source of always the same.
func Static(s string) Source { return func(context.Context) (string, error) { return s, nil } }

// SourceFile returns a Source that reads a file each time, as whoever renews
// the token writes it there. White space around it is dropped.
func SourceFile(path string) Source {
	return func(context.Context) (string, error) {
		data, err := os.ReadFile(path)
		return strings.TrimSpace(string(data)), err
	}
}

// A Grant is a way to a token that needs no person: [ClientCredentials],
// [Assertion] or [Identity].
type Grant interface {
	// form returns what to ask the token endpoint of s for.
	form(ctx context.Context, t *Transport, s *server, scopes []string) (url.Values, error)
}

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// byGrant gets a token from the Grant. It is asked once: a server that has
// refused an assertion is not asked in another way.
func (t *Transport) tokenByGrant(ctx context.Context, s *server, scopes []string, key *Key) (*token, *Client, error) {
	c, err := t.configuredClient(s)
	if err != nil {
		return nil, nil, err
	}
	if c == nil {
		c = &Client{}
	}
	form, err := t.opts.Grant.form(ctx, t, s, scopes)
	if err != nil {
		return nil, nil, err
	}
	form.Set("resource", s.resource)
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	k, err := t.requestToken(ctx, &s.serverMetadata, c, form, key)
	return k, c, err
}

// ClientCredentials is the Grant of a program that acts for itself. Options.Client
// says who it is.
type ClientCredentials struct{}

func (ClientCredentials) form(_ context.Context, t *Transport, s *server, _ []string) (url.Values, error) {
	if c := t.opts.Client; c.ID == "" || c.Secret == "" && c.Key == nil {
		return nil, &Error{URL: clean(s.issuer), Rule: "client credentials need an Options.Client with an ID and a Secret or Key"}
	}
	return url.Values{"grant_type": {"client_credentials"}}, nil
}

// Assertion is the Grant of a workload: where it runs, something gives it a JSON
// Web Token that says what it is, for the authorization server to trust
// (workload identity federation, RFC 7523, section 2.1). It is sent to the server
// that its audience names and to no other, unless Options.Issuer or Client.Issuer
// says which it is for.
type Assertion struct {
	Source Source
}

func (g Assertion) form(ctx context.Context, t *Transport, s *server, _ []string) (url.Values, error) {
	a, err := readSource(ctx, g.Source, "the assertion")
	if err != nil {
		return nil, err
	}
	j, err := parseJWT(a)
	if err != nil {
		return nil, &Error{URL: clean(s.issuer), Rule: "the assertion for it", Err: err}
	}
	if !j.expires.IsZero() && time.Now().After(j.expires) {
		return nil, &Error{URL: clean(s.issuer), Rule: "the assertion for it has expired (RFC 7523, section 3)"}
	}
	// Who could name another server would get what opens this one.
	named := t.opts.Issuer != "" || t.opts.Client.Issuer != ""
	if !named && !slices.Contains(j.audience, s.issuer) && !slices.Contains(j.audience, s.token) {
		return nil, &Error{URL: clean(s.issuer), Rule: "the audience of the assertion is another one (RFC 7523, section 3); if that is right, set Options.Issuer"}
	}
	return url.Values{"grant_type": {jwtBearer}, "assertion": {a}}, nil
}

// Identity is the Grant of a program whose user is known to an identity
// provider, which says what the user may use (Enterprise-Managed Authorization).
// Options.Client is the client at the authorization server of the resource.
// Printing it shows no secret.
type Identity struct {
	// TokenURL is the token endpoint of the identity provider, and Client how
	// the program is known there.
	TokenURL string
	Client   Client

	// Source returns what the provider gave out when the user logged in: an ID
	// token, or what Type says.
	Source Source
	Type   string // empty means "urn:ietf:params:oauth:token-type:id_token"
}

const (
	idToken = "urn:ietf:params:oauth:token-type:id_token"
	idJAG   = "urn:ietf:params:oauth:token-type:id-jag"
)

func (g Identity) form(ctx context.Context, t *Transport, s *server, scopes []string) (url.Values, error) {
	subject, err := readSource(ctx, g.Source, "the identity")
	if err != nil {
		return nil, err
	}
	form := url.Values{
		"grant_type":           {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"requested_token_type": {idJAG},
		"audience":             {s.issuer},
		"resource":             {s.resource},
		"subject_token":        {subject},
		"subject_token_type":   {idToken},
	}
	if g.Type != "" {
		form.Set("subject_token_type", g.Type)
	}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	provider := &serverMetadata{issuer: g.TokenURL, token: g.TokenURL}
	k, err := t.requestToken(ctx, provider, &g.Client, form, nil)
	if err != nil {
		return nil, err
	}
	j, err := parseJWT(k.access)
	if err == nil {
		err = j.checkGrant(s, t.opts.Client.ID)
	}
	if err != nil {
		return nil, &Error{URL: clean(g.TokenURL), Rule: "its assertion cannot be used (Enterprise-Managed Authorization, section 4.3)", Err: err}
	}
	return url.Values{"grant_type": {jwtBearer}, "assertion": {k.access}}, nil
}

// read returns what the source has.
func readSource(ctx context.Context, src Source, what string) (string, error) {
	if src == nil {
		return "", &Error{Rule: what + " has no Source"}
	}
	s, err := src(ctx)
	if err == nil && s == "" {
		return "", &Error{Rule: what + " is empty"}
	}
	return s, err
}
