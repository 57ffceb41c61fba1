package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// Login authorizes the program now, even if it has a token or an earlier attempt
// failed. It requests the scopes of the previous token, and those that requests
// lacked while there was no Authorizer; Logout clears both. The errors are those
// of [Transport.RoundTrip], except streamhttp.StatusError.
func (t *Transport) Login(ctx context.Context) error {
	if t.err != nil {
		return t.err
	}
	if t.insecureError != nil {
		return t.insecureError
	}
	d, err := t.probe(ctx)
	if err != nil {
		return err
	}
	unlock, old, err := t.lockedLoad(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	ctx = d.withZone(ctx)
	s, err := t.discover(ctx, d)
	if err != nil {
		return err
	}
	if b := t.currentBinding(); b.issuer != s.issuer || b.resource != s.resource {
		old = nil
	} else {
		d.scope = strings.TrimSpace(d.scope + " " + b.wantedScopes)
	}
	k, c, err := t.newToken(ctx, s, old, d)
	if err != nil {
		return err
	}
	_, err = t.storeToken(ctx, s, c, k)
	t.mu.Lock()
	t.stepUps = nil
	t.mu.Unlock()
	if err == nil {
		t.loggedIn()
	}
	return err
}

// The probe is a client's usual first request, so servers of every protocol
// version answer it, and it does not open a session.
const (
	discoverVersion = "2026-07-28"
	discoverMethod  = "server/discover"
	discoverBody    = `{"jsonrpc":"2.0","id":1,"method":"` + discoverMethod + `","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"` + discoverVersion + `","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// probe sends the server a request without a token and returns its demand, which
// is zero if the server accepts that request without authorization.
func (t *Transport) probe(ctx context.Context) (demand, error) {
	ctx, cancel := withTimeout(ctx, fetchTime)
	defer cancel()
	d, status, err := t.probeWith(ctx, http.MethodPost, discoverBody, http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {discoverVersion}, "Mcp-Method": {discoverMethod},
	})
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed { // an HTTP+SSE server expects GET first
		d, _, err = t.probeWith(ctx, http.MethodGet, "", http.Header{"Accept": {"text/event-stream"}})
	}
	return d, err
}

// probeWith sends a request and returns the demand in the response.
func (t *Transport) probeWith(ctx context.Context, method, body string, h http.Header) (d demand, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, method, t.url.String(), strings.NewReader(body))
	if err != nil {
		return d, 0, ruleError(httpx.Clean(t.url), "invalid URL", nil)
	}
	req.Header = h
	var used usedAddress
	resp, err := t.base.RoundTrip(req.WithContext(used.traced(ctx)))
	if err != nil {
		return d, 0, httpx.RequestError(method, t.url, httpx.Redact(err, req))
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		d, _ = demandOf(resp)
	}
	t.from(&d, &used)
	return d, resp.StatusCode, nil
}

// Logout revokes the tokens if the authorization server supports it (RFC 7009),
// and deletes them from the Store even if revocation fails. The error comes from
// the revocation or from the Store.
func (t *Transport) Logout(ctx context.Context) error {
	if t.err != nil {
		return t.err
	}
	unlock, k, err := t.lockedLoad(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	b := t.currentBinding()
	if k != nil {
		err = t.revoke(ctx, b, k)
	}
	if b.issuer != "" {
		t.dropRegistration(ctx, b.issuer, b.client)
	} else if s := t.nextServer(ctx); s != nil {
		if g := t.loadRegistration(ctx, StoreKey{Issuer: s.issuer}); g != nil {
			t.dropRegistration(ctx, s.issuer, g.id)
		}
	}
	for _, key := range []StoreKey{b.key(), t.bindingKey()} {
		if e := t.save(ctx, key, nil); e != nil {
			err = ruleError("", "cannot write the store", e)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tok, t.binding, t.failed, t.denied, t.stepUps = nil, binding{}, failure{}, failure{}, nil
	return err
}

// nextServer returns the authorization server that a login would use, or nil.
func (t *Transport) nextServer(ctx context.Context) *server {
	if t.opts.Client.ID != "" || t.opts.ClientURL != "" || t.opts.Grant != nil || t.insecureError != nil {
		return nil // it has no registration to forget
	}
	ctx, cancel := withTimeout(ctx, probeTime)
	defer cancel()
	d, err := t.probe(ctx)
	if err != nil {
		return nil
	}
	s, err := t.discover(d.withZone(ctx), d)
	if err != nil {
		return nil
	}
	return s
}

// SharedResource returns the parent of the server's URL that the server's metadata
// stated at the login, or "": the token is then shared with other servers below the
// parent, whose logins end with Logout, unless they have another Options.Account.
func (t *Transport) SharedResource(ctx context.Context) (string, error) {
	if t.err != nil {
		return "", t.err
	}
	_, err := t.load(ctx)
	r := t.currentBinding().resource
	if err != nil || r == canonical(t.url) || t.opts.Account != "" {
		return "", err
	}
	return r, nil
}

// lockedLoad locks the store for this server, and loads its token. An entry that it
// cannot read counts as none: Login replaces it, and Logout deletes it.
func (t *Transport) lockedLoad(ctx context.Context) (unlock func(), k *token, err error) {
	unlock, err = t.store.Lock(ctx, t.bindingKey())
	if err != nil {
		return nil, nil, ruleError("", "cannot lock the store", err)
	}
	if k, err = t.load(ctx); err != nil && !errors.Is(err, errStored) {
		unlock()
		return nil, nil, err
	}
	return unlock, k, nil
}

// revoke revokes the tokens of k at the authorization server that issued them.
func (t *Transport) revoke(ctx context.Context, b binding, k *token) error {
	d := demand{metadata: b.metadata}
	d.zone, d.zoneKnown = t.knownZone()
	ctx = d.withZone(ctx)
	s, err := t.discover(ctx, d)
	if err != nil || s.issuer != b.issuer || s.revoke == "" {
		return err
	}
	c := t.knownClient(ctx, s, b.client)
	if c == nil {
		return nil
	}
	for _, v := range [...][2]string{{"refresh_token", k.refresh}, {"access_token", k.access}} {
		if v[1] == "" {
			continue
		}
		form := url.Values{"token": {v[1]}, "token_type_hint": {v[0]}}
		// A server need not support every token type (RFC 7009, section 2.2.1).
		if _, err := t.postForm(ctx, s.revoke, &s.serverMetadata, c, form, nil); err != nil && !isCode(err, "unsupported_token_type") {
			return err
		}
	}
	return nil
}
