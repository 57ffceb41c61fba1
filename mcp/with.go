package mcp

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// CallOptions are what all calls of a client have in common that [Client.With]
// returns. The fields of a [ToolCall] take precedence.
type CallOptions struct {
	// Progress is called for the progress of each request, as ToolCall.Progress is.
	Progress func(Progress)

	// Timeout replaces Options.Timeout. The default is that; negative means no limit
	// other than Options.MaxTimeout.
	Timeout time.Duration

	// Meta holds additional members of each request's _meta, as ToolCall.Meta does.
	Meta map[string]any

	// Header holds header fields for the HTTP requests of each call and of its task,
	// as ToolCall.Header does.
	Header map[string][]string

	// InputResponses and RequestState answer what an [InputRequiredError] has asked, in
	// each CallTool, Do, GetPrompt and ReadResource: the results for its InputRequests
	// by their keys, such as an *[ElicitResult], with the types of ToolCall.Arguments,
	// and its RequestState. The client sends them as they are to a server of 2026-07-28;
	// for others, which ask no such questions, the call fails with ErrInputRequired.
	InputResponses map[string]any
	RequestState   *string
}

// Format implements fmt.Formatter: every verb prints the name of the type, without
// what its fields may keep secret.
func (o CallOptions) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("mcp.CallOptions")) }

// With returns a client whose requests have the given options in addition to those of
// c. It is for calls of methods that have no parameter for them:
//
//	res, err := client.With(mcp.CallOptions{Progress: show}).ReadResource(ctx, uri)
//
// Both clients share the connection and all that belongs to it, such as the server,
// the log level and the [Cache], which calls with Meta or Header do not use. Close of
// either closes both. The options apply to the requests and notifications of the
// methods of the new client and of its tasks. They do not apply to subscriptions, nor to
// what the client sends by itself, such as a handshake or a list of tools that it
// needs for a call.
func (c *Client) With(o CallOptions) *Client {
	before := c.with
	o.Meta, o.Header, o.InputResponses = maps.Clone(o.Meta), maps.Clone(o.Header), maps.Clone(o.InputResponses)
	return &Client{c.shared, func(q *request) {
		o.addTo(q)
		if before != nil {
			before(q)
		}
	}}
}

func (o *CallOptions) addTo(q *request) {
	if q.progress == nil && q.token == 0 && q.task == "" {
		q.progress = o.Progress
	}
	if q.timeout == 0 {
		q.timeout = o.Timeout
	}
	q.meta = merged(q.meta, o.Meta, func(a, b string) bool { return a == b })
	q.header = merged(q.header, o.Header, strings.EqualFold)
	if len(o.Meta)+len(o.Header) > 0 {
		q.traits &^= cacheable
	}
	if q.traits&takesInput != 0 && q.inputs.answers == nil {
		o.answer(q)
	}
}

func (o *CallOptions) answer(q *request) {
	if o.InputResponses != nil {
		b, err := wire.AppendValue(wire.AppendKey(nil, "inputResponses"), o.InputResponses)
		if err != nil {
			q.params = func(_ *request, b []byte) ([]byte, error) { return b, diag.Op("InputResponses", err) }
		}
		q.inputs.answers = b
	}
	if o.RequestState != nil {
		q.inputs.answers = wire.AppendString(wire.AppendKey(q.inputs.answers, "requestState"), *o.RequestState)
	}
}

// merged returns own with the entries of more whose key it does not have.
func merged[V any](own, more map[string]V, equal func(a, b string) bool) map[string]V {
	if len(own) == 0 {
		return more
	}
	all := maps.Clone(own)
	for key, v := range more {
		has := false
		for other := range own {
			has = has || equal(key, other)
		}
		if !has {
			all[key] = v
		}
	}
	return all
}
