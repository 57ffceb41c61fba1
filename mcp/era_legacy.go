package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// legacyEra is the protocol from 2024-11-05 to 2025-11-25: a session begins
// with initialize, and each side may send requests to the other.
type legacyEra struct{ revision string }

// stamp has a request open the session if no version is agreed on yet.
func (e *legacyEra) stamp(req *jsonrpc.Request) {
	req.ProtocolVersion, req.Session = e.revision, jsonrpc.InSession
	if e.revision == "" {
		req.Session = jsonrpc.OpensSession
	}
}

func (e *legacyEra) appendMeta(b []byte, _ map[string]any) []byte { return b }

func (e *legacyEra) ping() string { return "ping" }

func (e *legacyEra) serves() bool { return true }

// logging tells the server.
func (e *legacyEra) logging(ctx context.Context, c *Client, level LoggingLevel) error {
	_, err := c.do(ctx, &call{method: "logging/setLevel", params: func(_ *call, b []byte) ([]byte, error) {
		return wire.AppendString(wire.AppendKey(b, "level"), string(level)), nil
	}})
	return err
}

// complete takes everything: results had no type then. That of a call that
// asked for a task tells by what is in it.
func (e *legacyEra) complete(q *call, res *Result) error {
	if q.augmented && res.Extra["task"] != nil {
		return errTask
	}
	return nil
}
