package oauth

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// probeTime limits the question whether a client is known.
const probeTime = 5 * time.Second

// An accepted client is one whose code the authorization server has just exchanged.
type accepted struct {
	id string
	at time.Time
}

// acceptedTime is how long an accepted client counts as known: the next demand of
// another scope needs no question.
const acceptedTime = 10 * time.Minute

// forgotten reports whether the authorization server has forgotten the program's
// dynamic registration, as servers with their clients in memory do. Many say so only on
// their page, which the program does not see, so it asks the token endpoint before, with
// an invalid code. Only invalid_client counts: a server answers everything else for a
// client that it knows. The request has nothing that a login would not send to this
// server. The client of a program is never replaced.
func (t *Transport) forgotten(ctx context.Context, s *server, known *registration) bool {
	if known == nil || known.redirect == "" || known.redirect == deviceGrant || s.register == "" || t.opts.Client.ID != "" || t.opts.ClientURL != "" && s.clientURLs {
		return false
	}
	t.mu.Lock()
	last := t.accepted
	t.mu.Unlock()
	if last.id == known.id && time.Since(last.at) < acceptedTime {
		return false
	}
	ctx, cancel := withTimeout(ctx, probeTime)
	defer cancel()
	form := t.form(s, "grant_type", "authorization_code", "code", randomString(), "redirect_uri", known.redirect, "code_verifier", randomString())
	_, err := t.requestToken(ctx, &s.serverMetadata, known.client(s), form, nil)
	return isRefusal(err) && isCode(err, "invalid_client")
}

// afterTimeout completes the error of a login that the user did not finish: the page may
// have said that it does not know the client, which only the user sees. It drops a
// dynamic registration, so that the next login registers the program anew.
func (t *Transport) afterTimeout(ctx context.Context, s *server, c *Client, err error) error {
	e, ok := diag.Find[*Error](err)
	late := ok && e.unanswered && !errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if !late {
		return err
	}
	then := "; if the page does not know the client, register the program there"
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	if t.dropRegistration(ctx, s.issuer, c.ID) {
		then = "; the stored registration was deleted, in case that the page does not know the client: the next attempt registers the program anew"
	}
	if !ok {
		return ruleError(clean(s.authorize), "the user did not log in"+then, err)
	}
	own := *e
	own.Rule += then
	return &own
}

// dropRegistration deletes the registration that the next login at the issuer would use,
// if it is still the dynamic one with this ID. The registration under its own ID stays:
// other servers may have tokens for it.
func (t *Transport) dropRegistration(ctx context.Context, issuer, id string) bool {
	key := StoreKey{Issuer: issuer}
	unlock, err := t.store.Lock(ctx, key)
	if err != nil {
		return false
	}
	defer unlock()
	data, err := t.store.Load(ctx, key)
	g, parseErr := parseRegistration(data)
	if err != nil || data == nil || parseErr != nil || g.redirect == "" || g.id != id {
		return false
	}
	return t.save(ctx, key, nil) == nil
}
