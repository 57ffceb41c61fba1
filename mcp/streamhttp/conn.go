package streamhttp

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// courtesyTime is how long something may take that nobody waits for: to
	// cancel a call, to end a session.
	courtesyTime = 2 * time.Second

	// closeTime is how long Close waits for what should end at once.
	closeTime = 5 * time.Second

	// accepts is what a call may be answered with.
	accepts = "application/json, text/event-stream"
)

var errBusy = errors.New("something of the connection doesn't end")

// A conn sends each message in a POST of its own. A call reads the response to
// its POST itself, so that what happens to it concerns no other call.
type conn struct {
	jsonrpc.Inbox

	opts *Options
	url  *url.URL
	http *httpx.Client

	// For what belongs to no call. It ends with the connection.
	ctx    context.Context
	cancel context.CancelCauseFunc

	active sync.WaitGroup // what Close waits for
	ending sync.Once
	done   chan struct{} // closed by Close

	mu       sync.Mutex
	closed   bool               // nothing is added to active any more
	session  string             // its id; empty when there is none
	revision string             // which the session speaks
	unlisten context.CancelFunc // ends the stream of the session; nil when there is none
	tools    map[string][]binding
}

func (c *conn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	if !c.enter() {
		return nil, jsonrpc.ErrClosed
	}
	defer c.active.Done()
	slot, err := c.Add()
	if err != nil {
		return nil, err
	}
	defer c.Remove(slot)
	if req.Started != nil {
		req.Started(slot.ID())
	}
	bound, release := c.bind(ctx)
	defer release()
	err = c.call(bound, slot, req)
	select {
	case a := <-slot.Answer():
		return a.Result, a.Err
	default:
	}
	if ctx.Err() == nil {
		return nil, err
	}
	// Until 2025-11-25 a server goes on when the response is closed.
	if req.Mirror.Session && req.Cancel != nil {
		if note := req.Cancel(slot.ID()); note != nil {
			note.Mirror = req.Mirror
			c.courtesy(func(ctx context.Context) { _ = c.Notify(ctx, note) })
		}
	}
	return nil, context.Cause(ctx)
}

// bind returns a context that ends with ctx and with the connection.
func (c *conn) bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })
	return ctx, func() { stop(); cancel(nil) }
}

// enter adds to what Close waits for; c.active.Done must follow. It reports
// false when that is too late.
func (c *conn) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.active.Add(1)
	return true
}

// courtesy runs f beside everything else, for a short time at most.
func (c *conn) courtesy(f func(context.Context)) {
	if !c.enter() {
		return
	}
	go func() { // ends with courtesyTime or the connection
		defer c.active.Done()
		ctx, cancel := context.WithTimeout(httpx.Quiet(c.ctx), courtesyTime)
		defer cancel()
		f(ctx)
	}()
}

// call sends the request and reads the response. The answer goes to slot; the
// error says why there is none.
func (c *conn) call(ctx context.Context, slot *jsonrpc.Slot, req *jsonrpc.Request) error {
	resp, err := c.post(ctx, req, jsonrpc.AppendRequest(nil, slot.ID(), req))
	if err != nil {
		return err
	}
	if req.Method == "initialize" {
		if err := c.begin(resp); err != nil {
			return err
		}
	}
	switch httpx.MediaType(resp.Header) {
	case "text/event-stream":
		return c.follow(ctx, slot, req, resp)
	case "application/json":
		return c.whole(slot, resp)
	}
	return httpx.Outcome(httpx.Unusable(resp, accepts))
}

// post sends a message and returns the response if its status is 200 or, for
// a message that wants no answer, 2xx.
func (c *conn) post(ctx context.Context, req *jsonrpc.Request, body []byte) (*http.Response, error) {
	body = bytes.TrimSuffix(body, []byte("\n"))
	if c.Handler.Trace != nil {
		c.Handler.Trace(true, body)
	}
	header, err := c.header(req)
	if err != nil {
		return nil, err
	}
	header["Content-Type"] = []string{"application/json"}
	header["Accept"] = []string{accepts}
	resp, err := c.http.Do(ctx, &httpx.Request{
		Method: http.MethodPost, URL: c.url, Header: header, Body: body, IdleTimeout: c.opts.IdleTimeout,
	})
	if err != nil {
		return nil, httpx.Outcome(err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	return nil, c.refused(resp, header)
}

func (c *conn) Notify(ctx context.Context, req *jsonrpc.Request) error {
	if err := c.send(ctx, req, jsonrpc.AppendRequest(nil, jsonrpc.ID{}, req)); err != nil {
		return err
	}
	if req.Method == "notifications/initialized" {
		c.mu.Lock()
		c.revision = req.Mirror.Revision
		c.mu.Unlock()
		c.listen(ctx)
	}
	return nil
}

func (c *conn) Reply(ctx context.Context, id jsonrpc.ID, result jsonrpc.RawMessage, err *jsonrpc.Error) error {
	c.mu.Lock()
	req := &jsonrpc.Request{Mirror: jsonrpc.Mirror{Session: true, Revision: c.revision}}
	c.mu.Unlock()
	return c.send(ctx, req, jsonrpc.AppendAnswer(nil, id, result, err))
}

// send sends what wants no answer. What the response holds doesn't matter.
func (c *conn) send(ctx context.Context, req *jsonrpc.Request, body []byte) error {
	if !c.enter() {
		return jsonrpc.ErrClosed
	}
	defer c.active.Done()
	ctx, release := c.bind(ctx)
	defer release()
	resp, err := c.post(ctx, req, body)
	if err != nil {
		return err
	}
	httpx.Drain(resp)
	return nil
}

func (c *conn) Done() <-chan struct{} { return c.done }

func (c *conn) Err() error {
	select {
	case <-c.done:
		return jsonrpc.ErrClosed
	default:
		return nil
	}
}

// Close ends all that is under way, and then the session at the server, as far
// as that is possible in a short time. The error says that a RoundTripper or a
// handler does not return.
func (c *conn) Close() error {
	c.ending.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		close(c.done)
		c.Table.Close(jsonrpc.ErrClosed)
		c.cancel(jsonrpc.ErrClosed)
		c.end()
	})
	idle := make(chan struct{})
	go func() { // ends when nothing is left
		c.active.Wait()
		close(idle)
	}()
	t := time.NewTimer(closeTime)
	defer t.Stop()
	select {
	case <-idle:
	case <-t.C:
		return errBusy
	}
	c.http.Close()
	return nil
}
