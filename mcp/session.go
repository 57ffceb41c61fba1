package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A renewal replaces an agreement: of a session that an HTTP server has lost, or
// of a server that is not the one that Options.CachedServer describes.
type renewal struct {
	done chan struct{} // closed at the end
	err  error         // written before done is closed
}

func (c *Client) renewFor(ctx context.Context, q *request, lost *agreement, err error) (*agreement, error) {
	renewErr := c.renew(ctx, lost, err)
	a := c.agreed.Load()
	switch {
	case renewErr == errSessionAlive, lost.hint && a.server.ProtocolVersion == lost.server.ProtocolVersion:
		return nil, err
	case renewErr != nil && lost.hint:
		return nil, c.failed(q, renewErr)
	case renewErr != nil:
		return nil, c.failed(q, diag.Op("new session", renewErr))
	}
	c.retrying(q.method, err)
	return a, nil
}

func isSessionLoss(err error) bool {
	return errors.Is(err, jsonrpc.ErrNoSession) || errors.Is(err, jsonrpc.ErrSessionInDoubt)
}

// mayBeLost reports whether the server may have lost the session. A legacy server that has
// restarted says that it is not initialized if it has no sessions, or if a gateway keeps them.
func (a *agreement) mayBeLost(err error) bool {
	e := serverError(err)
	return isSessionLoss(err) || e != nil && a.era.legacy() && strings.Contains(diag.Letters(e.Message), "not initialized")
}

// errSessionAlive is the result of a renewal that was not needed.
var errSessionAlive = errors.New("the session was not lost")

// renew replaces an agreement, unless that has been done. If several calls need
// it, one of them starts the renewal and all wait for it.
func (c *Client) renew(ctx context.Context, lost *agreement, reason error) error {
	r := c.beginRenewal(ctx, lost, reason)
	if r == nil {
		return nil
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return retry.Cause(ctx)
	}
}

func (c *Client) beginRenewal(ctx context.Context, lost *agreement, reason error) *renewal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.agreed.Load() != lost {
		return nil
	}
	r := c.renewal
	if r == nil {
		r = &renewal{done: make(chan struct{})}
		c.renewal = r
		// The renewal continues for the other calls if this one is canceled.
		go c.reopen(context.WithoutCancel(ctx), r, reason) // ends after callTimeout, or with the connection
	}
	return r
}

// reopen opens another session and reports it to the observers. If reason leaves
// it open whether the session was lost, reopen pings the server in that session
// first.
func (c *Client) reopen(ctx context.Context, r *renewal, reason error) {
	ctx, stop := c.withCallTimeout(ctx)
	defer stop()
	lost := c.agreed.Load()
	switch {
	case lost.hint:
		r.err = c.renegotiate(ctx)
		if c.cache != nil {
			c.cache.sessionRenewed(ctx) // it may be another server
		}
	case !errors.Is(reason, jsonrpc.ErrNoSession) && !lost.mayBeLost(c.pingSession(ctx)):
		r.err = errSessionAlive
	default:
		c.observe(c.trace.SessionLost != nil, func() { c.trace.SessionLost(c.ctx, reason) })
		r.err = c.reinitialize(ctx, lost)
	}
	c.mu.Lock()
	c.renewal = nil
	c.mu.Unlock()
	close(r.done)
	if r.err != nil || lost.hint {
		return
	}
	c.guard(func() { c.repeatLogLevel(ctx) }) // which may call an Interceptor, as may the observers
	for _, o := range c.allObservers() {
		c.guard(func() { o.sessionRenewed(ctx) })
	}
}

func (c *Client) repeatLogLevel(ctx context.Context) {
	if e, ok := c.era().(*legacyEra); ok && e.level.Load() != nil {
		if err := c.beginLogLevel(ctx, e, LoggingLevel(*e.level.Load())); err != nil {
			c.discarded(err, nil)
		}
	}
}

func (c *Client) renegotiate(ctx context.Context) (err error) {
	defer c.recover(&err) // of an Interceptor
	a, err := c.newHandshake(nil, nil).run(ctx)
	if err != nil {
		return err
	}
	return c.adopt(ctx, a)
}

func (c *Client) verify(ctx context.Context) error {
	a := c.agreed.Load()
	if !a.hint {
		return nil
	}
	return c.renew(ctx, a, nil)
}

func (c *Client) pingSession(ctx context.Context) (err error) {
	defer c.recover(&err) // of an Interceptor
	era := c.era()
	q := newRequest(era.ping(), "", nil)
	q.era = era
	_, err = c.send(ctx, q)
	return err
}

func (c *Client) reinitialize(ctx context.Context, lost *agreement) (err error) {
	defer c.recover(&err) // of an Interceptor
	h := c.newHandshake(nil, nil)
	h.mayProbe, h.mayInitialize, h.legacy = false, true, lost.server.ProtocolVersion
	a, err := h.run(ctx)
	if err != nil {
		return err
	}
	if a.server.ProtocolVersion != lost.server.ProtocolVersion {
		return c.opts.refused(lost.server.ProtocolVersion, []string{a.server.ProtocolVersion})
	}
	renewed := *lost
	c.agreed.Store(&renewed) // another pointer: the calls of the lost session were sent with the old one
	return nil
}
