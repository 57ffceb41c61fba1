package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// An agreement is the result of a successful handshake.
type agreement struct {
	era    era
	server ServerInfo
}

// An outcome is the result of the probe or of the handshake.
type outcome struct {
	*agreement
	err error
}

// otherWait is how long pickEra waits for the response to initialize after that
// to the probe, or the reverse. Both requests have been sent by then.
const otherWait = 250 * time.Millisecond

// probes reports whether Connect sends server/discover. Some servers of both
// eras respond to it over any transport, but then refuse modern requests over a
// legacy one.
func (c *Client) probes() bool {
	if old, ok := c.conn.(LegacyOnly); ok && old.Legacy() && c.opts.legacy(c.opts.ProtocolVersions) != "" {
		return false
	}
	return c.opts.modern(c.opts.ProtocolVersions) != ""
}

// negotiate determines the server's era and the protocol version.
func (c *Client) negotiate(ctx context.Context) (*agreement, error) {
	legacy := c.opts.legacy(c.opts.ProtocolVersions)
	if cached := c.opts.CachedServer; cached != nil {
		if v := c.opts.modern([]string{cached.ProtocolVersion}); v != "" {
			return &agreement{c.modernEra(v), *cached}, nil
		}
		if v := c.opts.legacy([]string{cached.ProtocolVersion}); v != "" {
			return c.initialize(ctx, v)
		}
	}
	switch {
	case !c.probes():
		if legacy == "" {
			return nil, diag.Op("Options.ProtocolVersions", ErrUnsupportedVersion)
		}
		return c.initialize(ctx, legacy)
	case legacy == "":
		return c.discover(ctx)
	}
	// Whichever attempt is still pending at the end is canceled.
	var attempts sync.WaitGroup
	defer attempts.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	probe := c.start(&attempts, func() (*agreement, error) { return c.discover(ctx) })
	wait := time.NewTimer(c.probeTimeout(ctx))
	defer wait.Stop()
	select {
	case p := <-probe:
		return c.afterProbe(ctx, p, legacy)
	case <-wait.C:
	}
	// The server is a legacy server, or it is still starting.
	session := c.start(&attempts, func() (*agreement, error) { return c.initialize(ctx, legacy) })
	return c.pickEra(probe, session)
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
			s = awaitOther(session)
		}
	case s = <-session:
		switch refusal := serverError(s.err); {
		case s.err == nil:
		case refusal != nil && (isModern(refusal) || c.opts.modern(supportedVersions(refusal)) != ""):
			p = <-probe // a modern server has refused initialize
			return p.agreement, p.err
		default:
			p = awaitOther(probe)
		}
	}
	if s.agreement == nil && (p.agreement != nil || isModern(p.err)) {
		return p.agreement, p.err
	}
	return s.agreement, s.err
}

// awaitOther returns the outcome of an attempt, or none after otherWait.
func awaitOther(attempt <-chan outcome) (o outcome) {
	t := time.NewTimer(otherWait)
	defer t.Stop()
	select {
	case o = <-attempt:
	case <-t.C:
	}
	return o
}

// probeTimeout is how long Connect waits before it sends initialize as well. If
// ctx ends soon most of its time is left for that.
func (c *Client) probeTimeout(ctx context.Context) time.Duration {
	d := c.opts.ProbeTimeout
	if d < 0 {
		d = noLimit
	}
	if end, ok := ctx.Deadline(); ok {
		d = min(d, time.Until(end)/3)
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
func (c *Client) start(wg *sync.WaitGroup, f func() (*agreement, error)) <-chan outcome {
	done := make(chan outcome, 1)
	wg.Go(func() { // ends when f returns
		var o outcome
		defer func() { done <- o }()
		defer c.recover(&o.err)
		o.agreement, o.err = f()
	})
	return done
}
