package main

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// With --json, a result is printed as the server sent it: the client's own form of it
// would have members that the server has left out.

// sentKey is the key of a *json.RawMessage in the context of a request, for the result.
type sentKey struct{}

// sentTo returns a context for a request, whose result is then in kept.
func sentTo(ctx context.Context) (_ context.Context, kept *json.RawMessage) {
	kept = new(json.RawMessage)
	return context.WithValue(ctx, sentKey{}, kept), kept
}

// keepSent is the mcp.Interceptor that keeps results. The client may decode the memory of
// the original in place.
func (s *conversation) keepSent(ctx context.Context, call *mcp.OutgoingCall) (json.RawMessage, error) {
	raw, err := call.Send(ctx)
	if err != nil {
		return nil, err
	}
	if call.Method == "initialize" {
		s.mu.Lock()
		s.initialized = bytes.Clone(raw)
		s.mu.Unlock()
	} else if kept, ok := ctx.Value(sentKey{}).(*json.RawMessage); ok {
		*kept = bytes.Clone(raw)
	}
	return raw, nil
}

// A decoded is a result that the client has decoded.
type decoded interface {
	MarshalJSON() ([]byte, error)
	UnmarshalJSON([]byte) error
}

// printSent prints the result that request has returned with its context, as the server
// sent it. same is for another value of the result.
func (c *invocation) printSent(s *conversation, kept json.RawMessage, res, same decoded) error {
	want, err := res.MarshalJSON()
	if err != nil {
		return err
	}
	for _, raw := range [][]byte{kept, wire.Lookup(kept, "result")} { // of a call, or of its task
		if raw == nil || same.UnmarshalJSON(raw) != nil {
			continue
		}
		if got, err := same.MarshalJSON(); err == nil && bytes.Equal(got, want) {
			return c.printMasked(s, raw)
		}
	}
	return c.printMasked(s, want) // it came in a notification
}

// printMasked prints a result without secret arguments.
func (c *invocation) printMasked(s *conversation, raw []byte) error {
	text := c.hideSent(s, string(raw))
	if masked := []byte(text); wire.Valid(masked) == nil {
		return c.printJSON(masked)
	}
	masked, err := recording.MaskJSON(raw, c.sent.Redact) // a number was masked
	if err != nil {
		return err
	}
	return c.printJSON(masked)
}
