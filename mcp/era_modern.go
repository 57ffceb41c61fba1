package mcp

import (
	"errors"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

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

// logLevel makes later requests state the level.
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
