package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func (c *Client) send(ctx context.Context, era era, q *call) (RawMessage, error) {
	if c.opts.Intercept != nil {
		return c.intercepted(ctx, era, q)
	}
	return c.sendNow(ctx, era, q)
}

func (c *Client) sendNow(ctx context.Context, era era, q *call) (RawMessage, error) {
	timeout := c.limit(q)
	var timer *callTimer
	if !q.open && (q.progress != nil || len(c.opts.Handlers) > 0) {
		var stop func()
		ctx, timer, stop = c.extensible(ctx, timeout)
		defer stop()
		timeout = 0
	}
	token := q.token
	if q.progress != nil {
		sink := c.progress.add(func(p Progress) { c.guard(func() { q.progress(p) }) }, timer)
		defer c.progress.remove(ctx, sink)
		token = sink.token
	}
	buf := buffers.Get().(*[]byte)
	defer putBuffer(buf)
	params, err := appendParams((*buf)[:0], era, q, token)
	*buf = params
	if err != nil {
		return nil, c.failed(q, err)
	}
	q.prepare(params, era)
	if !q.permanent {
		q.req.Cancel = cancelNotice
	}
	q.req.Started = q.started
	if timeout > 0 {
		q.req.Timeout, q.req.TimeoutErr = timeout, c.timeout(timeout)
	}
	raw, err := c.conn.Call(ctx, &q.req)
	if err != nil {
		return nil, c.failed(q, err)
	}
	return raw, nil
}

// prepare fills in the request. Params that say nothing are left out.
func (q *call) prepare(params []byte, era era) {
	traits := traitsOf(q.method)
	q.req = jsonrpc.Request{Method: q.method, Name: q.name, Repeatable: traits&repeatable != 0}
	era.stamp(&q.req)
	if traits&bindsArguments != 0 {
		q.req.Binding = q.name
	}
	if q.taskID != "" {
		q.req.Name = q.taskID
	}
	if len(params) > len("{}") {
		q.req.Params = params
	}
}

// sendNote sends a notification, which carries nothing of the era's.
func (c *Client) sendNote(ctx context.Context, q *call) error {
	b, err := appendParams(nil, nil, q, 0)
	if err != nil {
		return c.failed(q, err)
	}
	q.prepare(b, c.era)
	if err := c.conn.Notify(ctx, &q.req); err != nil {
		return c.failed(q, err)
	}
	return nil
}

// cancelNotice tells the server that nobody waits any more for the call id.
func cancelNotice(id jsonrpc.ID) *jsonrpc.Request {
	params := append([]byte(`{"requestId":`), id.String()...)
	params = wire.AppendString(wire.AppendKey(params, "reason"), "the caller stopped waiting")
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: append(params, '}')}
}
