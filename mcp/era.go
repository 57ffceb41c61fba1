package mcp

import (
	"errors"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// An era is one of the two forms of the protocol, legacy and modern. The
// interface covers everything in which they differ for a client, except for
// tasks; see taskAdvancer.
type era interface {
	// legacy reports whether the era has sessions and requests of the server.
	legacy() bool

	// stamp sets the protocol version of a request and its relation to the
	// session.
	stamp(h *jsonrpc.HTTP)

	// appendMeta appends the members of _meta that every request has, in
	// addition to those of the caller in own.
	appendMeta(b []byte, own map[string]any) []byte

	// ping returns the method by which the client checks that the server
	// responds.
	ping() string

	// logLevel sets the minimum severity of log messages. It returns the call
	// that sends it to the server, or nil if later requests contain it.
	logLevel(level LoggingLevel) *request

	// classify returns nil if res is a final result. The error is
	// ErrInputRequired itself if the server requires input, and errTask if the
	// call has become a task.
	classify(q *request, res *Result) error
}

// legacyEra is the protocol from 2024-11-05 to 2025-11-25. A session begins with
// initialize, and either side may send requests.
type legacyEra struct {
	version string                 // empty for initialize itself
	level   atomic.Pointer[string] // of log messages, for the next session; nil before it was set
}

func (e *legacyEra) legacy() bool { return true }

func (e *legacyEra) stamp(h *jsonrpc.HTTP) {
	h.ProtocolVersion, h.Session = e.version, jsonrpc.InSession
	if e.version == "" {
		h.Session = jsonrpc.OpensSession
	}
}

func (e *legacyEra) appendMeta(b []byte, _ map[string]any) []byte { return b }

func (e *legacyEra) ping() string { return "ping" }

func (e *legacyEra) logLevel(level LoggingLevel) *request {
	s := string(level)
	e.level.Store(&s)
	return newRequest("logging/setLevel", "", func(_ *request, b []byte) ([]byte, error) {
		return wire.AppendString(wire.AppendKey(b, "level"), s), nil
	})
}

// classify accepts everything, as results have no type in this era. The result
// of a request for a task is recognized by its member.
func (e *legacyEra) classify(q *request, res *Result) error {
	if q.traits&mayBeTask != 0 && res.Extra["task"] != nil {
		return errTask
	}
	return nil
}

// modernEra is the protocol from 2026-07-28 on. It has no sessions: every request
// states the protocol version and the capabilities of the client. The server
// sends no requests.
type modernEra struct {
	version string
	meta    []byte                 // members of every request's _meta
	level   atomic.Pointer[string] // of log messages; nil for none
}

func newModernEra(version string, info *Implementation, caps *clientCapabilities, level LoggingLevel) *modernEra {
	b := wire.AppendString(wire.AppendKey(nil, metaVersion), version)
	b = appendObject(wire.AppendKey(b, metaClientInfo), info)
	b = appendObject(wire.AppendKey(b, metaCapabilities), caps)
	e := &modernEra{version: version, meta: b}
	e.logLevel(level)
	return e
}

func (e *modernEra) legacy() bool { return false }

func (e *modernEra) stamp(h *jsonrpc.HTTP) { h.ProtocolVersion = e.version }

func (e *modernEra) logLevel(level LoggingLevel) *request {
	if s := string(level); s != "" {
		e.level.Store(&s)
	} else {
		e.level.Store(nil)
	}
	return nil
}

func (e *modernEra) appendMeta(b []byte, own map[string]any) []byte {
	b = append(b, e.meta...)
	if level := e.level.Load(); level != nil && own[metaLogLevel] == nil {
		b = wire.AppendString(wire.AppendKey(b, metaLogLevel), *level)
	}
	return b
}

// ping returns a method that every server implements; the era has no ping.
func (e *modernEra) ping() string { return "server/discover" }

func (e *modernEra) classify(q *request, res *Result) error {
	switch res.ResultType {
	case "", "complete":
		return nil
	case "input_required":
		return ErrInputRequired
	case "task":
		if q.method == "tools/call" {
			return errTask
		}
	}
	return jsonrpc.Malformed(errors.New("unknown resultType " + wire.Quote(res.ResultType)))
}
