package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// An agreement is how client and server go on.
type agreement struct {
	era    era
	server ServerInfo
}

// agree makes a the way in which the client speaks from now on.
func (c *Client) adopt(a *agreement) {
	c.era, c.server = a.era, a.server
	c.requests.refuse.Store(!a.era.legacy())
	if c.server.Name == "" {
		c.server.Name = c.transportName
	}
}

// An outcome is the end of an attempt to agree.
type outcome struct {
	*agreement
	err error
}

// otherGrace is how long the answer to initialize may come after that to the
// probe, and the other way round after a refusal. Both were sent by then.
const otherGrace = 250 * time.Millisecond

// probes reports whether the server is to be asked for its era. Some that know
// both answer in the modern one, over any transport, and then find fault.
func (c *Client) probes() bool {
	if old, ok := c.conn.(LegacyOnly); ok && old.Legacy() && c.opts.legacy(c.opts.ProtocolVersions) != "" {
		return false
	}
	return c.opts.modern(c.opts.ProtocolVersions) != ""
}

// negotiate finds out the server's era and agrees with it on a revision.
func (c *Client) negotiate(ctx context.Context) (*agreement, error) {
	legacy := c.opts.legacy(c.opts.ProtocolVersions)
	if known := c.opts.CachedServer; known != nil {
		if v := c.opts.modern([]string{known.ProtocolVersion}); v != "" {
			return &agreement{c.newModernEra(v), *known}, nil
		}
		if v := c.opts.legacy([]string{known.ProtocolVersion}); v != "" {
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
	// What is still under way when the other attempt has won ends with ctx.
	var attempts sync.WaitGroup
	defer attempts.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	probe := start(&attempts, func() (*agreement, error) { return c.discover(ctx) })
	wait := time.NewTimer(c.probeTimeout(ctx))
	defer wait.Stop()
	select {
	case p := <-probe:
		return c.afterProbe(ctx, p, legacy)
	case <-wait.C:
	}
	// Silence is a legacy server, or one that is still starting.
	session := start(&attempts, func() (*agreement, error) { return c.initialize(ctx, legacy) })
	return c.pickEra(probe, session)
}

// settle decides between the two attempts. A session that was opened counts,
// as a server of both eras may refuse modern requests after initialize.
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
		switch answer := serverError(s.err); {
		case s.err == nil:
		case answer != nil && (isModern(answer) || c.opts.modern(supportedVersions(answer)) != ""):
			p = <-probe // a modern server refused, so that the probe is what counts
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

// soon returns the outcome of an attempt if it comes within otherGrace.
func awaitOther(attempt <-chan outcome) (o outcome) {
	t := time.NewTimer(otherGrace)
	defer t.Stop()
	select {
	case o = <-attempt:
	case <-t.C:
	}
	return o
}

// probeTime is how long the probe may take before initialize is tried. Where
// ctx is short, most of its time is left for that.
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

// handshakeTime is how long a request of Connect may take. A server may still
// be starting, however fast it will be, and there is the context.
func (c *Client) handshakeTimeout() time.Duration {
	if d := c.opts.Timeout; d < 0 || d > time.Minute {
		return d
	}
	return time.Minute
}

// afterProbe goes on with what the probe found in time.
func (c *Client) afterProbe(ctx context.Context, p outcome, legacy string) (*agreement, error) {
	if inc, ok := p.err.(*versionError); ok {
		if legacy = c.opts.legacy(inc.offered); legacy == "" {
			return nil, inc
		}
		return c.initialize(ctx, legacy) // a server of both eras, which has an older revision in common
	}
	if p.err == nil || isModern(p.err) || c.conn.Err() != nil {
		return p.agreement, p.err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // says more than how a legacy server refused the probe
	}
	return c.initialize(ctx, legacy)
}

// start runs f and returns where its outcome will be.
func start(wg *sync.WaitGroup, f func() (*agreement, error)) <-chan outcome {
	done := make(chan outcome, 1)
	wg.Go(func() { // ends with f
		a, err := f()
		done <- outcome{a, err}
	})
	return done
}
