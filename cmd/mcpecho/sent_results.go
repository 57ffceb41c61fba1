package main

import (
	"bytes"
	"context"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/secrets"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// With --json, a result is printed as the server sent it: the client's own form of it
// would have members that the server has left out.

// sentKey is the key of a func(mcp.RawMessage, error) in the context of requests, for the
// outcome of each.
type sentKey struct{}

// sentTo returns a context for a request. keepSent stores the result in kept.
func sentTo(ctx context.Context) (_ context.Context, kept *mcp.RawMessage) {
	kept = new(mcp.RawMessage)
	return context.WithValue(ctx, sentKey{}, func(raw mcp.RawMessage, err error) {
		if err == nil {
			*kept = raw
		}
	}), kept
}

// between are requests that the client sends during another one, such as for a new session.
var between = []string{"tasks/update", "ping", "server/discover", "logging/setLevel", "resources/subscribe"}

// keepSent is the mcp.Interceptor that keeps results. The client may decode the memory of
// the original in place.
func (s *conversation) keepSent(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
	raw, err := call.Send(ctx)
	if call.Method == "initialize" && err == nil {
		s.mu.Lock()
		s.initialized = bytes.Clone(raw)
		s.mu.Unlock()
	} else if keep, ok := ctx.Value(sentKey{}).(func(mcp.RawMessage, error)); ok && !hasWord(between, call.Method) {
		keep(bytes.Clone(raw), err)
	}
	return raw, err
}

// printSent prints the result of a request as the server sent it. If the call has become a
// task, its result is in the last state of the task. If the result came in a notification,
// printSent prints res, the client's form of it. It masks secret arguments.
func (c *invocation) printSent(s *conversation, kept mcp.RawMessage, res interface{ MarshalJSON() ([]byte, error) }) error {
	_, isTask := res.(*mcp.Task)
	if !isTask && (wire.Lookup(kept, "taskId") != nil || wire.Lookup(kept, "task") != nil) {
		kept = wire.Lookup(kept, "result")
	}
	if kept == nil {
		var err error
		if kept, err = res.MarshalJSON(); err != nil {
			return err
		}
	}
	masked := secrets.HideJSON(kept, c.sent.Redact)
	c.noteHidden(s, !bytes.Equal(masked, kept))
	return c.printJSON(masked)
}
