package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// The way of a call: call repeats it with the input that the server requires,
// roundTrip carries it out in the session of the client, and send writes the request
// to the connection and waits for the response, which decode reads.

// A request describes what a feature wants from the server, and has the state of the
// request on its way there and back.
type request struct {
	method      string
	name        string                                     // the tool, prompt or resource
	task        string                                     // the id of the task concerned; transports state it as the name
	args        any                                        // for params
	params      func(q *request, b []byte) ([]byte, error) // appends the members of params; may be nil
	meta        map[string]any                             // the caller's members of _meta
	header      map[string][]string                        // the caller's, for HTTP transports
	progress    func(Progress)                             // may be nil
	token       int64                                      // for progress that continues after the response; 0 for none
	timeout     time.Duration                              // 0 for that of the options
	traits      traits
	intercepted int32                             // how many of Options.Interceptors have been called
	started     func(jsonrpc.ID)                  // may be nil
	cancel      func(jsonrpc.ID) *jsonrpc.Request // the notification that cancels it; nil for the usual one

	// The state. It changes while no response is awaited.

	era    era             // in which it is sent, and its response is read; set by roundTrip and the handshake
	inputs inputRounds     // written by inputs.go, and by task_run.go for tasks/update
	slot   *cacheSlot      // for the result; nil if it is not stored
	wire   jsonrpc.Request // written by send
}

// newRequest returns a request without arguments. Without the mark, a stdio program is
// 4.0 KB larger, as it has many callers.
//
//go:noinline
func newRequest(method, name string, params func(*request, []byte) ([]byte, error)) *request {
	q := new(request)
	q.method, q.name, q.params, q.traits = method, name, params, traitsOf(method)
	return q
}

// Name returns the server's name for errors, as CallError.Server has it: Options.Name,
// or else the server's own.
func (c *Client) Name() string {
	if c.opts.Name != "" {
		return c.opts.Name
	}
	return c.agreed.Load().server.Name
}

// failed returns err with the server, method and name of the request. Without the
// mark, a stdio program is 5.3 KB larger, as it has many callers.
//
//go:noinline
func (c *Client) failed(q *request, err error) error {
	return &CallError{Server: c.Name(), Method: q.method, Name: q.name, Err: err}
}

// call sends a request, provides the input that the server requires (2026-07-28:
// multi round-trip requests), and returns the final result. allocate returns a new
// result.
func call[R result](ctx context.Context, c *Client, q *request, allocate func() R) (none R, _ error) {
	for {
		res := allocate()
		raw, err := c.roundTrip(ctx, q)
		if err == nil {
			err = c.decode(q, raw, res)
		}
		if err == nil {
			return res, nil
		}
		if q.traits&takesInput == 0 {
			return none, err
		}
		if err = c.nextRound(ctx, q, err); err != nil {
			return none, err
		}
	}
}

func (c *Client) nextRound(ctx context.Context, q *request, err error) error {
	if more, ok := err.(*unfinished); ok && more.why == ErrInputRequired {
		if err := c.collectInputs(ctx, q, more.raw); err != nil {
			return c.failed(q, err)
		}
		return nil
	}
	return c.retryAfterRefusal(ctx, q, err)
}

func (c *Client) retryAfterRefusal(ctx context.Context, q *request, err error) error {
	refusal := serverError(err)
	if refusal == nil || q.inputs.retried {
		return err
	}
	resolved, failure := c.resolveRefusal(ctx, q, refusal)
	if failure != nil {
		return c.failed(q, failure)
	}
	if !resolved {
		return err
	}
	q.inputs.retried = true
	c.retrying(q.method, err)
	return nil
}

func (c *Client) resolveRefusal(ctx context.Context, q *request, refusal *jsonrpc.Error) (resolved bool, err error) {
	switch {
	case refusal.Code == CodeHeaderMismatch && !q.era.legacy() && q.traits&bindsArguments != 0:
		// The tool has changed. Its new schema states the arguments to repeat in headers.
		_, err := c.self.ListTools(ctx)
		return err == nil, err
	case refusal.Code == CodeURLElicitationRequired && q.era.legacy():
		return c.openRequiredPages(ctx, refusal)
	}
	return false, nil
}

// roundTrip sends a request, and once more in another session if the server has forgotten
// the first one, or if it is not the server that Options.CachedServer describes.
func (c *Client) roundTrip(ctx context.Context, q *request) (RawMessage, error) {
	if c.with != nil {
		c.with(q)
	}
	a := c.agreed.Load()
	q.era = a.era
	if c.cache != nil && q.traits&cacheable != 0 {
		if raw, err := c.lookup(ctx, q); raw != nil || err != nil {
			return raw, err
		}
	}
	raw, err := c.send(ctx, q)
	// Another server receives neither cursors of this one nor the answers to its questions.
	own := q.traits&continues != 0 || q.inputs.answers != nil
	if err == nil || !a.mayBeLost(err) && !(a.hint && isRefusal(err) && !own) {
		return raw, err
	}
	if a, err = c.renewFor(ctx, q, a, err); err != nil {
		return nil, err
	}
	q.era = a.era
	return c.send(ctx, q)
}

func (c *Client) send(ctx context.Context, q *request) (RawMessage, error) {
	if int(q.intercepted) < len(c.opts.Interceptors) {
		return c.intercept(ctx, q)
	}
	timeout, token := c.limit(q), q.token
	var timer *callTimer
	if q.traits&openEnded == 0 && (q.progress != nil || len(c.opts.Handlers) > 0) {
		var stop func()
		ctx, timer, stop = c.withCallTimer(ctx, timeout)
		defer stop()
		timeout = 0
	}
	if q.progress != nil {
		sink := c.progress.add(func(p Progress) { c.guard(func() { q.progress(p) }) }, timer)
		defer c.progress.remove(ctx, sink)
		token = sink.token
	}
	buf := paramBuffers.Get().(*[]byte)
	defer putBuffer(buf)
	params, err := appendParams((*buf)[:0], q.era, q, token)
	*buf = params
	if err != nil {
		return nil, c.failed(q, err)
	}
	q.prepare(params)
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
	if c.unmatched.Load() != nil {
		c.unmatched.Store(nil)
	}
	raw, err := c.conn.Call(ctx, &q.wire)
	if err != nil {
		if serverError(err) == nil && c.era() != nil { // Connect explains its own error
			err = c.explain(err)
		}
		return nil, c.failed(q, err)
	}
	return raw, nil
}

func (c *Client) sendNotification(ctx context.Context, q *request) error {
	params, err := appendParams(nil, nil, q, 0)
	if err != nil {
		return c.failed(q, err)
	}
	q.era = c.era()
	q.prepare(params)
	c.notified.Add(1)
	if err := c.conn.Notify(ctx, &q.wire); err != nil {
		return c.failed(q, err)
	}
	return nil
}

// prepare fills in what requests and notifications have in common. Empty params
// are omitted, unless the caller gave them as text.
func (q *request) prepare(params []byte) {
	q.wire = jsonrpc.Request{Method: q.method}
	h := &q.wire.HTTP
	h.Name, h.Header, h.Repeatable = q.name, q.header, q.traits&repeatable != 0
	q.era.stamp(h)
	if q.traits&bindsArguments != 0 {
		h.Binding = q.name
	}
	if q.task != "" {
		h.Name = q.task
	}
	if len(params) > len("{}") || q.traits&keepsEmpty != 0 {
		q.wire.Params = params
	}
}

func cancelNotification(id jsonrpc.ID) *jsonrpc.Request {
	params := append([]byte(`{"requestId":`), id.String()...)
	params = wire.AppendString(wire.AppendKey(params, "reason"), "the caller stopped waiting")
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: append(params, '}')}
}

// decode reads a final result into res, and caches it. The error is an *unfinished
// if the server requires input or has created a task. If raw belongs to the client
// alone, the memory of a tool's result with long texts becomes that of the texts.
func (c *Client) decode(q *request, raw []byte, res result) error {
	r := wire.NewReader(raw)
	tool, ok := res.(*CallToolResult) // which no cache stores
	if c.owned && ok {
		r.Postpone()
	}
	if ok && tool.readQuick(raw) {
		// r has postponed nothing.
	} else if err := c.read(q, &r, raw, res); err != nil {
		return err
	}
	switch err := q.era.classify(q, res.common()); {
	case err == nil && ok && tool.Content == nil && tool.StructuredContent == nil && tool.Extra["toolResult"] != nil:
		return c.lacks(q, "content, only toolResult, which no supported protocol version has")
	case err == errTask, err == ErrInputRequired && q.traits&takesInput != 0:
		return &unfinished{err, raw}
	case err != nil:
		return c.failed(q, err)
	case r.Postponed():
		readAgain(&r, tool)
	}
	if l, ok := res.(lossyList); ok {
		page := l.page()
		page.raw = raw
		if next := page.NextCursor; next != nil && *next == "" && q.era.legacy() {
			page.NextCursor = nil // the servers of some SDKs end a list so
			c.odd(c.failed(q, diag.Message("an empty nextCursor")), raw)
		}
		for _, err := range page.bad {
			c.discarded(c.failed(q, err), nil)
		}
	}
	if q.slot != nil {
		c.store(q.slot, raw, res)
	}
	return nil
}

// read reads the result of q, and reports the first part that breaks the protocol and
// does no harm.
func (c *Client) read(q *request, r *wire.Reader, raw []byte, v object) error {
	r.Trust()
	if err := decodeWhole(r, v); err != nil {
		return c.failed(q, jsonrpc.Malformed(err))
	}
	if odd := r.Odd(); odd != "" {
		c.odd(c.failed(q, diag.Message(odd)), raw)
	}
	return nil
}

func (c *Client) lacks(q *request, member string) error {
	return c.failed(q, jsonrpc.Malformed(errors.New("the result has no "+member)))
}

// readAgain reads a result whose long texts the reader has postponed.
func readAgain(r *wire.Reader, t *CallToolResult) {
	*t = CallToolResult{}
	r.Again()
	decodeObject(r, t)
}

// A result is the result of a method.
type result interface {
	object
	common() *Result
}

func (t *Result) common() *Result { return t }

// fresh allocates a result. Functions that are generic for the pointer, and get
// fresh as an argument, are compiled once for all results.
func fresh[R any]() *R { return new(R) }

// An unfinished is a result that is not final.
type unfinished struct {
	why error // ErrInputRequired or errTask
	raw RawMessage
}

func (e *unfinished) Error() string { return e.why.Error() }
func (e *unfinished) Unwrap() error { return e.why }

// errTask is the error of era.classify for a result that creates a task.
var errTask = errors.New("the call has become a task")
