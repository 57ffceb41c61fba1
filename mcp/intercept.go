package mcp

import (
	"context"
	"maps"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// An Interceptor is called instead of sending a request; see
// [Options].Interceptors. It usually calls [OutgoingCall.Send] once, with ctx or a
// context derived from it, and returns that result or another. It runs on the
// caller's goroutine, so it may run several times at once.
type Interceptor func(ctx context.Context, call *OutgoingCall) (RawMessage, error)

// An OutgoingCall is a request that the client is about to send.
type OutgoingCall struct {
	Server string // Options.Name, else the server's own name; empty until Connect knows it
	Method string
	Name   string // the tool, prompt or resource; empty for other methods

	// Transport and Address describe the connection for traces: the Kind and the
	// Name of jsonrpc.TransportFeatures, such as "Streamable HTTP" and a URL, or
	// "stdio" and a command line, without secrets. They may be empty.
	Transport, Address string

	// ID is the id of the last request that Send has sent, and zero before: several
	// requests if another session was opened for it, or an Interceptor that follows
	// calls Send again.
	ID jsonrpc.ID

	c      *Client
	q      *request
	meta   map[string]any      // replaces that of q; nil before SetMeta
	header map[string][]string // replaces that of q; nil before SetHeader
}

// Client returns the client that sends the request.
func (o *OutgoingCall) Client() *Client { return &o.c.self }

// Params returns the params of the request, without the members of _meta that
// the client or SetMeta adds. It returns nil if they cannot be encoded; Send then
// returns the error.
func (o *OutgoingCall) Params() RawMessage {
	b, err := appendParams(nil, nil, o.q, 0)
	if err != nil {
		return nil
	}
	return b
}

// SetMeta sets a member of the request's _meta, such as "traceparent". value may
// have the types of values in [ToolCall].Arguments; for any other type, Send
// returns an error.
func (o *OutgoingCall) SetMeta(key string, value any) {
	if o.meta == nil {
		o.meta = make(map[string]any)
		maps.Copy(o.meta, o.q.meta)
	}
	o.meta[key] = value
}

// SetHeader sets a field of the header of the HTTP requests that send the request,
// as [ToolCall].Header does. It is for requests of every method. The [Cache] does
// not depend on header fields.
func (o *OutgoingCall) SetHeader(name, value string) {
	if o.header == nil {
		o.header = make(map[string][]string)
		maps.Copy(o.header, o.q.header)
	}
	maps.DeleteFunc(o.header, func(other string, _ []string) bool { return strings.EqualFold(other, name) })
	o.header[name] = []string{value}
}

// Send sends the request, through the interceptors that follow, and returns its
// result, or a *[CallError]. An Interceptor may call it again, but not
// concurrently, if the request is safe to repeat.
func (o *OutgoingCall) Send(ctx context.Context) (RawMessage, error) {
	q := *o.q
	if o.meta != nil {
		q.meta = o.meta
	}
	if o.header != nil {
		q.header = o.header
	}
	q.intercepted++
	q.started = func(id jsonrpc.ID) {
		if o.ID = id; o.q.started != nil {
			o.q.started(id)
		}
	}
	return o.c.send(ctx, &q)
}

func (c *Client) intercept(ctx context.Context, q *request) (RawMessage, error) {
	call := &OutgoingCall{Server: c.Name(), Method: q.method, Name: q.name, Transport: c.transport.Kind, Address: c.transport.Name, c: c, q: q}
	raw, err := c.opts.Interceptors[q.intercepted](ctx, call)
	if err == nil {
		if err = wire.Valid(raw); err == nil {
			return raw, nil
		}
		err = diag.Op("the result that an Interceptor returned", jsonrpc.Malformed(err))
	}
	if _, ok := err.(*CallError); !ok {
		err = c.failed(q, err)
	}
	return nil, err
}
