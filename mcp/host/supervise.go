package host

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp"
)

// start starts to supervise a server. The caller holds mu, and nothing
// supervises the server yet.
func (h *Host) start(s *server) { h.startWithRetries(s, h.opts.retries(s.cfg)) }

// startWithRetries is start with another number of retries until the first
// connection.
func (h *Host) startWithRetries(s *server, retries int) {
	before := s.run
	ctx, cancel := context.WithCancel(h.ctx)
	r := &run{cancel: cancel, done: make(chan struct{}), now: make(chan struct{}, 1)}
	s.run, s.attempts = r, 0
	h.setState(s, Connecting, nil)
	h.running.Go(func() { // ends with ctx, or when it gives up
		defer close(r.done)
		defer cancel()
		if before != nil {
			<-before.done // two processes of one server could interfere with each other
		}
		state, err := h.supervise(ctx, s, r, retries)
		h.lock()
		defer h.unlock()
		if s.run == r {
			s.run = nil
			if state == Disconnected && h.opts.Catalog != nil && s.defs != nil && !h.closed {
				s.offered = true
				h.publish(nil, s.name)
			}
			h.setState(s, state, err)
			h.retryFailed(s)
		}
	})
}

// restart stops supervising a server and starts again. The caller holds mu.
func (h *Host) restart(s *server) {
	if s.run != nil {
		s.run.cancel()
	}
	if s.enabled && h.eager(s) {
		h.start(s)
		return
	}
	if s.run == nil {
		h.setState(s, Disconnected, nil)
	}
}

// supervise connects to a server and reconnects, until it gives up or ctx ends.
// It returns the server's final state.
func (h *Host) supervise(ctx context.Context, s *server, r *run, retries int) (State, *Error) {
	for tries := 0; ; {
		m, away, err := h.tryConnect(ctx, s, r)
		if err == nil {
			tries = 0
			h.lock()
			retries = h.opts.retries(s.cfg)
			h.unlock()
			connected := time.Now()
			panicked := h.guard(func() { m.run(ctx) })
			lost := m.client.Err()
			if panicked != nil {
				lost = panicked
			} else if lost == nil {
				lost = m.lost
			}
			h.setDisconnected(s, m.client)
			if away = m.params.live; away != nil && ctx.Err() == nil {
				away.endLater(m)
			} else {
				m.end()
			}
			if ctx.Err() != nil {
				return Disconnected, nil
			}
			if time.Since(connected) >= stableTime {
				r.outage = outage{}
			}
			var last bool
			if err, last = h.recordEnd(s, lost, away != nil); last {
				return Failed, err
			}
		}
		switch {
		case ctx.Err() != nil:
			return Disconnected, nil
		case err.Category == Authentication:
			return NeedsAuth, err
		case away != nil && !h.never(s):
		case !err.Retryable() || tries >= retries:
			return Failed, err
		}
		if away != nil {
			if !away.pause(ctx, h, s, r, err) {
				return Disconnected, nil
			}
			continue
		}
		tries++
		h.lock()
		if s.run == r {
			s.attempts = tries
			h.setState(s, Reconnecting, err)
		}
		h.unlock()
		if !retry.Sleep(ctx, h.opts.Retry.delay(tries)) {
			return Disconnected, nil
		}
	}
}

// never reports whether the host must not connect to a server again by itself.
func (h *Host) never(s *server) bool {
	h.lock()
	never := h.opts.never(s.cfg)
	h.unlock()
	return never
}

// recordEnd records that the connection ended unexpectedly. last reports whether
// that happened too often, which counts only for child processes.
func (h *Host) recordEnd(s *server, cause error, away bool) (err *Error, last bool) {
	h.lock()
	defer h.unlock()
	if !away && s.addCrash(&h.opts.Retry) {
		e := newError(crashLoop, "not started again", s.name, crashError(cause))
		e.text = s.hide(e.text)
		return e, true
	}
	e := newError(connectionLost, "connection lost", s.name, cause)
	e.text = s.hide(e.text)
	return e, false
}

// crashError returns an error that matches ErrCrashLoop and last, unless that is
// nil.
func crashError(last error) error {
	if last == nil {
		return ErrCrashLoop
	}
	return diag.Error(ErrCrashLoop.Error()+"; last error: "+last.Error(), ErrCrashLoop, last)
}

// hide removes the secrets of the server's current settings from text.
func (s *server) hide(text string) string {
	if s.params == nil {
		return text
	}
	return s.params.Hide(text)
}

// setDisconnected removes the tools of a connection that has ended.
func (h *Host) setDisconnected(s *server, client *mcp.Client) {
	h.lock()
	if s.client == client {
		s.remember(client, s.params) // a response to the probe may have come late
		s.client = nil
		h.publish(nil, s.name)
	}
	h.unlock()
}

// isFinal reports whether a call of a failed server returns the error of the last
// attempt instead of making another one: the user or the program must act first.
// The caller holds mu.
func (s *server) isFinal() bool {
	return s.state == NeedsAuth || s.err.Code == "INVALID_CONFIGURATION" || errors.Is(s.err, ErrCrashLoop)
}

// client returns the client of a server and the parameters that it was
// connected with. It connects, or waits until the server is connected.
func (h *Host) client(ctx context.Context, s *server) (*mcp.Client, *DialParams, error) {
	first := -1 // failed attempts when the call began to wait for a reconnection
	for waited := false; ; waited = true {
		h.lock()
		var err error
		switch {
		case h.closed:
			err = newError(notConnected, "not connected", s.name, ErrShutdown)
		case s.removed:
			err = noServer(s.name)
		case !s.enabled:
			err = newError(disabled, "not connected", s.name, ErrDisabled)
		case s.client != nil && s.client.Err() == nil:
			client, started := s.client, s.params
			h.unlock()
			return client, started, nil
		case s.run == nil && s.err != nil && (waited || s.isFinal() || h.opts.never(s.cfg)):
			err = s.err
		case s.run != nil && s.state == Reconnecting && first < 0:
			first = s.attempts
			s.run.check() // the server may be back already
		case s.run != nil && s.away && s.err != nil && s.attempts > first:
			err = s.err
		case s.run == nil && s.state == Disconnected && !waited:
			h.start(s)
		case s.run == nil && !waited:
			h.startWithRetries(s, 0) // retries are exhausted; one attempt for this call
		case s.run == nil:
			err = newError(notConnected, "disconnected", s.name, mcp.ErrClosed)
		}
		changed, reason := s.changed, s.err
		h.unlock()
		if err != nil {
			return nil, nil, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			e := newError(timedOut, "still not connected", s.name, context.Cause(ctx))
			if reason != nil {
				e.text = reason.text
			}
			return nil, nil, e
		}
	}
}
