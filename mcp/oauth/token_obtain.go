package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
)

// current returns the token to send, or nil. It replaces an expired token if
// that does not need the user. It ignores errors, because the server may accept
// the request anyway.
func (t *Transport) current(ctx context.Context) *token {
	if t.insecureError != nil {
		return nil
	}
	t.mu.Lock()
	k, loaded := t.tok, t.loaded
	t.mu.Unlock()
	if !loaded {
		k, _, _ = doOnce(ctx, &t.mu, &t.loading, nil, t.load)
	}
	if k == nil || !k.expired() || k.refresh == "" && t.opts.Grant == nil {
		return k
	}
	d := demand{metadata: t.currentBinding().metadata, scope: strings.Join(k.scopes, " "), dpop: k.dpop, bearer: !k.dpop, silent: true}
	d.zone, d.zoneKnown = t.knownZone()
	if next, err := t.renew(ctx, k, d, ""); err == nil {
		return next
	}
	return k
}

func (t *Transport) currentBinding() binding {
	t.mu.Lock()
	b := t.binding
	t.mu.Unlock()
	return b
}

// renew returns a token that satisfies the demand, which used did not. Requests
// with the same task share one attempt. A request with another task, such as more
// scopes for another operation, waits for the current attempt to end first.
func (t *Transport) renew(ctx context.Context, used *token, d demand, operation string) (*token, error) {
	slot, task := &t.renewing, any(nil)
	switch {
	case d.silent:
		slot = &t.renewingSilently
	case d.stepUp:
		task = stepUp{d, operation}
	}
	for {
		t.mu.Lock()
		f := t.failed
		t.mu.Unlock()
		if f.err != nil && f.demand == d && time.Now().Before(f.until) {
			return nil, f.err
		}
		k, err, ok := doOnce(ctx, &t.mu, slot, task, func(ctx context.Context) (*token, error) {
			t.mu.Lock()
			k := t.tok
			t.mu.Unlock()
			if k != nil && k != used && d.satisfiedBy(k) {
				return k, nil // renewed since used was sent
			}
			if err := t.countStepUp(task); err != nil {
				return nil, err
			}
			k, err := t.lockAndObtain(ctx, used, d)
			if err != nil && ctx.Err() == nil && !isTransient(err) && !errors.Is(err, ErrLoginRequired) {
				t.mu.Lock()
				t.failed = failure{demand: d, err: err, until: time.Now().Add(holdTime)}
				t.mu.Unlock()
			}
			return k, err
		})
		if ok {
			return k, err
		}
	}
}

// lockAndObtain obtains a token with the store locked, unless another process has
// stored one.
func (t *Transport) lockAndObtain(ctx context.Context, used *token, d demand) (*token, error) {
	if t.insecureError != nil {
		return nil, t.insecureError
	}
	k, err := t.load(ctx)
	if err != nil {
		return nil, err
	}
	if k == nil && t.opts.Grant == nil && t.opts.Authorizer == nil {
		return nil, t.loginRequired(nil) // before anything is written
	}
	unlock, err := t.store.Lock(ctx, t.bindingKey())
	if err != nil {
		return nil, ruleError("", "cannot lock the store", err)
	}
	defer unlock()
	if b := t.currentBinding(); b.issuer != "" && b.resource != t.accountResource() { // other servers use the token, too
		shared, err := t.store.Lock(ctx, b.key())
		if err != nil {
			return nil, ruleError("", "cannot lock the store", err)
		}
		defer shared()
	}
	if k, err = t.load(ctx); err != nil {
		return nil, err
	}
	if k != nil && k != used && !k.expired() && d.satisfiedBy(k) {
		return k, nil
	}
	return t.obtain(ctx, k, d)
}

// obtain gets a token in place of old, which may be nil: with the refresh token
// first, then anew. It discards a stored token or registration only after the
// authorization server has refused it.
func (t *Transport) obtain(ctx context.Context, old *token, d demand) (*token, error) {
	if t.opts.Grant == nil && t.opts.Authorizer == nil && (old == nil || old.refresh == "" || d.stepUp) {
		if d.stepUp && old != nil {
			if err := t.storeWantedScopes(ctx, d.scope); err != nil {
				return nil, err
			}
		}
		return nil, t.loginRequired(nil)
	}
	ctx = d.withZone(ctx)
	s, err := t.discover(ctx, d)
	if err != nil {
		return nil, err
	}
	if b := t.currentBinding(); b.issuer != s.issuer || b.resource != s.resource {
		old = nil // the server moved: this token is for another authorization server
	}
	var refused error
	if old != nil && !d.stepUp {
		if !d.silent && old.justRefused() {
			return nil, ruleError(s.resource, "the server refuses the token that was just issued for it", nil)
		}
		k, c, err := t.refresh(ctx, s, old)
		if k != nil {
			return t.storeToken(ctx, s, c, k)
		}
		if err != nil && (!isRefusal(err) || isCode(err, "temporarily_unavailable", "server_error", "slow_down")) {
			return nil, err // the tokens may still be valid
		}
		if err != nil {
			if err := t.discardRefused(ctx, err); err != nil {
				return nil, err
			}
			refused = err
		}
	}
	if t.opts.Grant == nil && (d.silent || t.opts.Authorizer == nil) {
		return nil, t.loginRequired(refused)
	}
	t.mu.Lock()
	denied := t.denied
	t.mu.Unlock()
	if denied.err != nil && t.opts.Grant == nil && time.Now().Before(denied.until) {
		return nil, denied.err
	}
	k, c, err := t.newToken(ctx, s, old, d)
	if err != nil && ctx.Err() == nil && (!isTransient(err) || wasAsked(ctx)) {
		t.mu.Lock()
		t.denied = failure{demand: d, err: err, until: time.Now().Add(holdTime)}
		t.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	if k, err = t.storeToken(ctx, s, c, k); err == nil {
		t.loggedIn()
	}
	return k, err
}

// loginRequired returns the error of a request that only the user can help. refused
// is the refusal of the refresh token, or nil.
func (t *Transport) loginRequired(refused error) error {
	e := ruleError(httpx.Clean(t.url), "no valid token", ErrLoginRequired)
	if refused != nil {
		e.Err = fmt.Errorf("%w; the token cannot be refreshed: %w", ErrLoginRequired, refused)
	}
	return e
}

// justRefused reports whether the server would refuse another token like k too:
// k is new, the server accepted no request with it, and it was not issued for a
// refresh token, after which a new authorization may still help.
func (k *token) justRefused() bool {
	return !k.issued.IsZero() && time.Since(k.issued) < holdTime && !k.refreshed && !k.proven.Load()
}

// isRefusal reports whether the authorization server refused the request, not a
// proxy in front of it.
func isRefusal(err error) bool {
	e, ok := diag.Find[*ServerError](err)
	return ok && e.isOAuthCode && !isTransient(err)
}

// isTransient reports whether the same attempt may succeed later.
func isTransient(err error) bool {
	if e, ok := diag.Find[*ServerError](err); ok {
		return e.Status >= 500 || e.Status == http.StatusTooManyRequests
	}
	_, ok := diag.Find[interface{ Timeout() bool }](err) // such as a net.Error
	return ok
}

// refresh returns a token for the refresh token of old. It returns nil if there
// is none, or if the resource refused the last refreshed token.
func (t *Transport) refresh(ctx context.Context, s *server, old *token) (*token, *Client, error) {
	if old.refresh == "" || old.refreshed && !old.proven.Load() && !old.expired() {
		return nil, nil, nil
	}
	c := t.knownClient(ctx, s, t.currentBinding().client)
	if c == nil {
		return nil, nil, nil
	}
	t.mu.Lock()
	f := t.refused
	t.mu.Unlock()
	if f.token == old && time.Now().Before(f.until) {
		return nil, nil, f.err
	}
	form := t.form(s, "grant_type", "refresh_token", "refresh_token", old.refresh)
	k, err := t.requestToken(ctx, &s.serverMetadata, c, form, old.key)
	if err != nil {
		return nil, nil, t.explain(s, err)
	}
	if old.dpop && !k.dpop {
		return nil, nil, notBound(s)
	}
	if k.refresh == "" {
		k.refresh = old.refresh // it was not rotated
	}
	if len(k.granted) == 0 {
		k.granted = old.granted
	}
	k.key, k.secret, k.scopes = old.key, old.secret, union(old.scopes, k.scopes)
	return k, c, nil
}

func notBound(s *server) error {
	return ruleError(clean(s.issuer), "the token is not bound to the DPoP key (RFC 9449, section 5)", nil)
}

// newToken gets a token from the Grant or the Authorizer.
func (t *Transport) newToken(ctx context.Context, s *server, old *token, d demand) (k *token, c *Client, err error) {
	key, secret, err := t.proofKey(s, old, d)
	if err != nil {
		return nil, nil, err
	}
	scopes := t.scopes(s, old, d)
	if t.opts.Grant != nil {
		k, c, err = t.tokenByGrant(ctx, s, scopes, key)
	} else {
		k, c, err = t.tokenByUser(ctx, s, scopes, key)
	}
	if err != nil {
		return nil, nil, t.explain(s, err)
	}
	if k.dpop != (key != nil) {
		return nil, nil, notBound(s)
	}
	k.key, k.secret = key, secret
	return k, c, nil
}

// scopes returns the scopes to request: those that the server demands, or else
// those in its metadata, and those of the old token (Scope Selection Strategy,
// Step-Up Authorization Flow).
func (t *Transport) scopes(s *server, old *token, d demand) []string {
	list := strings.Fields(d.scope)
	if len(list) == 0 && len(t.opts.Scopes) == 0 {
		list = s.scopes
	}
	list = union(list, t.opts.Scopes)
	if old != nil {
		list = union(old.scopes, list)
	}
	const offline = "offline_access"
	if len(list) > 0 && t.opts.Grant == nil && slices.Contains(s.serverMetadata.scopes, offline) {
		list = union(list, []string{offline})
	}
	return list
}
