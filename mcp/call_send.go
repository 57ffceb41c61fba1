package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// send writes a call as the era requires and waits for the response.
func (c *Client) send(ctx context.Context, era era, q *call) (RawMessage, error) {
	timeout := c.limit(&q.request)
	var timer *callTimer
	if q.traits&openEnded == 0 && (q.progress != nil || len(c.opts.Handlers) > 0) {
		var stop func()
		ctx, timer, stop = c.withCallTimer(ctx, timeout)
		defer stop()
		timeout = 0
	}
	token := q.token
	if q.progress != nil {
		sink := c.progress.add(func(p Progress) { c.guard(func() { q.progress(p) }) }, timer)
		defer c.progress.remove(ctx, sink)
		token = sink.token
	}
	buf := paramBuffers.Get().(*[]byte)
	defer putBuffer(buf)
	params, err := appendParams((*buf)[:0], era, q, token)
	*buf = params
	if err != nil {
		return nil, c.failed(q, err)
	}
	q.prepare(params, era)
	q.wire.Started = q.started
	if q.traits&uncancelable == 0 {
		q.wire.Cancel = cancelNotification
	}
	if q.cancel != nil {
		q.wire.Cancel = q.cancel
	}
	if timeout > 0 {
		q.wire.Timeout, q.wire.TimeoutErr = timeout, c.timeoutErr(timeout)
	}
	raw, err := c.conn.Call(ctx, &q.wire)
	if err != nil {
		return nil, c.failed(q, err)
	}
	return raw, nil
}

// sendNotification writes a notification. The era adds nothing to its params.
func (c *Client) sendNotification(ctx context.Context, q *call) error {
	params, err := appendParams(nil, nil, q, 0)
	if err != nil {
		return c.failed(q, err)
	}
	q.prepare(params, c.era())
	if err := c.conn.Notify(ctx, &q.wire); err != nil {
		return c.failed(q, err)
	}
	return nil
}

// prepare fills in what requests and notifications have in common. Empty params
// are omitted.
func (q *call) prepare(params []byte, era era) {
	q.wire = jsonrpc.Request{}
	q.wire.Method, q.wire.Name, q.wire.Header, q.wire.Repeatable = q.method, q.name, q.header, q.traits&repeatable != 0
	era.stamp(&q.wire)
	if q.traits&bindsArguments != 0 {
		q.wire.Binding = q.name
	}
	if q.task != "" {
		q.wire.Name = q.task
	}
	if len(params) > len("{}") {
		q.wire.Params = params
	}
}

// cancelNotification returns the notification that cancels the call id.
func cancelNotification(id jsonrpc.ID) *jsonrpc.Request {
	params := append([]byte(`{"requestId":`), id.String()...)
	params = wire.AppendString(wire.AppendKey(params, "reason"), "the caller stopped waiting")
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: append(params, '}')}
}
