package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/url"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/browser"
)

// An Authorizer has the user authorize the program in a browser. [Loopback], [Paste]
// and [Device] are implementations.
type Authorizer interface {
	// Listen prepares to receive one authorization response. last is the redirect
	// URI of the previous registration, or empty if there is none. If the
	// Receiver has the same one, the program need not be registered again.
	Listen(ctx context.Context, last string) (Receiver, error)
}

// A TokenAuthorizer is an Authorizer that may get tokens elsewhere, such as from the
// service that the program belongs to.
type TokenAuthorizer interface {
	Authorizer

	// Token returns an access token of the authorization server issuer that is valid
	// at resource with these scopes, and its expiry, which may be zero. "" means that
	// there is none, so that the user logs in. The MCP server names issuer and
	// resource: the token must be for no other.
	Token(ctx context.Context, issuer, resource string, scopes []string) (token string, expires time.Time, err error)
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

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// deviceFlow is *Device. Programs without one do not link its methods.
type deviceFlow interface {
	check(*Transport, *server) error
	token(context.Context, *Transport, *server, []string, *Key, *registration) (*token, *Client, error)
}

// device returns the Authorizer's Device, or nil.
func (t *Transport) device() deviceFlow {
	switch a := t.opts.Authorizer.(type) {
	case deviceFlow:
		return a
	case interface{ device() deviceFlow }:
		return a.device()
	}
	return nil
}

// deviceKey is the context key that marks an attempt in which device authorization is
// possible.
type deviceKey struct{}

// DeviceOffered reports whether the Authorizer that was called with ctx may return
// ErrNoBrowser to have device authorization.
func DeviceOffered(ctx context.Context) bool { return ctx.Value(deviceKey{}) != nil }

// tokenByUser gets a token from the Authorizer.
func (t *Transport) tokenByUser(ctx context.Context, s *server, scopes []string, key *Key) (*token, *Client, error) {
	if t.opts.Authorizer == nil {
		return nil, nil, t.loginRequired(nil)
	}
	if a, ok := t.opts.Authorizer.(TokenAuthorizer); ok {
		k := &token{issued: time.Now()}
		var err error
		if k.access, k.expires, err = a.Token(ctx, s.issuer, s.sent, scopes); err != nil || k.access != "" {
			if err == nil && !validToken(k.access) {
				err = ruleError(clean(s.issuer), "the TokenAuthorizer returned an invalid token", nil)
			}
			k.asked(scopes)
			return k, &Client{ID: t.opts.Client.ID}, err
		}
	}
	if d := t.device(); d != nil && d.check(t, s) == nil {
		ctx = context.WithValue(ctx, deviceKey{}, true)
	}
	known := t.loadRegistration(ctx, StoreKey{Issuer: s.issuer})
	if t.forgotten(ctx, s, known) {
		known = nil
	}
	k, c, err := t.authorizeByUser(ctx, s, scopes, key, known)
	if known != nil && c != nil && c.ID == known.id && isCode(err, "invalid_client", "unauthorized_client", "invalid_scope") {
		k, c, err = t.authorizeByUser(ctx, s, scopes, key, nil) // the server deleted the registration, or it was for fewer scopes
	}
	if err == nil && c != nil {
		t.mu.Lock()
		t.accepted = accepted{c.ID, time.Now()}
		t.mu.Unlock()
	}
	return k, c, err
}

// checkCode returns why the Transport cannot use an authorization code of s, or nil.
// assume permits metadata that does not name the methods of PKCE: it needs a fixed
// issuer, and the challenge is sent all the same, so that a server that ignores it only
// lacks the second protection of a code that comes back to this machine with its state.
func checkCode(s *server, assume bool) error {
	switch {
	case s.authorize == "":
		return ruleError(clean(s.issuer), "no authorization_endpoint in the metadata", nil)
	case !s.legacy && !s.pkceKnown && !assume:
		return ruleError(clean(s.issuer), "the metadata has no code_challenge_methods_supported (Authorization Code Protection); "+
			"if this server supports PKCE with S256, set Options.Issuer to it, and Options.AssumePKCE", nil)
	case s.pkceKnown && !slices.Contains(s.pkceMethods, "S256"):
		return ruleError(clean(s.issuer), "no PKCE with S256 in code_challenge_methods_supported (Authorization Code Protection)", nil)
	}
	return nil
}

// authorizeByUser has the user authorize the program once, with an authorization code
// (OAuth 2.1, section 4.1) or with device authorization. known is a stored
// registration or nil. The client is returned with an error too, if it is known.
func (t *Transport) authorizeByUser(ctx context.Context, s *server, scopes []string, key *Key, known *registration) (*token, *Client, error) {
	last := ""
	if known != nil && known.redirect != deviceGrant {
		last = known.redirect
	}
	in, err := t.opts.Authorizer.Listen(ctx, last)
	d := t.device()
	if d != nil && errors.Is(err, ErrNoBrowser) {
		return d.token(ctx, t, s, scopes, key, known)
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = in.Close() }()
	if err := checkCode(s, t.opts.AssumePKCE); err != nil {
		return nil, nil, err
	}
	redirect := in.RedirectURI()
	c, err := t.clientFor(ctx, s, redirect, scopes, known)
	if isRefusal(err) && mentions(err, "redirect") {
		// Some servers register localhost, which is this machine too, but no address.
		if local, e := t.opts.Authorizer.Listen(ctx, localRedirect); e == nil {
			_ = in.Close()
			if in = local; in.RedirectURI() != redirect {
				redirect = in.RedirectURI()
				c, err = t.clientFor(ctx, s, redirect, scopes, nil)
			}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	verifier, state := randomString(), randomString()
	page, err := t.authorizationURL(s, c, redirect, state, verifier, scopes, key)
	if err != nil {
		return nil, c, err
	}
	want := expectedCallback{redirect, state, s.stated, s.issInResponses, func() {
		t.odd(clean(s.issuer), "a redirect without the state of the request came, and was ignored: it may be from another login, or the server omits state (OAuth 2.1, section 4.1.2)")
	}}
	ctx = context.WithValue(ctx, callbackKey{}, &want)
	defer asking(ctx, page)()
	response, err := in.Authorize(ctx, page)
	if d != nil && errors.Is(err, ErrNoBrowser) {
		return d.token(ctx, t, s, scopes, key, t.loadRegistration(ctx, StoreKey{Issuer: s.issuer}))
	}
	if err != nil {
		return nil, c, t.afterTimeout(ctx, s, c, err)
	}
	code, err := parseCallback(response, want)
	if err != nil {
		return nil, c, err
	}
	form := t.form(s, "grant_type", "authorization_code", "code", code, "redirect_uri", redirect, "code_verifier", verifier)
	k, err := t.requestToken(ctx, &s.serverMetadata, c, form, key)
	if err != nil {
		return nil, c, err
	}
	k.asked(scopes)
	return k, c, nil
}

func (t *Transport) authorizationURL(s *server, c *Client, redirect, state, verifier string, scopes []string, key *Key) (string, error) {
	u, err := t.fetch.parse(s.authorize)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(verifier))
	q := u.Query()
	setAll(q, "response_type", "code", "client_id", c.ID, "redirect_uri", redirect, "state", state,
		"code_challenge", encode(sum[:]), "code_challenge_method", "S256")
	if len(scopes) > 0 {
		q.Set("scope", strings.Join(scopes, " "))
	}
	if slices.Contains(scopes, "offline_access") {
		q.Set("prompt", "consent") // required by OpenID Connect Core, section 11
	}
	t.complete(q, s)
	if key != nil {
		q.Set("dpop_jkt", key.thumbprint())
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// callbackKey is the context key of the expectedCallback, for Loopback.
type callbackKey struct{}

// expectedCallback describes the authorization response to a request.
type expectedCallback struct {
	redirect string
	state    string
	issuer   string
	issSaid  bool // the server announces that its responses have iss (RFC 9207)
	stray    func()
}

// parseCallback returns the code in an authorization response, the URL to which
// the browser was redirected. It checks the sender before anything else.
func parseCallback(response string, want expectedCallback) (code string, err error) {
	const longest = 64 << 10
	refuse := func(rule string) (string, error) {
		return "", ruleError(clean(want.issuer), "the authorization response "+rule, nil)
	}
	base, query, _ := strings.Cut(response, "?")
	query, _, _ = strings.Cut(query, "#")
	redirect, _, _ := strings.Cut(want.redirect, "?")
	if len(response) > longest || base != redirect {
		return refuse("does not match the redirect URI " + clean(want.redirect))
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return refuse("is malformed")
	}
	for _, name := range [...]string{"state", "iss", "code", "error"} {
		if len(slices.Compact(q[name])) > 1 { // the same value twice is one
			return refuse("has " + name + " twice (OAuth 2.1, section 4.1.2)")
		}
	}
	if want.state == "" || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(want.state)) != 1 {
		return refuse("does not have the state of the request (OAuth 2.1, section 7.12)")
	}
	// Authorization Response Validation: compared without normalization, and
	// required only if announced.
	switch iss, ok := q["iss"]; {
	case ok && !matchesIssuer(want.issuer, iss[0]):
		return refuse("comes from another authorization server, " + printable(clean(iss[0])) + " (RFC 9207, section 2.4)")
	case !ok && want.issSaid:
		return refuse("has no iss, although the server announces it (RFC 9207, section 2.4)")
	}
	if e := q.Get("error"); e != "" {
		return "", &ServerError{URL: clean(want.issuer), Code: printable(e), Description: printable(q.Get("error_description"))}
	}
	if code = q.Get("code"); code == "" {
		return refuse("has no code")
	}
	return code, nil
}

// OpenBrowser opens a page in the user's browser. It runs no shell, and accepts
// only http and https URLs (OAuth Authorization URL Validation). If the command
// that opens browsers fails within 2 s, as it does on a machine without one,
// OpenBrowser returns an error.
func OpenBrowser(ctx context.Context, page string) error {
	name, args, err := browserCommand(runtime.GOOS, page)
	if err != nil {
		return err
	}
	return startBrowser(ctx, exec.Command(name, args...))
}

func startBrowser(ctx context.Context, cmd *exec.Cmd) error {
	if err := browser.Start(ctx, cmd); err != nil && err != ctx.Err() {
		return ruleError("", "cannot open the browser: "+cmd.Args[0], err)
	}
	return ctx.Err()
}

func browserCommand(system, page string) (string, []string, error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", nil, ruleError(clean(page), "cannot open this in a browser: only http and https URLs are allowed", nil)
	}
	page = u.String() // String escapes what the original left unescaped
	switch system {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", page}, nil
	case "darwin":
		return "/usr/bin/open", []string{page}, nil
	}
	return "xdg-open", []string{page}, nil
}
