package oauth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// current returns the token to send, or nil. One that has expired is replaced
// if that needs nobody. What goes wrong is seen when the server asks for more,
// which it need not.
func (t *Transport) current(ctx context.Context) *token {
	if t.headerTransport != nil {
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
	if next, err := t.renew(ctx, k, d, ""); err == nil {
		return next
	}
	return k
}

func (t *Transport) currentBinding() binding {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.binding
}

// renew returns a token that meets the demand, after used did not. All who
// need one wait for the same; who needs something else than is being done, such
// as more scopes for operation, waits for that first.
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
				return k, nil // since used was sent, somebody renewed it
			}
			if err := t.countStepUp(task); err != nil {
				return nil, err
			}
			k, err := t.obtainLocked(ctx, used, d)
			if err != nil && ctx.Err() == nil && !isTransient(err) && !errors.Is(err, ErrLoginRequired) {
				t.mu.Lock()
				t.failed = failure{d, err, time.Now().Add(holdTime)}
				t.mu.Unlock()
			}
			return k, err
		})
		if ok {
			return k, err
		}
	}
}

// locked obtains a token while no other process does, unless one has.
func (t *Transport) obtainLocked(ctx context.Context, used *token, d demand) (*token, error) {
	if t.headerTransport != nil {
		return nil, t.headerTransport
	}
	k, err := t.load(ctx)
	if err != nil {
		return nil, err
	}
	if k == nil && t.opts.Grant == nil && t.opts.Authorizer == nil {
		return nil, t.loginRequired() // before anything is written
	}
	unlock, err := t.store.Lock(ctx, t.bindingKey())
	if err != nil {
		return nil, &Error{Rule: "the store cannot be locked", Err: err}
	}
	defer unlock()
	if k, err = t.load(ctx); err != nil {
		return nil, err
	}
	if k != nil && k != used && !k.expired() && d.satisfiedBy(k) {
		return k, nil
	}
	return t.obtain(ctx, k, d)
}

// obtain gets a token in place of old, which may be nil, in stages: what is
// known is thrown away only when it is certain that it is of no use.
func (t *Transport) obtain(ctx context.Context, old *token, d demand) (*token, error) {
	if t.opts.Grant == nil && t.opts.Authorizer == nil && (old == nil || old.refresh == "" || d.stepUp) {
		if d.stepUp && old != nil {
			if err := t.storeWantedScopes(ctx, d.scope); err != nil {
				return nil, err
			}
		}
		return nil, t.loginRequired()
	}
	s, err := t.discover(ctx, d)
	if err != nil {
		return nil, err
	}
	if b := t.currentBinding(); b.issuer != s.issuer || b.resource != s.resource {
		old = nil // the server has moved: what the other gave out is not for this one
	}
	if old != nil && !d.stepUp {
		if !d.silent && old.justRefused() {
			return nil, &Error{URL: s.resource, Rule: "it refuses the token that was issued for it just now"}
		}
		k, c, err := t.refresh(ctx, s, old)
		if k != nil {
			return t.storeToken(ctx, s, c, k)
		}
		if err != nil && !isRefusal(err) {
			return nil, err // of the tokens, nothing is known
		}
		if err != nil {
			if err := t.discardToken(ctx, isCode(err, "invalid_client", "unauthorized_client")); err != nil {
				return nil, err
			}
		}
	}
	if d.silent && t.opts.Grant == nil {
		return nil, t.loginRequired()
	}
	k, c, err := t.newToken(ctx, s, old, d)
	if err != nil {
		return nil, err
	}
	return t.storeToken(ctx, s, c, k)
}

func (t *Transport) loginRequired() error {
	return &Error{URL: httpx.Clean(t.url), Rule: "not authorized", Err: ErrLoginRequired}
}

// justRefused reports whether another token like k would be refused too: it is
// new, no request with it was accepted, and it did not come for a refresh token,
// which may be worth less than a new authorization.
func (k *token) justRefused() bool {
	return !k.issued.IsZero() && time.Since(k.issued) < holdTime && !k.refreshed && !k.proven.Load()
}

// isRefusal reports whether an authorization server said no, and not something
// in front of it.
func isRefusal(err error) bool {
	var e *ServerError
	return errors.As(err, &e) && e.isOAuthCode && !isTransient(err)
}

// isTransient reports whether the same attempt may succeed a moment later.
func isTransient(err error) bool {
	var e *ServerError
	if errors.As(err, &e) {
		return e.Status >= 500 || e.Status == http.StatusTooManyRequests
	}
	var n net.Error
	return errors.As(err, &n)
}

// refresh returns a token for the refresh token of old, or nil if there is none
// or the last one for it was refused by the resource.
func (t *Transport) refresh(ctx context.Context, s *server, old *token) (*token, *Client, error) {
	if old.refresh == "" || old.refreshed && !old.proven.Load() && !old.expired() {
		return nil, nil, nil
	}
	c := t.knownClient(ctx, s, t.currentBinding().client)
	if c == nil {
		return nil, nil, nil
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.refresh}, "resource": {s.resource}}
	k, err := t.requestToken(ctx, &s.serverMetadata, c, form, old.key)
	if err != nil {
		return nil, nil, err
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
	k.key, k.der, k.scopes = old.key, old.der, union(old.scopes, k.scopes)
	return k, c, nil
}

func notBound(s *server) error {
	return &Error{URL: clean(s.issuer), Rule: "its token is not bound to the key that was proven (RFC 9449, section 5)"}
}

// grant gets a token anew: from the Grant, or from a person.
func (t *Transport) newToken(ctx context.Context, s *server, old *token, d demand) (k *token, c *Client, err error) {
	key, der, err := t.proofKey(s, old, d)
	if err != nil {
		return nil, nil, err
	}
	scopes := t.scopes(s, old, d)
	if t.opts.Grant != nil {
		k, c, err = t.tokenByGrant(ctx, s, scopes, key)
	} else {
		k, c, err = t.tokenByCode(ctx, s, scopes, key)
	}
	if err != nil {
		return nil, nil, err
	}
	if k.dpop != (key != nil) {
		return nil, nil, notBound(s)
	}
	k.key, k.der = key, der
	return k, c, nil
}

// scopes returns what to ask for: what the server demands, or else what it says
// it needs, and what was asked for before (Scope Selection Strategy, Step-Up
// Authorization Flow).
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
