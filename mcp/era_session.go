package mcp

import (
	"context"
	"errors"
	"sync"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A sessionState is the legacy session that a client has. A server may forget
// it, over HTTP, and then wants to be initialized again.
type sessionState struct {
	mu         sync.Mutex
	generation int           // how many sessions were lost
	renewing   chan struct{} // closed when the renewal under way has ended; nil when there is none
	err        error         // how the last renewal ended
}

// current returns the generation of the session.
func (s *sessionState) current() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generation
}

// begin reports whether the session of the given generation is to be renewed by
// the caller. It returns what to wait for, unless that has been done.
func (s *sessionState) begin(lost int) (mine bool, wait chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.generation != lost:
		return false, nil
	case s.renewing != nil:
		return false, s.renewing
	}
	s.renewing = make(chan struct{})
	return true, s.renewing
}

func (s *sessionState) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; err == nil {
		s.generation++
	}
	close(s.renewing)
	s.renewing = nil
}

// inSession sends a call. If the server has forgotten the session it opens
// another one and sends the call once more.
func (c *Client) inSession(ctx context.Context, q *call) (RawMessage, error) {
	session := c.session.current()
	raw, err := c.intercept(ctx, c.era, q)
	if err == nil || !errors.Is(err, jsonrpc.ErrNoSession) {
		return raw, err
	}
	if err := c.renew(ctx, session); err != nil {
		return nil, c.failed(q, diag.Op("new session", err))
	}
	return c.intercept(ctx, c.era, q)
}

// renew opens a session in place of the one that was lost. Of several calls
// that lose it together one begins to do so and all wait.
func (c *Client) renew(ctx context.Context, lost int) error {
	mine, wait := c.session.begin(lost)
	if wait == nil {
		return nil
	}
	if mine {
		// The others must not suffer when this caller goes.
		go c.reopen(context.WithoutCancel(ctx)) // ends with its time, or the connection
	}
	select {
	case <-wait:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.session.err
}

// reopen opens a new session.
func (c *Client) reopen(ctx context.Context) {
	ctx, stop := c.withCallTimeout(ctx)
	defer stop()
	a, err := c.initialize(ctx, c.server.ProtocolVersion)
	if err == nil && a.server.ProtocolVersion != c.server.ProtocolVersion {
		err = &versionError{c.server.ProtocolVersion, []string{a.server.ProtocolVersion}}
	}
	c.session.end(err)
	if err == nil {
		for _, w := range c.allObservers() {
			w.sessionRenewed(ctx)
		}
	}
}
