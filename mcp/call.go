package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A call is a request on its way: what it says, before the server's era has
// added its part.
type call struct {
	method    string
	name      string                                  // the tool, prompt or resource
	args      any                                     // for params
	params    func(q *call, b []byte) ([]byte, error) // appends the members of params; may be nil
	meta      map[string]any                          // the caller's part of _meta
	progress  func(Progress)
	timeout   time.Duration // as the options say when 0
	permanent bool          // must not be cancelled
	open      bool          // the answer may take any time
	started   func(jsonrpc.ID)

	// Of a tool call with Tasks.
	augmented bool   // asks to become a task
	token     int64  // for progress that goes on beyond the answer
	told      any    // func(*Task), hears of the task that the call becomes; not every program links Task
	taskID    string // the task that the request is about; HTTP transports name it

	caches bool        // the result may be kept
	place  *cachePlace // where
	asks   bool        // the server may ask for input
	rounds int         // how often it has
	inputs []byte      // members with the answers, for the next round
	again  bool        // a refusal was overcome, which is tried once

	req jsonrpc.Request // what becomes of it
}

// do sends a request the way the server wants it and waits for the answer. A
// request that was refused because the server has forgotten the session is
// sent once more in a new one.
func (c *Client) do(ctx context.Context, q *call) (RawMessage, error) {
	if raw := c.cached(ctx, q); raw != nil {
		return raw, nil
	}
	session := c.session.current()
	raw, err := c.send(ctx, c.era, q)
	if err == nil || !errors.Is(err, jsonrpc.ErrNoSession) {
		return raw, err
	}
	if err := c.renew(ctx, session); err != nil {
		return nil, c.failed(q, &opError{"new session", err})
	}
	return c.send(ctx, c.era, q)
}

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
	q.req = jsonrpc.Request{Method: q.method, Mirror: era.mirror()}
	q.req.Mirror.Name = q.name
	if q.taskID != "" {
		q.req.Mirror.Name = q.taskID
	}
	if len(params) > len("{}") {
		q.req.Params = params
	}
}

// failed says which call err concerns. It stays out of line, as it is called
// from many places.
//
//go:noinline
func (c *Client) failed(q *call, err error) error {
	return &CallError{Server: c.server.Name, Method: q.method, Name: q.name, Err: err}
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

// appendParams appends the params object of a request, or of a notification
// when era is nil.
func appendParams(b []byte, era era, q *call, token int64) (_ []byte, err error) {
	b = append(b, '{')
	if q.params != nil {
		if b, err = q.params(q, b); err != nil {
			return b, err
		}
	}
	if len(q.inputs) > 0 {
		b = append(wire.AppendComma(b), q.inputs...)
	}
	start := len(b)
	b = append(wire.AppendKey(b, "_meta"), '{')
	empty := len(b)
	if era != nil {
		b = era.appendMeta(b, q.meta)
	}
	if token != 0 {
		b = wire.AppendInt(wire.AppendKey(b, "progressToken"), token)
	}
	if b, err = appendMeta(b, q.meta); err != nil {
		return b, err
	}
	if len(b) == empty {
		b = b[:start] // nothing to say
	} else {
		b = append(b, '}')
	}
	return append(b, '}'), nil
}

// appendMeta appends the caller's part of _meta.
func appendMeta(b []byte, meta map[string]any) (_ []byte, err error) {
	if len(meta) == 0 {
		return b, nil
	}
	for _, key := range wire.SortedKeys(meta) {
		switch key {
		case "progressToken", metaVersion, metaClientInfo, metaCapabilities:
			return b, errors.New("the key " + wire.Quote(key) + " of Meta is the client's own")
		}
		if b, err = wire.AppendValue(wire.AppendKey(b, key), meta[key]); err != nil {
			return b, &opError{"Meta " + wire.Quote(key), err}
		}
	}
	return b, nil
}

// limit returns how long a call may take, 0 for any time.
func (c *Client) limit(q *call) time.Duration {
	d := q.timeout
	if d == 0 {
		d = c.opts.Timeout
	}
	if total := c.opts.MaxTimeout; total > 0 && (d < 0 || d > total) {
		d = total
	}
	if q.open || d < 0 {
		return 0
	}
	return d
}

// extensible returns the context of a call whose time progress starts anew and
// handlers at work make stand still: the user may be thinking.
func (c *Client) extensible(ctx context.Context, d time.Duration) (context.Context, *callTimer, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &callTimer{each: d, total: c.opts.MaxTimeout, began: time.Now()}
	t.start(func() {
		if c.requests.busy(d) && !t.over() {
			t.extend()
		} else {
			cancel(t.err())
		}
	})
	return ctx, t, func() { t.stop(); cancel(nil) }
}

// inAll returns the context of something that takes several requests.
func (c *Client) inAll(ctx context.Context) (context.Context, context.CancelFunc) {
	d := c.opts.MaxTimeout
	if d < 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, d, &timeoutError{after: d, total: true})
}

// timeout returns the error for calls that get no answer within d.
func (c *Client) timeout(d time.Duration) *timeoutError {
	if d == c.usual.after {
		return &c.usual
	}
	return &timeoutError{after: d}
}

// A callTimer ends a call that makes no progress.
type callTimer struct {
	each, total time.Duration // no limit when 0 or negative
	began       time.Time

	mu    sync.Mutex
	timer *time.Timer // nil when the call is over
}

// start has f called when the time is up.
func (t *callTimer) start(f func()) {
	t.mu.Lock()
	t.timer = time.AfterFunc(t.rest(), f)
	t.mu.Unlock()
}

func (t *callTimer) stop() {
	t.mu.Lock()
	t.timer.Stop()
	t.timer = nil
	t.mu.Unlock()
}

// forever is beyond the life of any call.
const forever = 1<<63 - 1

// rest returns how long the call may go on without further progress.
func (t *callTimer) rest() time.Duration {
	d := t.each
	if d <= 0 {
		d = forever
	}
	if t.total > 0 {
		d = min(d, t.total-time.Since(t.began))
	}
	return d
}

// extend starts the time anew.
func (t *callTimer) extend() {
	t.mu.Lock()
	if t.timer != nil {
		t.timer.Reset(t.rest())
	}
	t.mu.Unlock()
}

// over reports whether the call may not go on whatever happens.
func (t *callTimer) over() bool { return t.total > 0 && time.Since(t.began) >= t.total }

func (t *callTimer) err() error {
	if t.over() {
		return &timeoutError{after: t.total, total: true}
	}
	return &timeoutError{after: t.each}
}

// buffers holds what params are built in.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func putBuffer(b *[]byte) {
	if cap(*b) <= 64<<10 {
		buffers.Put(b)
	}
}
