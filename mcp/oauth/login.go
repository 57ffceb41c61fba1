package oauth

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// Login has the program authorized now, whether there is a token or not, and
// whatever went wrong before. The scopes there were are asked for again, and
// those that were wanted when nobody could be asked; Logout forgets them. The
// errors are those of [Transport.RoundTrip].
func (t *Transport) Login(ctx context.Context) error {
	if t.err != nil {
		return t.err
	}
	if t.headerTransport != nil {
		return t.headerTransport
	}
	d, err := t.probe(ctx)
	if err != nil {
		return err
	}
	unlock, err := t.store.Lock(ctx, t.bindingKey())
	if err != nil {
		return &Error{Rule: "the store cannot be locked", Err: err}
	}
	defer unlock()
	old, err := t.load(ctx)
	if err != nil {
		return err
	}
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
	return err
}

// A request that asks a server what it is. It is what clients ask first, so
// servers of every revision have an answer to it, and none begins a session.
const (
	discoverVersion = "2026-07-28"
	discoverMethod  = "server/discover"
	discoverBody    = `{"jsonrpc":"2.0","id":1,"method":"` + discoverMethod + `","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"` + discoverVersion + `","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// probe asks the server something without a token, to see what it demands. One
// that demands nothing of that may still demand something else.
func (t *Transport) probe(ctx context.Context) (demand, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	d, status, err := t.probeWith(ctx, http.MethodPost, discoverBody, http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {discoverVersion}, "Mcp-Method": {discoverMethod},
	})
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed { // HTTP+SSE begins with GET
		d, _, err = t.probeWith(ctx, http.MethodGet, "", http.Header{"Accept": {"text/event-stream"}})
	}
	return d, err
}

// demanded sends a request and returns what the answer demands.
func (t *Transport) probeWith(ctx context.Context, method, body string, h http.Header) (d demand, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, method, t.url.String(), strings.NewReader(body))
	if err != nil {
		return d, 0, &Error{URL: httpx.Clean(t.url), Rule: "not a URL that can be asked"}
	}
	req.Header = h
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return d, 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		d, _ = demandOf(resp)
	}
	return d, resp.StatusCode, nil
}

// Logout revokes the tokens where the authorization server lets that be done
// (RFC 7009), and forgets them in any case. The error is that of the revocation
// or of the Store.
func (t *Transport) Logout(ctx context.Context) error {
	if t.err != nil {
		return t.err
	}
	unlock, err := t.store.Lock(ctx, t.bindingKey())
	if err != nil {
		return &Error{Rule: "the store cannot be locked", Err: err}
	}
	defer unlock()
	k, err := t.load(ctx)
	if err != nil {
		return err
	}
	b := t.currentBinding()
	if k != nil {
		err = t.revoke(ctx, b, k)
	}
	for _, key := range []StoreKey{b.key(), t.bindingKey()} {
		if e := t.store.Save(ctx, key, nil); e != nil {
			err = &Error{Rule: "the store cannot be written", Err: e}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tok, t.binding, t.failed, t.stepUps = nil, binding{}, failure{}, nil
	return err
}

// revoke makes the token worthless at the server that gave it out.
func (t *Transport) revoke(ctx context.Context, b binding, k *token) error {
	s, err := t.discover(ctx, demand{metadata: b.metadata})
	if err != nil || s.issuer != b.issuer || s.revoke == "" {
		return err
	}
	c := t.knownClient(ctx, s, b.client)
	if c == nil {
		return nil
	}
	u, err := t.fetch.parse(s.revoke)
	if err != nil {
		return err
	}
	for _, v := range [...][2]string{{"refresh_token", k.refresh}, {"access_token", k.access}} {
		if v[1] == "" {
			continue
		}
		form := url.Values{"token": {v[1]}, "token_type_hint": {v[0]}}
		h := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		if err := c.authenticate(&s.serverMetadata, form, h); err != nil {
			return err
		}
		a, err := t.fetch.post(ctx, u, h, []byte(form.Encode()))
		if err != nil {
			return err
		}
		// A kind of token that cannot be revoked is not a mistake.
		if err := a.refusal(secretsOf(form, c)...); a.status != http.StatusOK && !isCode(err, "unsupported_token_type") {
			return err
		}
	}
	return nil
}
