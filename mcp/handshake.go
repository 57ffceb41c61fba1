package mcp

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// An agreement is the result of a successful handshake. It is not changed once
// the client has adopted it.
type agreement struct {
	era    era
	server ServerInfo
	hint   bool      // server is from Options.CachedServer; no response has confirmed it
	probed time.Time // ServerInfo.Probed for CachedServer
}

// A handshake is the state of Connect, or of a negotiation after it, with one
// server. Its decisions are those of handshakeState.
type handshake struct {
	c *Client
	t Transport // opens another connection; nil after Connect

	legacy string      // the version for initialize; empty if there is none
	hint   *ServerInfo // legacy or modern; nil if nothing is known

	handshakeState
	discovered, initialized outcome // of server/discover and initialize
	outcomes                chan sentOutcome
	sending                 lock.Group         // the requests
	cancel                  context.CancelFunc // of the requests
	harmful                 bool               // the probe has ended or broken a connection
	everProbed              bool
}

// An outcome is the result of a request of a handshake.
type outcome struct {
	*agreement
	err error
}

type sentOutcome struct {
	kind // sendProbe or sendInit
	outcome
}

// maxOutcomes is how many requests a connection has at most: two probes and one
// initialize.
const maxOutcomes = 3

// codeOfServer is the first of JSON-RPC's codes for errors that a server defines.
const codeOfServer = -32000

// hintTime is how long a server that is known to be a legacy one is not probed: an
// update may make it a modern one.
const hintTime = 24 * time.Hour

// hintLateStream tells the connection that waiting for the stream of a session is useless,
// if an earlier client found that within hintTime.
func (c *Client) hintLateStream() {
	c.streamLate = time.Unix(time.Now().Unix(), 0)
	if s := c.opts.CachedServer; s != nil && c.features.StreamLate != nil && c.streamLate.Sub(s.StreamLate).Abs() < hintTime {
		c.streamLate = s.StreamLate
		c.features.StreamLate.Store(true)
	}
}

// never and longAgo are values of ServerInfo.Probed.
var never, longAgo = time.Time{}, time.Unix(1, 0)

func (c *Client) newHandshake(t Transport, cached *ServerInfo) *handshake {
	h := &handshake{c: c, t: t, legacy: c.opts.legacy(c.opts.ProtocolVersions)}
	single := t != nil && c.transport.SingleUse
	h.mayInitialize = h.legacy != ""
	h.mayProbe = c.opts.modern(c.opts.ProtocolVersions) != "" && !(c.features.Legacy && h.mayInitialize)
	h.mayReopen, h.spoiled = t != nil, single // whose error explains why it cannot be opened again
	h.stateless = c.features.Stateless
	if cached != nil {
		asked := []string{cached.ProtocolVersion}
		if c.opts.modern(asked) != "" || c.opts.legacy(asked) != "" && !cached.expired() {
			h.hint = cached
		}
	}
	h.initializeFirst = h.hint != nil && !h.hint.Modern() || single && h.hint == nil
	return h
}

func (s *ServerInfo) expired() bool {
	age := time.Since(s.Probed)
	return s.Probed != never && (age < 0 || age > hintTime)
}

func (h *handshake) run(ctx context.Context) (*agreement, error) {
	if h.hint != nil && h.stateless && h.hint.Modern() {
		return &agreement{era: h.c.modernEra(h.hint.ProtocolVersion), server: *h.hint, hint: true}, nil
	}
	if !h.mayProbe && !h.mayInitialize {
		return nil, diag.Op("Options.ProtocolVersions has no version that the transport supports", ErrUnsupportedVersion)
	}
	sending := h.begin(ctx)
	defer func() { h.stop() }() // whichever request is still pending
	for {
		a := h.next(h.probeTimeout(ctx))
		if a.kind != await && ctx.Err() != nil {
			a.kind = finish
		}
		switch a.kind {
		case finish:
			return h.finish(ctx)
		case await:
			h.await(a.wait)
		case sendProbe, sendInit:
			h.send(sending, a.kind)
		default:
			h.stop()
			if err := h.reopen(ctx, a.kind); err != nil {
				return nil, err
			}
			sending = h.begin(ctx)
		}
		ended := h.c.conn.Err()
		h.ended, h.unread = ended != nil, errors.Is(ended, diag.ErrUnread)
	}
}

func (h *handshake) begin(ctx context.Context) context.Context {
	ctx, h.cancel = context.WithCancel(ctx)
	h.outcomes = make(chan sentOutcome, maxOutcomes)
	return ctx
}

func (h *handshake) stop() {
	h.cancel()
	h.sending.Wait()
}

func (h *handshake) send(ctx context.Context, k kind) {
	h.sent(k)
	h.everProbed = h.everProbed || k == sendProbe
	c, out, legacy := h.c, h.outcomes, h.legacy
	h.sending.Go(func() { // ends with the request
		o := sentOutcome{kind: k}
		defer func() { out <- o }()
		defer c.recover(&o.err)
		if k == sendInit {
			o.agreement, o.err = c.initialize(ctx, legacy)
		} else if o.agreement, o.err = c.discover(ctx); o.agreement != nil {
			c.modern.Store(true) // for later connections, even if it is too late for this one
		}
	})
}

// await waits for an event: a reply, or the end of the time unless that is 0. While the
// user logs in, the time is not over, and run waits once more.
func (h *handshake) await(wait time.Duration) {
	if wait == 0 {
		wait = noLimit
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case o := <-h.outcomes:
		h.record(o)
	case <-t.C:
		h.late = !h.c.requests.away()
	}
	for { // what has arrived together is known together
		select {
		case o := <-h.outcomes:
			h.record(o)
		default:
			return
		}
	}
}

func (h *handshake) record(o sentOutcome) {
	r := h.c.replyOf(o.kind, o.err)
	h.received(o.kind, r)
	switch {
	case o.kind == sendInit:
		h.initialized = o.outcome
	case h.probe == r: // and not pending
		h.discovered = o.outcome
	}
	if refusal, ok := o.err.(*versionError); ok && r == offersLegacy {
		h.legacy = refusal.legacy // of a server of both eras
	}
}

func (h *handshake) finish(ctx context.Context) (*agreement, error) {
	if h.unread {
		return nil, h.c.conn.Err() // whichever request it was
	}
	best := h.initialized
	switch {
	case h.initialized.agreement != nil:
		best.probed = h.probedTime(&best.server)
	case h.discovered.agreement != nil, isModern(h.discovered.err), best.err == nil && (ctx.Err() == nil || h.ended || !h.mayInitialize):
		best = h.discovered
	case best.err == nil:
		return nil, retry.Cause(ctx) // more helpful than the refusal of a legacy server
	}
	// The probe reached the server, and initialize found none.
	if h.stateless && h.initialized.err != nil && ctx.Err() == nil && h.everProbed && errors.Is(h.discovered.err, ErrOutcomeUnknown) &&
		!errors.Is(h.initialized.err, ErrOutcomeUnknown) && !isRefusal(h.initialized.err) && !isRefusal(h.discovered.err) {
		err := diag.Error(h.discovered.err.Error()+"; then "+h.initialized.err.Error(), nil, h.initialized.err)
		return nil, diag.Error(diag.ErrEndedByProbe.Error()+": "+err.Error(), diag.ErrEndedByProbe, err)
	}
	if err, cause := best.err, context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, ctx.Err()) {
		if serverError(err) != nil { // the wait for another response has ended, and not with this one
			return nil, diag.Error(err.Error()+": "+cause.Error(), ctx.Err(), cause)
		}
		return nil, diag.Error(err.Error(), ctx.Err(), err)
	}
	return best.agreement, best.err
}

// probedTime returns ServerInfo.Probed for a legacy server.
func (h *handshake) probedTime(s *ServerInfo) time.Time {
	switch known := h.hint; {
	case h.harmful:
		return never
	case h.everProbed:
		return time.Unix(time.Now().Unix(), 0)
	case known == nil, known.Modern(), known.Version != "" && (known.Version != s.Version || known.Name != s.Name):
		return longAgo
	}
	return h.hint.Probed
}

func (c *Client) replyOf(k kind, err error) reply {
	refusal := serverError(err)
	switch {
	case err == nil:
		return accepted
	case isUnauthorized(err):
		return unauthorized
	case k == sendProbe && isModern(err):
		if e, ok := err.(*versionError); ok && e.legacy != "" {
			return offersLegacy
		}
		return refusedModern
	case k == sendInit && refusal != nil && (isModern(refusal) || c.opts.modern(supportedVersions(refusal)) != ""):
		return refusedModern
	case k == sendInit && refusal != nil && (refusal.Code == jsonrpc.CodeInvalidRequest || refusal.Code == codeOfServer):
		return refusedNow
	case refusal != nil:
		return refused
	case isRefusal(err):
		return unusable
	}
	return lost
}

func isRefusal(err error) bool {
	return serverError(err) != nil || isOtherKind(err) || isSessionLoss(err) || errors.Is(err, ErrUnsupportedVersion) ||
		errors.Is(err, ErrMalformed)
}

func isUnauthorized(err error) bool {
	e, ok := diag.Find[interface {
		error
		Unauthorized() bool
	}](err)
	return ok && e.Unauthorized()
}

// reopen opens another connection after the server has ended the first one, or has
// broken it: some servers do so if the first request is not initialize.
func (h *handshake) reopen(ctx context.Context, k kind) error {
	first := h.initialized.err
	if first == nil {
		first = h.discovered.err
	}
	_ = h.c.conn.Close()
	h.c.reconnecting(first, 0)
	if err := h.c.open(ctx, h.t); err != nil {
		return &reopenError{first, err}
	}
	h.harmful = k == reopenLegacy
	h.reopened(k)
	h.discovered, h.initialized = outcome{}, outcome{}
	return nil
}

// A reopenError describes a server that closed the connection during the
// handshake and to which no other connection could be opened.
type reopenError struct{ first, second error }

func (e *reopenError) Error() string {
	return e.first.Error() + "; no second attempt: " + e.second.Error()
}

func (e *reopenError) Unwrap() []error { return []error{e.first, e.second} }

// probeTimeout is how long Connect waits before it sends initialize as well. If
// ctx ends soon, most of its time remains for initialize. A server that was
// modern before is probably still starting.
func (h *handshake) probeTimeout(ctx context.Context) time.Duration {
	d := h.c.opts.ProbeTimeout
	switch {
	case d < 0:
		d = noLimit
	case h.hint != nil && h.hint.Modern() && d < time.Minute:
		d *= 10
	}
	if end, ok := ctx.Deadline(); ok {
		d = min(d, time.Until(end)/3)
	}
	if h.t == nil { // within callTimeout
		d = min(d, h.c.callTimeout()/3)
	}
	return max(d, 1)
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

// probing records the id of a probe. Ids are small numbers, and a handshake needs few.
func (c *Client) probing(id jsonrpc.ID) {
	if n, err := strconv.Atoi(id.String()); err == nil && 0 <= n && n < 64 {
		c.probes.Or(1 << n)
	}
}

// dropped handles received data that belongs to no call. A late response to the
// probe shows that the server is a modern one. The client has caused it, so that it
// reports neither that nor the error of a server which does not know the method.
func (c *Client) dropped(reason error, data []byte) {
	if reason == ErrUnknownID {
		if wire.Lookup(data, "result", "supportedVersions") != nil || wire.Lookup(data, "supportedVersions") != nil {
			c.modern.Store(true)
			return
		}
		m, err := jsonrpc.Parse(data)
		if err == nil {
			c.noteUnmatched(&m)
		}
		if err == nil && m.Error != nil && (m.ID.String() == "null" && c.answered() || bytes.Contains(data, []byte("server/discover"))) {
			return // servers must not respond to notifications, or to the probe with another id, and some do
		}
		id := m.ID.String()
		if len(id) > 2 && id[0] == '"' { // some servers make the id a string
			id = id[1 : len(id)-1]
		}
		if n, e := strconv.Atoi(id); err == nil && e == nil && 0 <= n && n < 64 && c.probes.Load()>>n&1 != 0 {
			return
		}
	}
	c.discarded(reason, data)
}

// noteUnmatched keeps what a response to no call says, which may be the one that a call
// waits for.
func (c *Client) noteUnmatched(m *jsonrpc.Message) {
	text := "; the server sent a response with the id " + diag.Printable(m.ID.String(), 100) + ", which no call has"
	if m.Error != nil {
		text += ": " + diag.Printable(m.Error.Error(), 200)
	}
	c.unmatched.Store(&text)
}

func (c *Client) answered() bool {
	for {
		n := c.notified.Load()
		if n <= 0 || c.notified.CompareAndSwap(n, n-1) {
			return n > 0
		}
	}
}
