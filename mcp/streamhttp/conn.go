package streamhttp

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Media types of messages, and of streams of them.
const typeJSON, eventStream = "application/json", "text/event-stream"

// A conn sends each message in its own POST. A call reads the response to its
// POST on the caller's goroutine, so its failure has no effect on other calls.
type conn struct {
	jsonrpc.Dispatcher

	opts Options // those of the Transport, with defaults
	url  *url.URL
	http *httpx.Client

	// ctx has the values of the context of Open, for requests that belong to no
	// call.
	ctx context.Context

	unendedResponses atomic.Int32 // responses in a row that did not end after the result

	late     atomic.Bool                   // the server did not open the stream of a session within listenTime
	renewals atomic.Int32                  // how often the stream of a session that did not last put the session in doubt
	success  atomic.Pointer[chan struct{}] // see nextSuccess

	active lock.Group // the exchanges
	ending sync.Once
	life   context.Context    // ends with Close
	end    context.CancelFunc // of life

	mu            lock.Mutex
	closed        bool                      // by Close: no exchange begins
	lives         []life                    // derived from the connection's, for reuse
	session       session                   // the one in use
	opened        *session                  // the one that a response has opened and that is not in use yet, or nil
	gone          string                    // the id of a session that the server has forgotten; empty if there is none
	stopListening func()                    // ends the stream of the session; nil if there is none
	bindings      map[string]*toolBindings  // by the name given to BindArguments
	bindingBudget queue.Budget              // of bindings
	headers       map[headerKey]http.Header // of messages; never changed
}

func (c *conn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	x := c.begin(ctx)
	if x == nil {
		return nil, jsonrpc.ErrClosed
	}
	defer x.done()
	a := c.Do(x, req, x.stop, func(call *jsonrpc.PendingCall) error {
		x.id = call.ID()
		if err := x.call(call, req); x.Err() == nil {
			return err
		}
		return nil // Do has a better reason
	})
	if a.Expired && x.failed != nil {
		text := a.Err.Error() + "; its response broke, and the rest is not to be had: " + x.failed.Error()
		a.Err = diag.Error(text, jsonrpc.ErrOutcomeUnknown, a.Err)
	}
	// In a session the server continues when the response is closed.
	if note := a.Cancel; note != nil && req.HTTP.Session != jsonrpc.NoSession {
		note.HTTP.ProtocolVersion, note.HTTP.Session = req.HTTP.ProtocolVersion, jsonrpc.InSession
		c.bestEffort(func(ctx context.Context) { _ = c.Notify(ctx, note) })
	}
	return a.Result, a.Err
}

// call sends the request and passes its response to the Dispatcher. The error is for
// a call without one.
func (x *exchange) call(call *jsonrpc.PendingCall, req *jsonrpc.Request) error {
	c := x.c
	resp, err := c.post(x, req, call.ID(), jsonrpc.AppendRequest(nil, call.ID(), req))
	if err != nil {
		return err
	}
	if req.HTTP.Session == jsonrpc.OpensSession {
		if err := c.readSession(resp); err != nil {
			return err
		}
	}
	switch httpx.MediaType(resp.Header) {
	case eventStream:
		return x.follow(call, req, resp)
	case typeJSON:
		err := c.readMessage(call, resp)
		x.whole = err == nil
		return err
	}
	return httpx.Outcome(httpx.NewStatusError(resp, typeJSON+" or "+eventStream))
}

// post sends a message and returns the HTTP response if its status is 2xx. id is
// that of a call.
func (c *conn) post(ctx context.Context, req *jsonrpc.Request, id jsonrpc.ID, body []byte) (*http.Response, error) {
	body = bytes.TrimSuffix(body, []byte("\n"))
	header, err := c.header(req)
	if err == nil {
		err = httpx.CheckCallHeader(req.HTTP.Header)
	}
	if err != nil {
		return nil, err
	}
	if c.Handler.Trace != nil {
		c.Handler.Trace(true, body)
	}
	limit := c.opts.HeaderTimeout
	if req.HTTP.Session == jsonrpc.BeginsSession {
		limit = httpx.BeginTimeout(limit)
	}
	resp, err := c.http.Do(ctx, &httpx.Request{
		Method: http.MethodPost, URL: c.url, Header: header, CallHeader: req.HTTP.Header, Body: body,
		HeaderTimeout: limit, IdleTimeout: c.opts.IdleTimeout, Ends: true,
	})
	if err != nil {
		return nil, httpx.Outcome(err)
	}
	if resp.StatusCode/100 == 2 {
		c.succeeded()
		return resp, nil
	}
	return nil, c.statusError(resp, id, header)
}

func (c *conn) Notify(ctx context.Context, req *jsonrpc.Request) error {
	if err := req.Check(); err != nil {
		return err
	}
	begins := req.HTTP.Session == jsonrpc.BeginsSession
	if begins {
		c.setSessionVersion(req.HTTP.ProtocolVersion)
	}
	err := c.send(ctx, req, jsonrpc.AppendRequest(nil, jsonrpc.ID{}, req))
	if _, late := diag.Find[*httperr.TimeoutError](err); err != nil && !(begins && late && ctx.Err() == nil) {
		return err
	}
	if begins {
		c.useSession()
		c.listen(ctx)
	}
	return nil
}

func (c *conn) Reply(ctx context.Context, id jsonrpc.ID, result jsonrpc.RawMessage, err *jsonrpc.Error) error {
	c.mu.Lock()
	req := &jsonrpc.Request{HTTP: jsonrpc.HTTP{ProtocolVersion: c.currentSessionLocked().version, Session: jsonrpc.InSession}}
	c.mu.Unlock()
	return c.send(ctx, req, jsonrpc.AppendResponse(nil, id, result, err))
}

// send sends a notification or a response. It ignores the body of the HTTP
// response.
func (c *conn) send(ctx context.Context, req *jsonrpc.Request, body []byte) error {
	x := c.begin(ctx)
	if x == nil {
		return jsonrpc.ErrClosed
	}
	defer x.done()
	resp, err := c.post(x, req, jsonrpc.ID{}, body)
	if err != nil {
		return err
	}
	httpx.Drain(resp)
	return nil
}

func (c *conn) Done() <-chan struct{} { return c.life.Done() }

func (c *conn) Err() error {
	if c.life.Err() != nil {
		return jsonrpc.ErrClosed
	}
	return nil
}
