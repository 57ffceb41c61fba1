package mcp

import (
	"context"
	"maps"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// An OutgoingCall is a request that is about to be sent. See
// Options.Intercept.
type OutgoingCall struct {
	Server string // Options.Name, else the server's own name; empty before Connect knows one
	Method string
	Name   string // the tool, prompt or resource; empty for other methods

	c    *Client
	era  era
	q    *call
	meta map[string]any // in place of q's; nil when nothing was added
}

// Client returns the client that sends the request.
func (o *OutgoingCall) Client() *Client { return o.c }

// Params returns the params of the request, without what the client itself
// puts into _meta, or nil when they can't be written; Send says why.
func (o *OutgoingCall) Params() RawMessage {
	b, err := appendParams(nil, nil, o.q, 0)
	if err != nil {
		return nil
	}
	return b
}

// SetMeta puts a member into the request's _meta, such as "traceparent".
func (o *OutgoingCall) SetMeta(key string, value any) {
	if o.meta == nil {
		o.meta = make(map[string]any)
		maps.Copy(o.meta, o.q.meta)
	}
	o.meta[key] = value
}

// Send sends the request and returns its result, or an error of type
// *[CallError]. It may be called again when it has returned, if the request
// may be repeated.
func (o *OutgoingCall) Send(ctx context.Context) (RawMessage, error) {
	if o.meta != nil {
		own := o.q.meta
		o.q.meta = o.meta
		defer func() { o.q.meta = own }() // another round has its own
	}
	return o.c.sendNow(ctx, o.era, o.q)
}

// intercepted returns what the program's interceptor makes of a request.
func (c *Client) intercepted(ctx context.Context, era era, q *call) (RawMessage, error) {
	raw, err := c.opts.Intercept(ctx, &OutgoingCall{Server: c.serverName(), Method: q.method, Name: q.name, c: c, era: era, q: q})
	if err == nil {
		if err = wire.Valid(raw); err == nil {
			return raw, nil
		}
		err = diag.Op("the result that Intercept returned", &malformedError{err})
	}
	if _, ok := err.(*CallError); !ok {
		err = c.failed(q, err)
	}
	return nil, err
}
