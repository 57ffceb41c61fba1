package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// The decisions of a handshake. They depend only on a handshakeState, so that a test
// can try every order of events.

// A reply is what a request of a handshake has come to.
type reply uint8

const (
	unsent reply = iota
	pending
	accepted
	refused       // with a JSON-RPC error that servers of either era send
	refusedNow    // only initialize: with an error of servers in a state that does not permit it; received stores refused
	refusedModern // as only a server of the modern era does
	offersLegacy  // only server/discover: the server has legacy versions
	unauthorized  // as is every other request
	unusable      // with another response
	lost          // there is no response
)

// A handshakeState is everything on which the next action of a handshake depends.
type handshakeState struct {
	mayProbe, mayInitialize bool // the versions and the transport permit the request
	initializeFirst         bool
	stateless               bool // see Features.Stateless; elsewhere, a late response to the probe is seen
	mayReopen               bool // another connection can be opened, and has not been

	probe, session reply // to server/discover and initialize
	probes         int   // how often server/discover was sent on this connection
	pendingProbes  int   // of those without a reply
	disturbed      bool  // the probe may be why initialize is refused: it was pending, or a gateway has begun a session for it
	spoiled        bool  // the connection may have ended because of its first request

	late  bool // the time that next has set for waiting is over
	ended bool // the connection has ended

	unread bool // the server has ended without reading anything, so no request is the reason
}

// An action is the next step of a handshake.
type action struct {
	kind
	wait time.Duration // at most, for await; 0 for no limit
}

type kind uint8

const (
	finish       kind = iota // with the best outcome so far
	sendProbe                // server/discover
	sendInit                 // initialize
	await                    // an event
	reopenLegacy             // open another connection and send only initialize
	reopenModern             // the same with server/discover
)

// otherWait is how long a handshake waits for the response to initialize after that
// to the probe, or the reverse. Both requests have been sent by then.
const otherWait = 250 * time.Millisecond

// refusedWait is the same after the server has refused initialize, when nothing but
// the response to the probe can help. The server may have sent it before, and this
// machine may be busy.
const refusedWait = 8 * otherWait

// next decides what to do. probeTimeout is how long the probe may be alone.
func (s *handshakeState) next(probeTimeout time.Duration) action {
	switch s.session {
	case unsent:
		return s.beforeInitialize(probeTimeout)
	case pending:
		switch {
		case s.probe == accepted && s.late:
			return action{kind: finish}
		case s.probe == accepted:
			return action{await, otherWait}
		}
		return action{kind: await}
	case accepted: // it takes precedence, as a server of both eras may refuse modern requests after initialize
		if s.probe == pending && s.stateless && !s.late {
			return action{await, otherWait}
		}
		return action{kind: finish}
	}
	return s.afterRefusal()
}

func (s *handshakeState) beforeInitialize(probeTimeout time.Duration) action {
	switch s.probe {
	case unsent:
		if s.mayProbe && !(s.initializeFirst && s.mayInitialize) {
			return action{kind: sendProbe}
		}
		return action{kind: sendInit}
	case pending:
		switch {
		case !s.mayInitialize:
			return action{kind: await}
		case s.late: // the server is a legacy server, or it is still starting
			return action{kind: sendInit}
		}
		return action{await, probeTimeout}
	case accepted, refusedModern, unauthorized:
		return action{kind: finish}
	}
	switch {
	case !s.mayInitialize:
		return action{kind: finish}
	case s.ended:
		return s.reopen(reopenLegacy)
	}
	return action{kind: sendInit}
}

func (s *handshakeState) afterRefusal() action {
	switch {
	case s.probe == accepted && s.ended: // a server of the modern era, which initialize has ended
		return s.reopen(reopenModern)
	case s.probe == accepted, s.probe == refusedModern:
		return action{kind: finish}
	case s.ended:
		return s.reopen(reopenLegacy)
	case s.session == refusedModern && s.probes == 1 && s.probe == pending && !s.late:
		return action{await, otherWait}
	case s.session == refusedModern && s.mayProbe && s.probes < 2:
		return action{kind: sendProbe} // the server has lost the first one
	case s.session == refusedModern && s.probe == pending:
		return action{kind: await}
	case s.probe == pending && !s.late && s.session == refused:
		return action{await, refusedWait}
	case s.probe == pending && !s.late:
		return action{await, otherWait}
	case s.probe == unsent && s.mayProbe && (s.session == refused || s.session == unusable):
		return action{kind: sendProbe}
	case s.disturbed && s.session == refused && (s.probe == refused || s.probe == pending):
		return s.reopen(reopenLegacy) // gateways do this: the first request, whichever it is, makes them connect to their server
	}
	return action{kind: finish}
}

func (s *handshakeState) reopen(k kind) action {
	if s.spoiled && s.mayReopen && !s.unread {
		return action{kind: k}
	}
	return action{kind: finish}
}

func (s *handshakeState) sent(k kind) {
	s.late = false
	if k == sendInit {
		s.session, s.disturbed = pending, s.probe == pending
		return
	}
	s.probe, s.spoiled = pending, true
	s.probes++
	s.pendingProbes++
}

// received records the reply to a request. A probe that was sent twice is pending
// until one of them has an answer.
func (s *handshakeState) received(k kind, r reply) {
	s.late = false
	if k == sendInit {
		if r == refusedNow {
			r, s.disturbed = refused, s.disturbed || s.probe == refused && !s.stateless
		}
		s.session = r
		return
	}
	if s.pendingProbes--; s.pendingProbes == 0 || r == accepted || r == refusedModern {
		s.probe = r
	}
}

func (s *handshakeState) reopened(k kind) {
	*s = handshakeState{mayProbe: k == reopenModern, mayInitialize: k == reopenLegacy, stateless: s.stateless}
}

func (c *Client) initialize(ctx context.Context, version string) (*agreement, error) {
	res, err := c.sendInitialize(ctx, version)
	if other := c.otherVersion(err, version); other != "" {
		version = other
		res, err = c.sendInitialize(ctx, version)
	}
	if err != nil {
		return nil, err
	}
	if res.ProtocolVersion == "" {
		return nil, c.failed(newRequest("initialize", "", nil), jsonrpc.Malformed(errors.New("no protocolVersion")))
	}
	agreed := c.opts.legacy([]string{res.ProtocolVersion})
	if agreed == "" {
		return nil, c.opts.refused(version, []string{res.ProtocolVersion})
	}
	if accept := c.features.AcceptBatches; accept != nil && agreed == ProtocolVersion20250326 {
		accept() // no other version has batches
	}
	note := &jsonrpc.Request{
		Method: "notifications/initialized",
		HTTP:   jsonrpc.HTTP{ProtocolVersion: agreed, Session: jsonrpc.BeginsSession, Repeatable: true},
	}
	c.notified.Add(1)
	if err := c.conn.Notify(ctx, note); err != nil {
		return nil, err
	}
	return &agreement{era: &legacyEra{version: agreed}, server: *res}, nil
}

func (c *Client) sendInitialize(ctx context.Context, version string) (*ServerInfo, error) {
	q := newRequest("initialize", "", func(_ *request, b []byte) ([]byte, error) {
		b = wire.AppendString(wire.AppendKey(b, "protocolVersion"), version)
		b = appendObject(wire.AppendKey(b, "capabilities"), c.capabilities(true))
		return appendObject(wire.AppendKey(b, "clientInfo"), &c.opts.Info), nil
	})
	q.timeout = c.handshakeTimeout()
	q.era = &legacyEra{}
	raw, err := c.send(ctx, q)
	if err != nil {
		return nil, err
	}
	res := new(ServerInfo)
	r := wire.NewReader(raw)
	if err := c.read(q, &r, raw, res); err != nil {
		return nil, err
	}
	res.Probed, res.StreamLate = never, never // which servers do not decide
	return res, nil
}

func (c *Client) otherVersion(err error, asked string) string {
	refusal := serverError(err)
	if refusal == nil {
		return ""
	}
	if v := c.opts.legacy(supportedVersions(refusal)); v != asked {
		return v
	}
	return ""
}

func supportedVersions(e *jsonrpc.Error) (list []string) {
	r := wire.NewReader(wire.Lookup(e.Data, "supported"))
	for r.Array(); r.More(); {
		list = append(list, r.String())
	}
	if r.End() != nil {
		return nil
	}
	return list
}

// discover requests the modern protocol versions and the capabilities of the
// server. The error is a *versionError if the server is a modern one and has no
// version in common with the client.
func (c *Client) discover(ctx context.Context) (*agreement, error) {
	a, err := c.sendDiscover(ctx, c.opts.modern(c.opts.ProtocolVersions))
	if refused, ok := err.(*versionError); ok {
		// The version may be the same one: servers behind one URL can differ.
		if refused.modern != "" {
			return c.sendDiscover(ctx, refused.modern)
		}
	}
	return a, err
}

func (c *Client) sendDiscover(ctx context.Context, version string) (*agreement, error) {
	q := newRequest("server/discover", "", nil)
	q.era, q.timeout = c.modernEra(version), c.handshakeTimeout()
	q.traits |= uncancelable // a legacy server does not know the method
	q.started = c.probing
	raw, err := c.send(ctx, q)
	if refusal := serverError(err); refusal != nil && refusal.Code == CodeUnsupportedVersion {
		return nil, c.opts.refused(version, supportedVersions(refusal))
	}
	if err != nil {
		return nil, err
	}
	var res discoverResult
	r := wire.NewReader(raw)
	if err := c.read(q, &r, raw, &res); err != nil {
		return nil, err
	}
	if len(res.SupportedVersions) == 0 {
		return nil, c.failed(q, jsonrpc.Malformed(errors.New("no supportedVersions")))
	}
	agreed := c.opts.modern(res.SupportedVersions)
	if agreed == "" {
		return nil, c.opts.refused(version, res.SupportedVersions)
	}
	server := ServerInfo{Implementation: res.result.ServerInfo(), ProtocolVersion: agreed, Capabilities: res.Capabilities, Instructions: res.Instructions}
	return &agreement{era: c.modernEra(agreed), server: server}, nil
}

func (c *Client) modernEra(version string) era {
	return newModernEra(version, &c.opts.Info, c.capabilities(false), c.opts.LogLevel)
}

// isModern reports whether err can only come from a server of the modern era.
func isModern(err error) bool {
	if _, ok := err.(*versionError); ok {
		return true
	}
	refusal := serverError(err)
	return refusal != nil && (refusal.Code == CodeHeaderMismatch || refusal.Code == CodeMissingClientCapability)
}

// A versionError is the refusal of a protocol version.
type versionError struct {
	text           string
	modern, legacy string // the newest versions that the server offers and the client knows
}

// refused returns an error that keeps nothing of what the server offered, which may be long.
func (o *Options) refused(asked string, offered []string) *versionError {
	s := ErrUnsupportedVersion.Error() + ": requested " + asked + ", the server supports"
	for i, v := range offered {
		if i == 10 {
			s += " …"
			break
		}
		s += " " + wire.Quote(v)
	}
	if len(offered) == 0 {
		s += " none"
	}
	return &versionError{s, o.modern(offered), o.legacy(offered)}
}

func (e *versionError) Error() string { return e.text }

func (e *versionError) Is(target error) bool { return target == ErrUnsupportedVersion }
