package mcp

import (
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

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
