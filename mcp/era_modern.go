package mcp

import (
	"errors"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// modernEra is the protocol from 2026-07-28 on: there are no sessions, every
// request says which revision it speaks and what the client can do, and the
// server sends no requests.
type modernEra struct {
	version string
	meta    []byte                 // the members that every request's _meta has
	level   atomic.Pointer[string] // of log messages that requests ask for; nil for none
}

func (c *Client) newModernEra(version string) *modernEra {
	b := wire.AppendString(wire.AppendKey(nil, metaVersion), version)
	b = appendObject(wire.AppendKey(b, metaClientInfo), &c.opts.Info)
	b = appendObject(wire.AppendKey(b, metaCapabilities), c.capabilities(false))
	e := &modernEra{version: version, meta: b}
	e.logLevel(c.opts.LogLevel)
	return e
}

// logLevel makes later requests state the level.
func (e *modernEra) logLevel(level LoggingLevel) *call {
	if s := string(level); s != "" {
		e.level.Store(&s)
	} else {
		e.level.Store(nil)
	}
	return nil
}

func (e *modernEra) stamp(req *jsonrpc.Request) { req.ProtocolVersion = e.version }

func (e *modernEra) appendMeta(b []byte, own map[string]any) []byte {
	b = append(b, e.meta...)
	if level := e.level.Load(); level != nil && own[metaLogLevel] == nil {
		b = wire.AppendString(wire.AppendKey(b, metaLogLevel), *level)
	}
	return b
}

// ping is what every server of this era must answer; it has no ping.
func (e *modernEra) ping() string { return "server/discover" }

func (e *modernEra) legacy() bool { return false }

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
	return &malformedError{errors.New("result of the unknown type " + wire.Quote(res.ResultType))}
}
