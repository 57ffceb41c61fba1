package mcp

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// An agreement is the result of a successful handshake. It is not changed once
// the client has adopted it.
type agreement struct {
	era    era
	server ServerInfo
	hint   bool // server is from Options.CachedServer; no response has confirmed it
}

// A probe is the state of the probe with server/discover.
type probe struct {
	singleUse bool        // the transport is a SingleUse
	sent      bool        // before initialize; written by negotiate only
	modern    atomic.Bool // a server of the modern era has responded, possibly late
}

// maySpoil reports whether a connection that has ended may have ended because of
// the first request.
func (p *probe) maySpoil() bool { return p.sent || p.singleUse }

// An outcome is the result of the probe or of the handshake.
type outcome struct {
	*agreement
	err error
}

// otherWait is how long pickEra waits for the response to initialize after that
// to the probe, or the reverse. Both requests have been sent by then.
const otherWait = 250 * time.Millisecond

// refusedWait is the same after the server has refused initialize, when nothing but
// the response to the probe can help. The server may have sent it before, and this
// machine may be busy.
const refusedWait = 8 * otherWait

// probes reports whether Connect sends server/discover. Some servers of both
// eras respond to it over any transport, but then refuse modern requests over a
// legacy one.
func (c *Client) probes() bool {
	if old, ok := c.conn.(LegacyOnly); ok && old.Legacy() && c.opts.legacy(c.opts.ProtocolVersions) != "" {
		return false
	}
	return c.opts.modern(c.opts.ProtocolVersions) != ""
}

// negotiate determines the server's era and the protocol version. cached
// describes the server as it was; nil if that is unknown.
func (c *Client) negotiate(ctx context.Context, cached *ServerInfo) (*agreement, error) {
	legacy := c.opts.legacy(c.opts.ProtocolVersions)
	var wasLegacy, wasModern string
	if cached != nil {
		asked := []string{cached.ProtocolVersion}
		wasLegacy, wasModern = c.opts.legacy(asked), c.opts.modern(asked)
	}
	if s, ok := c.conn.(Stateless); ok && s.Stateless() && wasModern != "" {
		return &agreement{c.modernEra(wasModern), *cached, true}, nil
	}
	switch {
	case !c.probes():
		if legacy == "" {
			return nil, diag.Op("Options.ProtocolVersions has no version that the transport supports", ErrUnsupportedVersion)
		}
		return c.initialize(ctx, legacy)
	case legacy == "":
		return c.discover(ctx)
	case wasLegacy != "", c.probe.singleUse && wasModern == "":
		return c.initializeFirst(ctx, legacy)
	}
	c.probe.sent = true
	// Whichever attempt is still pending at the end is canceled.
	var attempts lock.Group
	defer attempts.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	probe := c.start(&attempts, func() (*agreement, error) { return c.discover(ctx) })
	if p := awaitOutcome(probe, c.probeTimeout(ctx, wasModern != "")); p != (outcome{}) {
		return c.afterProbe(ctx, p, legacy)
	}
	// The server is a legacy server, or it is still starting.
	session := c.start(&attempts, func() (*agreement, error) { return c.initialize(ctx, legacy) })
	return c.pickEra(probe, session)
}

// initializeFirst sends initialize, and server/discover after a refusal.
func (c *Client) initializeFirst(ctx context.Context, legacy string) (*agreement, error) {
	a, err := c.initialize(ctx, legacy)
	if err == nil || !isRefusal(err) || ctx.Err() != nil || c.conn.Err() != nil {
		return a, err
	}
	modern, discoverErr := c.discover(ctx)
	if discoverErr != nil && !isModern(discoverErr) {
		return nil, err
	}
	return modern, discoverErr
}

// isRefusal reports whether err is a response of the server, or of an HTTP server
// in its place, by which it refuses a request.
func isRefusal(err error) bool {
	return serverError(err) != nil || isOtherKind(err) || isSessionLoss(err) || errors.Is(err, ErrUnsupportedVersion) ||
		errors.Is(err, ErrMalformed)
}

// pickEra chooses between the two attempts. An open session takes precedence, as
// a server of both eras may refuse modern requests after initialize.
func (c *Client) pickEra(probe, session <-chan outcome) (*agreement, error) {
	var p, s outcome
	select {
	case p = <-probe:
		if p.err != nil {
			s = <-session
		} else {
			c.probe.modern.Store(true) // for later connections, which need not send initialize
			s = awaitOutcome(session, otherWait)
		}
	case s = <-session:
		switch refusal := serverError(s.err); {
		case s.err == nil:
			if t, ok := c.conn.(Stateless); ok && t.Stateless() { // elsewhere, dropped sees a late response
				p = awaitOutcome(probe, otherWait)
				c.probe.modern.Store(p.agreement != nil)
			}
		case refusal != nil && (isModern(refusal) || c.opts.modern(supportedVersions(refusal)) != ""):
			p = <-probe // a modern server has refused initialize
			return p.agreement, p.err
		case refusal != nil:
			p = awaitOutcome(probe, refusedWait)
		default:
			p = awaitOutcome(probe, otherWait)
		}
	}
	if s.agreement == nil && (p.agreement != nil || isModern(p.err)) {
		return p.agreement, p.err
	}
	return s.agreement, s.err
}

// awaitOutcome returns the outcome of an attempt, or the zero outcome after a time.
func awaitOutcome(attempt <-chan outcome, wait time.Duration) (o outcome) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case o = <-attempt:
	case <-t.C:
	}
	return o
}

// probeTimeout is how long Connect waits before it sends initialize as well. If
// ctx ends soon, most of its time remains for initialize. A server that was
// modern before is probably still starting.
func (c *Client) probeTimeout(ctx context.Context, wasModern bool) time.Duration {
	d := c.opts.ProbeTimeout
	switch {
	case d < 0:
		d = noLimit
	case wasModern && d < time.Minute:
		d *= 10
	}
	if end, ok := ctx.Deadline(); ok {
		d = min(d, time.Until(end)/3)
	}
	if c.agreed.Load().era != nil { // a negotiation after Connect, within callTimeout
		d = min(d, c.callTimeout()/3)
	}
	return d
}

// handshakeTimeout is the timeout of a request of Connect. It is at least a
// minute, as the server may still be starting; the context of Connect may end
// earlier.
func (c *Client) handshakeTimeout() time.Duration {
	if d := c.opts.Timeout; d < 0 || d > time.Minute {
		return d
	}
	return time.Minute
}

// afterProbe continues after the probe has ended in time.
func (c *Client) afterProbe(ctx context.Context, p outcome, legacy string) (*agreement, error) {
	if inc, ok := p.err.(*versionError); ok {
		if legacy = c.opts.legacy(inc.offered); legacy == "" {
			return nil, inc
		}
		return c.initialize(ctx, legacy) // a server of both eras
	}
	if p.err == nil || isModern(p.err) || c.conn.Err() != nil {
		return p.agreement, p.err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // more helpful than the refusal of a legacy server
	}
	return c.initialize(ctx, legacy)
}

// start runs f in a goroutine and returns a channel for its outcome.
func (c *Client) start(wg *lock.Group, f func() (*agreement, error)) <-chan outcome {
	done := make(chan outcome, 1)
	wg.Go(func() { // ends when f returns
		var o outcome
		defer func() { done <- o }()
		defer c.recover(&o.err)
		o.agreement, o.err = f()
	})
	return done
}

// dropped handles received data that belongs to no call. A late response to the
// probe shows that the server is a modern one.
func (c *Client) dropped(reason error, data []byte) {
	if reason == ErrUnknownID && wire.Lookup(data, "result", "supportedVersions") != nil {
		c.probe.modern.Store(true)
	}
	c.discarded(reason, data)
}
