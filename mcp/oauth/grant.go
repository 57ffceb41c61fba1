package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Source returns a token, assertion or API key. It is called each time that
// one is needed, and must be safe for concurrent use.
type Source func(context.Context) (string, error)

// Static returns a Source that always returns s.
func Static(s string) Source { return func(context.Context) (string, error) { return s, nil } }

// SourceFile returns a Source that reads the file each time, for tokens that
// another program renews there, of up to 128 KiB. It trims white space.
func SourceFile(path string) Source {
	return func(context.Context) (string, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		data, err := buffers.ReadUpTo(f, maxEntry+1)
		if err == nil && len(data) > maxEntry {
			err = ruleError("", path+" is larger than a token may be (128 KiB)", nil)
		}
		return strings.TrimSpace(string(data)), err
	}
}

// A Grant gets tokens without a user: [ClientCredentials], [Assertion] or
// [Identity].
type Grant interface {
	// form returns the parameters of the token request to s.
	form(ctx context.Context, t *Transport, s *server, scopes []string) (url.Values, error)
}

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// tokenByGrant gets a token with the Grant, in one request: a refused assertion
// is not tried in another way.
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
	t.complete(form, s)
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	k, err := t.requestToken(ctx, &s.serverMetadata, c, form, key)
	return k, c, err
}

// ClientCredentials is the Grant of a program that acts for itself and not for
// a user. It authenticates as Options.Client. A Secret is sent only to an
// authorization server that Options.Issuer or Client.Issuer names, that issued
// the token before, or that has the origin of the server, unless
// Options.TrustDiscoveredIssuer is set.
type ClientCredentials struct{}

func (ClientCredentials) form(_ context.Context, t *Transport, s *server, _ []string) (url.Values, error) {
	if c := t.opts.Client; c.ID == "" || c.Secret == "" && c.Key == nil {
		return nil, ruleError(clean(s.issuer), "ClientCredentials needs Options.Client with an ID and a Secret or Key", nil)
	}
	// Otherwise a malicious MCP server could name an authorization server of its
	// own and receive the secret, without a user who would notice.
	if t.opts.Client.Secret != "" && !t.knowsIssuer(s) {
		return nil, ruleError(clean(s.issuer), "ClientCredentials: the client's secret is not sent to an authorization server that only the MCP server names; "+
			"if it is the right one, set Options.Issuer, or Options.TrustDiscoveredIssuer for any", nil)
	}
	return url.Values{"grant_type": {"client_credentials"}}, nil
}

// knowsIssuer reports whether a secret may go to the authorization server.
func (t *Transport) knowsIssuer(s *server) bool {
	if t.opts.Issuer != "" || t.opts.Client.Issuer != "" || t.opts.TrustDiscoveredIssuer || t.currentBinding().issuer == s.issuer {
		return true
	}
	u, err := url.Parse(s.issuer)
	return err == nil && httpx.SameOrigin(u, t.url)
}

// Assertion is the Grant of a workload whose platform gives it a JSON Web Token
// that the authorization server trusts (workload identity federation, RFC 7523,
// section 2.1). Without Options.Issuer and Client.Issuer, the token is sent only
// to an authorization server that is in its audience.
type Assertion struct {
	Source Source // returns the JSON Web Token
}

func (g Assertion) form(ctx context.Context, t *Transport, s *server, _ []string) (url.Values, error) {
	a, err := readSource(ctx, g.Source, "Assertion")
	if err != nil {
		return nil, err
	}
	j, err := parseJWT(a)
	if err != nil {
		return nil, ruleError(clean(s.issuer), "the assertion is invalid", err)
	}
	if !j.expires.IsZero() && time.Now().After(j.expires) {
		return nil, ruleError(clean(s.issuer), "the assertion has expired (RFC 7523, section 3)", nil)
	}
	// Without the check, a malicious MCP server could name an authorization
	// server of its own and use the assertion elsewhere.
	named := t.opts.Issuer != "" || t.opts.Client.Issuer != ""
	if !named && !slices.Contains(j.audience, s.name()) && !slices.Contains(j.audience, s.token) {
		return nil, ruleError(clean(s.issuer), "the assertion is for another audience (RFC 7523, section 3); if this authorization server is the right one, set Options.Issuer", nil)
	}
	return url.Values{"grant_type": {jwtBearer}, "assertion": {a}}, nil
}

// Identity is the Grant of a program whose user logged in at an identity
// provider that decides which servers the user may use (Enterprise-Managed
// Authorization). Options.Client is the client at the server's authorization
// server. Printing an Identity shows no secrets.
type Identity struct {
	// TokenURL is the token endpoint of the identity provider.
	TokenURL string

	// Client identifies the program to the identity provider.
	Client Client

	// Source returns the token that the identity provider issued for the user.
	Source Source

	// Type is the type of that token (RFC 8693, section 3). Empty means an ID
	// token, "urn:ietf:params:oauth:token-type:id_token".
	Type string
}

const (
	idToken = "urn:ietf:params:oauth:token-type:id_token"
	idJAG   = "urn:ietf:params:oauth:token-type:id-jag"
)

func (g Identity) form(ctx context.Context, t *Transport, s *server, scopes []string) (url.Values, error) {
	subject, err := readSource(ctx, g.Source, "Identity")
	if err != nil {
		return nil, err
	}
	form := url.Values{
		"grant_type":           {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"requested_token_type": {idJAG},
		"audience":             {s.name()},
		"subject_token":        {subject},
		"subject_token_type":   {idToken},
	}
	if s.sent != "" { // Options.Parameters are for the other server
		form.Set("resource", s.sent)
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
		return nil, ruleError(clean(g.TokenURL), "the identity provider issued an invalid assertion (Enterprise-Managed Authorization, section 4.3)", err)
	}
	return url.Values{"grant_type": {jwtBearer}, "assertion": {k.access}}, nil
}

// readSource returns the value of src, which must not be empty. Errors call src
// what.
func readSource(ctx context.Context, src Source, what string) (string, error) {
	if src == nil {
		return "", ruleError("", what+" has no Source (it is nil)", nil)
	}
	s, err := src(ctx)
	if err == nil && s == "" {
		return "", ruleError("", "the Source of "+what+" returned an empty value", nil)
	}
	return s, err
}

// A jwt holds claims of a JSON Web Token that is neither issued by nor for the
// client. The client cannot verify it, and reads it only to fail early with a
// clear error.
type jwt struct {
	typ      string
	audience []string
	resource []byte // JSON; nil if it has none
	client   string
	expires  time.Time // zero if it has no exp
}

var errJWT = errors.New("not a signed JSON Web Token")

func parseJWT(s string) (*jwt, error) {
	const longest = 1 << 20
	parts := strings.SplitN(s, ".", 4)
	if len(s) > longest || len(parts) != 3 {
		return nil, errJWT
	}
	var decoded [3][]byte
	for i, p := range parts {
		data, err := base64.RawURLEncoding.Strict().DecodeString(p)
		if err != nil || len(data) == 0 || strings.ContainsAny(p, "\r\n") {
			return nil, errJWT
		}
		decoded[i] = data
	}
	j := &jwt{}
	if err := (texts{"typ": &j.typ}).read(decoded[0], nil); err != nil {
		return nil, errJWT
	}
	if err := j.readClaims(decoded[1]); err != nil {
		return nil, errJWT
	}
	return j, nil
}

func (j *jwt) readClaims(data []byte) error {
	return readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "aud":
			j.audience = oneOrMore(r)
		case "resource":
			if !r.Null() {
				j.resource = r.Raw()
			}
		case "client_id":
			j.client = r.String()
		case "exp":
			const last = 1 << 38 // later years have more than four digits
			if f := r.Float(); f >= 0 && f < last {
				j.expires = time.Unix(int64(f), 0)
			} else {
				r.Fail(errJWT)
			}
		default:
			r.Skip()
		}
	})
}

// checkGrant returns an error if the identity provider's assertion is not for
// the server s and the client (Enterprise-Managed Authorization, section 4.3).
func (j *jwt) checkGrant(s *server, client string) error {
	r := wire.NewReader(j.resource)
	resources := oneOrMore(&r)
	switch {
	case j.typ != "oauth-id-jag+jwt":
		return errors.New(`its typ is not "oauth-id-jag+jwt"`)
	case len(j.audience) != 1 || !sameIssuer(j.audience[0], s.issuer): // with a second one, this server could use it there
		return errors.New("its audience is not " + printable(s.issuer) + " alone")
	case j.resource != nil && s.sent != "" && !slices.Equal(resources, []string{s.sent}):
		return errors.New("its resource is not " + printable(s.sent) + " alone")
	case j.client != client:
		return errors.New("its client_id is not Options.Client.ID")
	}
	return nil
}
