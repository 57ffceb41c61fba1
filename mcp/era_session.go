package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A sessionState describes the legacy session of a client. If an HTTP server
// loses the session, the client sends initialize again.
type sessionState struct {
	mu         lock.Mutex
	generation int           // the number of sessions that were lost
	renewing   chan struct{} // closed at the end of the current renewal; nil if there is none
	err        error         // of the last renewal
}

// current returns the generation of the session.
func (s *sessionState) current() int {
	s.mu.Lock()
	generation := s.generation
	s.mu.Unlock()
	return generation
}

// begin reports whether the caller has to renew the session of the given
// generation. wait is closed at the end of the renewal; it is nil if the session
// has been renewed already.
func (s *sessionState) begin(lost int) (mine bool, wait chan struct{}) {
	s.mu.Lock()
	if s.generation == lost {
		if mine = s.renewing == nil; mine {
			s.renewing = make(chan struct{})
		}
		wait = s.renewing
	}
	s.mu.Unlock()
	return mine, wait
}

func (s *sessionState) end(err error) {
	s.mu.Lock()
	if s.err = err; err == nil {
		s.generation++
	}
	close(s.renewing)
	s.renewing = nil
	s.mu.Unlock()
}

// inSession sends a call. If the server has forgotten the session, the client
// opens another one and sends the call once more; if the server is not the one
// that Options.CachedServer describes, the client negotiates first.
func (c *Client) inSession(ctx context.Context, q *call) (RawMessage, error) {
	session, a := c.session.current(), c.agreed.Load()
	raw, err := c.intercept(ctx, a.era, q)
	if err == nil || !isSessionLoss(err) && !(a.hint && isRefusal(err)) {
		return raw, err
	}
	switch renewErr := c.renew(ctx, session, err); {
	case renewErr == errSessionAlive, a.hint && c.Server().ProtocolVersion == a.server.ProtocolVersion:
		return nil, err
	case renewErr != nil && a.hint:
		return nil, c.failed(q, renewErr)
	case renewErr != nil:
		return nil, c.failed(q, diag.Op("new session", renewErr))
	}
	c.retrying(q.method, err)
	return c.intercept(ctx, c.era(), q)
}

// isSessionLoss reports whether err may mean that the server has forgotten the
// session.
func isSessionLoss(err error) bool {
	return errors.Is(err, jsonrpc.ErrNoSession) || errors.Is(err, jsonrpc.ErrSessionInDoubt)
}

// errSessionAlive is the result of a renewal that was not needed.
var errSessionAlive = errors.New("the session was not lost")

// renew replaces a lost session. If several calls lose it, one of them starts the
// renewal and all wait for it.
func (c *Client) renew(ctx context.Context, lost int, reason error) error {
	mine, wait := c.session.begin(lost)
	if wait == nil {
		return nil
	}
	if mine {
		// The renewal continues for the other calls if this one is canceled.
		go c.reopen(context.WithoutCancel(ctx), reason) // ends after callTimeout, or with the connection
	}
	select {
	case <-wait:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c.session.mu.Lock()
	err := c.session.err
	c.session.mu.Unlock()
	return err
}

// reopen opens another session and reports it to the observers. If reason leaves
// it open whether the session was lost, reopen pings the server in that session
// first.
func (c *Client) reopen(ctx context.Context, reason error) {
	ctx, stop := c.withCallTimeout(ctx)
	defer stop()
	if c.agreed.Load().hint {
		c.session.end(c.renegotiate(ctx))
		return
	}
	if !errors.Is(reason, jsonrpc.ErrNoSession) && !c.pingRefused(ctx) {
		c.session.end(errSessionAlive)
		return
	}
	c.observe(c.trace.SessionLost != nil, func() { c.trace.SessionLost(reason) })
	err := c.reinitialize(ctx)
	c.session.end(err)
	if err != nil {
		return
	}
	for _, o := range c.allObservers() {
		c.guard(func() { o.sessionRenewed(ctx) }) // which may call Intercept
	}
}

// renegotiate replaces what Options.CachedServer says by an agreement with the
// server.
func (c *Client) renegotiate(ctx context.Context) (err error) {
	defer c.recover(&err) // of Intercept
	a, err := c.negotiate(ctx, nil)
	if err != nil {
		return err
	}
	return c.adopt(ctx, a)
}

// verify makes sure that Server describes the server as it is.
func (c *Client) verify(ctx context.Context) error {
	if !c.agreed.Load().hint {
		return nil
	}
	return c.renew(ctx, c.session.current(), nil)
}

// pingRefused reports whether the server refuses a ping in the session, too.
func (c *Client) pingRefused(ctx context.Context) bool {
	var err error
	func() {
		defer c.recover(&err) // of Intercept
		_, err = c.intercept(ctx, c.era(), newCall(c.era().ping(), "", nil))
	}()
	return isSessionLoss(err)
}

// reinitialize opens a session with the same protocol version.
func (c *Client) reinitialize(ctx context.Context) (err error) {
	defer c.recover(&err) // of Intercept
	a, err := c.initialize(ctx, c.agreed.Load().server.ProtocolVersion)
	if err == nil && a.server.ProtocolVersion != c.agreed.Load().server.ProtocolVersion {
		err = &versionError{c.agreed.Load().server.ProtocolVersion, []string{a.server.ProtocolVersion}}
	}
	return err
}
