package streamhttp

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/queue"
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

	active lock.Group // the exchanges
	ending sync.Once
	life   context.Context    // ends with Close
	end    context.CancelFunc // of life

	mu            lock.Mutex
	closed        bool                      // by Close: no exchange begins
	lives         []life                    // derived from the connection's, for reuse
	session       session                   // the one in use
	opened        *session                  // the one that a response has opened and that is not in use yet, or nil
	stopListening func()                    // ends the stream of the session; nil if there is none
	bindings      map[string]*toolBindings  // by the name given to BindArguments
	bindingBudget queue.Budget              // of bindings
	headers       map[headerKey]http.Header // of messages; never changed
}

func (c *conn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	x := c.begin(ctx)
	if x == nil {
		return nil, jsonrpc.ErrClosed
	}
	defer x.done()
	slot, err := c.Add()
	if err != nil {
		return nil, err
	}
	defer c.Remove(slot)
	if req.Started != nil {
		req.Started(slot.ID())
	}
	slot.OnTimeout(x.stop)
	c.Limit(slot, req)
	err = x.call(slot, req)
	select {
	case a := <-slot.Response():
		if !a.Expired {
			return a.Result, a.Err
		}
	default:
	}
	if x.Err() == nil {
		return nil, err
	}
	// In a session the server continues when the response is closed.
	if req.Session != jsonrpc.NoSession && req.Cancel != nil {
		if note := req.Cancel(slot.ID()); note != nil {
			note.ProtocolVersion, note.Session = req.ProtocolVersion, jsonrpc.InSession
			c.bestEffort(func(ctx context.Context) { _ = c.Notify(ctx, note) })
		}
	}
	return nil, context.Cause(x)
}

// call sends the request and reads the HTTP response. The result goes to slot; the
// error is for a call without one.
func (x *exchange) call(slot *jsonrpc.PendingCall, req *jsonrpc.Request) error {
	c := x.c
	resp, err := c.post(x, req, slot.ID(), jsonrpc.AppendRequest(nil, slot.ID(), req))
	if err != nil {
		return err
	}
	if req.Session == jsonrpc.OpensSession {
		if err := c.readSession(resp); err != nil {
			return err
		}
	}
	switch httpx.MediaType(resp.Header) {
	case eventStream:
		return x.follow(slot, req, resp)
	case typeJSON:
		err := c.readMessage(slot, resp)
		x.whole = err == errNoResponse
		return err
	}
	return httpx.Outcome(httpx.NewStatusError(resp, typeJSON+" or "+eventStream))
}

// post sends a message and returns the HTTP response if its status is 2xx. id is
// that of a call.
func (c *conn) post(ctx context.Context, req *jsonrpc.Request, id jsonrpc.ID, body []byte) (*http.Response, error) {
	body = bytes.TrimSuffix(body, []byte("\n"))
	if c.Handler.Trace != nil {
		c.Handler.Trace(true, body)
	}
	header, err := c.header(req)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(ctx, &httpx.Request{
		Method: http.MethodPost, URL: c.url, Header: header, Body: body,
		HeaderTimeout: c.opts.HeaderTimeout, IdleTimeout: c.opts.IdleTimeout, Ends: true,
	})
	if err != nil {
		return nil, httpx.Outcome(err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	return nil, c.statusError(resp, id, header)
}

// Stateless reports that a modern request needs no other one before it.
func (c *conn) Stateless() bool { return true }

func (c *conn) Notify(ctx context.Context, req *jsonrpc.Request) error {
	if err := req.Check(); err != nil {
		return err
	}
	begins := req.Session == jsonrpc.BeginsSession
	if begins {
		c.setSessionVersion(req.ProtocolVersion)
	}
	if err := c.send(ctx, req, jsonrpc.AppendRequest(nil, jsonrpc.ID{}, req)); err != nil {
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
	req := &jsonrpc.Request{ProtocolVersion: c.currentSession().version, Session: jsonrpc.InSession}
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

// MaxMessage returns the limit of the length of messages.
func (c *conn) MaxMessage() int { return c.opts.MaxMessage }

// Unshared reports that each result has memory of its own, which the connection does
// not use after Call has returned.
func (c *conn) Unshared() bool { return true }

func (c *conn) Done() <-chan struct{} { return c.life.Done() }

func (c *conn) Err() error {
	if c.life.Err() != nil {
		return jsonrpc.ErrClosed
	}
	return nil
}
