package host

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp"
)

// Times for servers at a URL, which can become unreachable and return.
const (
	// defaultKeepAlive is the default of Options.KeepAlive.
	defaultKeepAlive = 30 * time.Second

	// pingTimeout limits a ping. confirmTimeout limits the one that confirms
	// that the server is unreachable. maxMisses is the number of consecutive
	// pings without a response that end a connection.
	pingTimeout, confirmTimeout = 10 * time.Second, time.Second
	maxMisses                   = 2

	// checkDelay is the time between checks whether the server is back during
	// the first fastChecks of an outage. Later it grows from firstSlowCheck to
	// lastSlowCheck.
	checkDelay, fastChecks        = 1500 * time.Millisecond, 2 * time.Minute
	firstSlowCheck, lastSlowCheck = 5 * time.Second, 30 * time.Second

	// callDelay is the least time between two checks. A call does not wait for
	// the next one that is due.
	callDelay = 500 * time.Millisecond

	// stableTime is how long a connection lasts at least that ends an outage.
	stableTime = 10 * time.Second

	// failedDelay is the time after which a server is tried again that the host
	// has given up.
	failedDelay = 5 * time.Minute

	// deafTTL is the TTL of the tools of a server that sent none and whose stream was
	// given up.
	deafTTL = 5 * time.Minute
)

// A liveness detects and survives the outages of a server at a URL, over one
// connection: it learns from calls whether the server is alive, and pings it. Its
// methods may be called concurrently.
type liveness struct {
	// unreachable reports whether err means that the server is unreachable for now.
	unreachable func(err error) bool

	// ping and confirm are the methods checkAlive and confirmLost. Only SetUnreachable
	// names these: a program without servers at URLs is 3.6 KB smaller.
	ping    func(ctx context.Context, m *monitor, now time.Time)
	confirm func(ctx context.Context, h *Host, s *server, client *mcp.Client, err error) bool

	mu        lock.Mutex
	suspected bool               // a request failed since the last ping
	wake      context.CancelFunc // interrupts the monitor; nil while it does not wait

	calls lock.Group // tool calls in progress

	deaf atomic.Bool // the stream that brings changes was given up
}

// suspect makes the monitor ping the server.
func (l *liveness) suspect() {
	l.mu.Lock()
	l.suspected = true
	if l.wake != nil {
		l.wake()
	}
	l.mu.Unlock()
}

// await stores the function that interrupts the monitor, or nil. It returns
// whether the monitor has to ping the server first.
func (l *liveness) await(wake context.CancelFunc) (suspected bool) {
	l.mu.Lock()
	l.wake = wake
	suspected = l.suspected
	l.mu.Unlock()
	return suspected
}

// pinged records that the monitor has pinged the server.
func (l *liveness) pinged() {
	l.mu.Lock()
	l.suspected = false
	l.mu.Unlock()
}

// isCalled reports whether tool calls are in progress.
func (l *liveness) isCalled() bool {
	select {
	case <-l.calls.Idle():
		return false
	default:
		return true
	}
}

// observe is part of the interceptor of a client: it returns the function that
// observes the result of a call.
func (l *liveness) observe(call *mcp.OutgoingCall) func(error) {
	if call.Method == "ping" || call.Method == "server/discover" {
		return func(error) {}
	}
	tool := 0
	if call.Method == "tools/call" {
		tool = 1
	}
	l.calls.Add(tool)
	return func(err error) {
		l.calls.Add(-tool)
		if err != nil && (l.unreachable(err) || errors.Is(err, context.DeadlineExceeded)) {
			l.suspect()
		}
	}
}

// traceStreams returns a copy of trace, which may be nil, that also makes the
// monitor ping the server when one of its streams breaks or is given up.
func (l *liveness) traceStreams(trace *mcp.Trace) *mcp.Trace {
	var t mcp.Trace
	if trace != nil {
		t = *trace
	}
	reconnect, lost, discarded := t.Reconnect, t.StreamLost, t.Discarded
	t.StreamLost = func(ctx context.Context, err error) {
		l.deaf.Store(true)
		l.suspect()
		switch {
		case lost != nil:
			lost(ctx, err)
		case discarded != nil:
			discarded(ctx, err, nil)
		}
	}
	t.Reconnect = func(ctx context.Context, err error, wait time.Duration) {
		l.suspect()
		if reconnect != nil {
			reconnect(ctx, err, wait)
		}
	}
	return &t
}

// checkAlive pings the server if that is due. If the server is unreachable, it sets
// m.lost.
func (l *liveness) checkAlive(ctx context.Context, m *monitor, now time.Time) {
	suspected := l.await(nil)
	if !suspected && (!due(m.ping, now) || l.isCalled()) {
		if due(m.ping, now) {
			l.schedulePing(m) // a server may be too busy with a call to respond
		}
		return
	}
	bound, cancel := retry.WithTimeout(ctx, pingTimeout, errNoPing)
	err := m.client.Ping(bound)
	cancel()
	l.pinged()
	l.schedulePing(m)
	switch {
	case err == nil || ctx.Err() != nil:
		m.misses = 0
	case l.unreachable(err):
		m.lost = err
	case errors.Is(err, context.DeadlineExceeded) && !l.isCalled():
		if m.misses++; m.misses >= maxMisses {
			m.lost = err
		}
		m.ping = time.Now()
	}
}

var errNoPing = diag.Error("no response to a ping within "+pingTimeout.String(), context.DeadlineExceeded, nil)

// schedulePing schedules the next ping of a server. A random fifth of the interval keeps many servers from being pinged together.
func (l *liveness) schedulePing(m *monitor) {
	if every := m.h.opts.KeepAlive; every > 0 {
		m.ping = time.Now().Add(every - upTo(every/5))
	}
}

// confirmLost reports whether a server is unreachable after a request failed with
// err. If so, it removes the tools of the connection and makes the monitor end it.
func (l *liveness) confirmLost(ctx context.Context, h *Host, s *server, client *mcp.Client, err error) bool {
	if !l.unreachable(err) {
		return false
	}
	bound, cancel := retry.WithTimeout(ctx, confirmTimeout, nil)
	defer cancel()
	switch err := client.Ping(bound); {
	case errors.Is(err, mcp.ErrClosed): // the monitor was faster
		return true
	case !l.unreachable(err):
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.state.client == client {
		e := newError(connectionLost, "connection lost", s.name, err)
		e.text = s.hide(e.text)
		h.enterLocked(s, connState{stage: checking, err: e})
	}
	l.suspect()
	return true
}

// An outage is the time during which a server at a URL is unreachable.
type outage struct {
	since time.Time // zero if there is none
	slow  time.Duration
}

// next returns the time until the next check.
func (o *outage) next(now time.Time) time.Duration {
	if o.since.IsZero() {
		o.since = now
	}
	if now.Sub(o.since) < fastChecks {
		return checkDelay + upTo(checkDelay/10)
	}
	o.slow = min(max(2*o.slow, firstSlowCheck), lastSlowCheck)
	return o.slow + upTo(o.slow/5)
}

// upTo returns a random time from 0 to d.
func upTo(d time.Duration) time.Duration { return rand.N(d + 1) }

// isLong reports whether calls no longer wait for the end of the outage.
func (o *outage) isLong(now time.Time) bool {
	return !o.since.IsZero() && now.Sub(o.since) >= fastChecks
}

// endLater closes the connection when no tool call is in progress: a server that
// refuses new connections may still respond to these.
func (l *liveness) endLater(m *monitor) {
	h := m.h
	h.running.Go(func() { // ends with the calls, which have a timeout, or the host
		select {
		case <-l.calls.Idle():
		case <-m.client.Done():
		case <-h.ctx.Done():
		}
		m.end()
	})
}

// sleep waits for d. In an outage, a call ends it, but not before callDelay. It
// returns false if ctx ends.
func (r *run) sleep(ctx context.Context, d time.Duration, outage bool) bool {
	if !outage {
		return retry.Sleep(ctx, d)
	}
	if !retry.Sleep(ctx, callDelay) {
		return false
	}
	t := time.NewTimer(d - callDelay)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.now:
	case <-ctx.Done():
		return false
	}
	return true
}

// check makes a sleeping run try again at once.
func (r *run) check() {
	select {
	case r.now <- struct{}{}:
	default:
	}
}
