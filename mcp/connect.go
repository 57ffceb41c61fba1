package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// ServerInfo is what Connect learned about a server. Name, version and
// instructions are the server's own words.
type ServerInfo struct {
	Implementation
	Revision     string // the protocol revision in use
	Capabilities ServerCapabilities
	Instructions string // for the model; often empty
}

// MarshalJSON returns what the server said in the shape of the result of
// initialize, whichever way it was asked.
func (s ServerInfo) MarshalJSON() ([]byte, error) {
	return marshalObject(&InitializeResult{
		ProtocolVersion: s.Revision,
		Capabilities:    s.Capabilities,
		ServerInfo:      s.Implementation,
		Instructions:    s.Instructions,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *ServerInfo) UnmarshalJSON(data []byte) error {
	var res InitializeResult
	if err := unmarshalObject(data, &res); err != nil {
		return err
	}
	*s = ServerInfo{res.ServerInfo, res.ProtocolVersion, res.Capabilities, res.Instructions}
	return nil
}

// Connect opens a connection to the server and agrees with it on a protocol
// revision. ctx bounds the connecting only; the client lives until Close and
// keeps the context's values. opts may be nil.
//
// Servers of 2026-07-28 and later are found by asking server/discover.
// Anything but an answer that only such a server gives leads to initialize,
// on a fresh connection if the server ended the first. A server that is slow
// to start is asked both ways, and its first answer counts.
//
// The error matches [ErrUnsupportedVersion] when there is no common revision,
// [ErrClosed] when the server went away, context.DeadlineExceeded when it
// does not answer, and [ErrMalformed] when its answer made no sense.
func Connect(ctx context.Context, t Transport, opts *Options) (*Client, error) {
	if f, ok := t.(firstOf); ok && len(f) > 0 {
		return f.connect(ctx, opts)
	}
	c := newClient(ctx, opts)
	c.server.Name = nameOf(t)
	if err := c.open(ctx, t); err != nil {
		c.stop()
		return nil, c.connectError(err)
	}
	a, err := c.negotiate(ctx)
	if err != nil && !isModern(err) && c.opts.modern(c.opts.Versions) != "" && c.conn.Err() != nil && ctx.Err() == nil {
		a, err = c.startAgain(ctx, t, err)
	}
	if err != nil {
		c.Close()
		return nil, c.connectError(err)
	}
	c.agree(a)
	return c, nil
}

func (c *Client) connectError(err error) error {
	op := "connect"
	if c.server.Name != "" {
		op += " to " + c.server.Name
	}
	return &opError{op, err}
}

// open opens the connection.
func (c *Client) open(ctx context.Context, t Transport) error {
	conn, err := t.Open(ctx, jsonrpc.Handler{Message: c.message, Dropped: c.opts.Dropped, Trace: c.opts.Trace})
	if err == nil {
		c.conn = conn
	}
	return err
}

// startAgain gives a server another chance that went away during the probe:
// some exit when the first request is not initialize.
func (c *Client) startAgain(ctx context.Context, t Transport, first error) (*agreement, error) {
	legacy := c.opts.legacy(c.opts.Versions)
	if legacy == "" {
		return nil, first
	}
	_ = c.conn.Close()
	if err := c.open(ctx, t); err != nil {
		return nil, first // says more: it is why a second try was needed
	}
	return c.initialize(ctx, legacy)
}

// An agreement is how client and server go on.
type agreement struct {
	era    era
	server ServerInfo
}

// agree makes a the way in which the client speaks from now on.
func (c *Client) agree(a *agreement) {
	name := c.server.Name
	c.era, c.server = a.era, a.server
	c.requests.refuse.Store(!a.era.serves())
	if c.server.Name == "" {
		c.server.Name = name
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

// negotiate finds out the server's era and agrees with it on a revision.
func (c *Client) negotiate(ctx context.Context) (*agreement, error) {
	legacy := c.opts.legacy(c.opts.Versions)
	switch {
	case c.opts.modern(c.opts.Versions) == "":
		if legacy == "" {
			return nil, &opError{"Options.Versions", ErrUnsupportedVersion}
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
	wait := time.NewTimer(c.probeTime(ctx))
	defer wait.Stop()
	select {
	case p := <-probe:
		return c.afterProbe(ctx, p, legacy)
	case <-wait.C:
	}
	// Silence is a legacy server, or one that is still starting.
	session := start(&attempts, func() (*agreement, error) { return c.initialize(ctx, legacy) })
	var p, s outcome
	select {
	case p = <-probe:
		if p.err == nil {
			wait.Reset(otherGrace)
		}
		select {
		case s = <-session:
		case <-wait.C:
		}
	case s = <-session:
		if answer := answerOf(s.err); answer == nil || c.opts.modern(supportedVersions(answer)) == "" {
			wait.Reset(otherGrace)
		}
		if s.err != nil {
			select {
			case p = <-probe:
			case <-wait.C:
			}
		}
	}
	// After initialize a server of both eras may refuse modern requests.
	if s.agreement == nil && (p.agreement != nil || isModern(p.err)) {
		return p.agreement, p.err
	}
	return s.agreement, s.err
}

// probeTime is how long the probe may take before initialize is tried. Where
// ctx is short, most of its time is left for that.
func (c *Client) probeTime(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(c.opts.ProbeTimeout, time.Until(end)/3)
	}
	return c.opts.ProbeTimeout
}

// afterProbe goes on with what the probe found in time.
func (c *Client) afterProbe(ctx context.Context, p outcome, legacy string) (*agreement, error) {
	if inc, ok := p.err.(*incompatible); ok {
		if legacy = c.opts.legacy(inc.offered); legacy == "" {
			return nil, inc
		}
		return c.initialize(ctx, legacy) // a server of both eras, which has an older revision in common
	}
	if p.err == nil || isModern(p.err) || ctx.Err() != nil || c.conn.Err() != nil {
		return p.agreement, p.err
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
