package host

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
)

// A run is the goroutine that supervises a server.
type run struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended
	now    chan struct{} // wakes a sleeping goroutine; buffered

	// Only the goroutine uses these.
	retries  int    // until the server is connected again
	tries    int    // retries since then
	attempts int    // failed attempts since then
	outage   outage // of a server at a URL
}

// stop ends a run and waits until it has ended or ctx ends.
func (r *run) stop(ctx context.Context) error {
	if r == nil {
		return nil
	}
	r.cancel()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return retry.Cause(ctx)
	}
}

// startLocked starts to supervise a server, with a number of retries until the first
// connection. Nothing supervises the server but a goroutine that is to end.
func (h *Host) startLocked(s *server, retries int) {
	before := s.run
	ctx, cancel := context.WithCancel(settings.ForServer(h.ctx, s.name))
	r := &run{cancel: cancel, done: make(chan struct{}), now: make(chan struct{}, 1), retries: retries}
	s.run = r
	h.enterLocked(s, connState{stage: connecting})
	h.running.Go(func() { // ends with ctx, or when it gives up
		defer close(r.done)
		defer cancel()
		if before != nil {
			<-before.done // two processes of one server could interfere with each other
		}
		last := h.supervise(ctx, s, r)
		h.mu.Lock()
		defer h.mu.Unlock()
		if s.run == r {
			s.run = nil
			if last.stage == disconnected && h.opts.Catalog != nil && s.defs != nil && !h.closed {
				s.offered = true
				h.publishLocked(nil, s.name)
			}
			h.enterLocked(s, last)
		}
	})
}

// restartLocked stops supervising a server and starts again.
func (h *Host) restartLocked(s *server) {
	if s.run != nil {
		s.run.cancel()
	}
	switch {
	case s.enabled && h.eagerLocked(s):
		h.startLocked(s, h.opts.retries(s.cfg))
	case s.run == nil && s.state.stage != disconnected:
		h.enterLocked(s, connState{})
	}
}

// supervise connects to a server and reconnects, until it gives up or ctx ends.
// It returns the server's final state.
func (h *Host) supervise(ctx context.Context, s *server, r *run) connState {
	for {
		a := h.tryConnect(ctx, s, r)
		if m := a.monitor; m != nil {
			r.tries, r.attempts = 0, 0
			a.away, a.failure = m.params.live, h.keep(ctx, m, r)
		} else {
			r.attempts++
		}
		h.mu.Lock()
		if ctx.Err() != nil { // another goroutine may supervise the server now
			h.mu.Unlock()
			return connState{}
		}
		next, wait := r.next(a.failure, a.away, h.opts.never(s.cfg), &h.opts.Retry)
		if next.supervised() {
			h.enterLocked(s, next)
		}
		h.mu.Unlock()
		if !next.supervised() {
			return next
		}
		if !r.sleep(ctx, wait, next.isOutage()) {
			return connState{}
		}
	}
}

// next returns the state after a failed attempt or the end of a connection, and how
// long it lasts. away is not nil if a server at a URL is unreachable for now. never
// says that the host must not connect again by itself.
func (r *run) next(err *Error, away *liveness, never bool, o *Retry) (next connState, wait time.Duration) {
	next = gaveUp(err, r.attempts)
	switch {
	case next.stage != failed: // another attempt cannot help
	case away != nil && !never:
		now := time.Now()
		wait = r.outage.next(now)
		next.stage = checking
		if r.outage.isLong(now) {
			next.stage = unreachable
		}
	case err.Retryable() && r.tries < r.retries:
		r.tries++
		next.stage, wait = retrying, o.delay(r.tries)
	}
	return next, wait
}

// keep monitors a connection until it ends, and closes it. The error says why it
// ended.
func (h *Host) keep(ctx context.Context, m *monitor, r *run) *Error {
	s := m.s
	h.mu.Lock()
	r.retries = h.opts.retries(s.cfg)
	h.mu.Unlock()
	connected := time.Now()
	lost := h.guard(s.name, func() { m.run(ctx) })
	if lost == nil {
		lost = m.client.Err()
	}
	if lost == nil {
		lost = m.lost
	}
	h.mu.Lock()
	if s.state.client == m.client {
		s.rememberLocked(m.client, m.params) // a response to the probe may have come late
		h.enterLocked(s, connState{stage: closing, err: s.state.err})
	}
	h.mu.Unlock()
	if m.params.live != nil && ctx.Err() == nil {
		m.params.live.endLater(m)
	} else {
		m.end()
	}
	if time.Since(connected) >= stableTime {
		r.outage = outage{}
	}
	if ctx.Err() != nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e := newError(connectionLost, "connection lost", s.name, lost)
	if m.params.live == nil && s.addCrash(&h.opts.Retry) { // counts only for child processes
		e = newError(crashLoop, "not started again", s.name, crashError(lost))
	}
	e.text = s.hide(e.text)
	return e
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

// client returns the client of a server and the parameters that it was
// connected with. It connects, or waits until the server is connected.
func (h *Host) client(ctx context.Context, s *server) (*mcp.Client, *DialParams, error) {
	first := -1 // failed attempts when the call first made the host check the server
	for waited := false; ; waited = true {
		h.mu.Lock()
		var err error
		now := &s.state
		action := now.action(waited, h.opts.never(s.cfg))
		switch {
		case h.closed:
			err = newError(notConnected, "not connected", s.name, ErrShutdown)
		case s.removed:
			err = noServer(s.name)
		case !s.enabled:
			err = newError(disabled, "not connected", s.name, ErrDisabled)
		case action == use:
			client, started := now.client, s.params
			h.mu.Unlock()
			return client, started, nil
		case action == connect:
			h.startLocked(s, h.opts.retries(s.cfg))
		case action == tryOnce:
			h.startLocked(s, 0)
		case action >= check && action <= checkOnce && first < 0:
			first = now.attempts
			s.run.check() // the server may be back already
		case action == checkOnce && now.attempts > first, action == fail && now.err != nil:
			err = now.err
		case action == fail:
			err = newError(notConnected, "disconnected", s.name, mcp.ErrClosed)
		}
		changed, reason := s.changed, now.err
		h.mu.Unlock()
		if err != nil {
			return nil, nil, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			e := newError(timedOut, "still not connected", s.name, retry.Cause(ctx))
			if reason != nil {
				e.text = reason.text
			}
			return nil, nil, e
		}
	}
}

// addCrash records a crash and reports whether it was one too many.
func (s *server) addCrash(r *Retry) bool {
	s.metrics.count(&s.metrics.m.Crashes)
	if r.Crashes < 0 {
		return false
	}
	now := time.Now()
	s.crashes = append(s.crashes, now)
	for r.Window >= 0 && now.Sub(s.crashes[0]) > r.Window {
		s.crashes = s.crashes[1:]
	}
	return len(s.crashes) >= r.Crashes
}
