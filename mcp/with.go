package mcp

import (
	"fmt"
	"maps"
	"strings"
	"time"
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
}

// Format implements fmt.Formatter: every verb prints the name of the type, without
// what Header and Meta may keep secret.
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
	o.Meta, o.Header = maps.Clone(o.Meta), maps.Clone(o.Header)
	return &Client{c.shared, func(q *request) {
		o.addTo(q)
		if before != nil {
			before(q)
		}
	}}
}

// addTo sets what q does not have. It may be called again for the same request.
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
