package sse

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// drainTime is how long a POST may continue after the result of its call, so
	// that its connection can be reused.
	drainTime = 5 * time.Second

	// cancelTime is how long a server may take to accept a cancellation.
	cancelTime = 5 * time.Second

	// failTime is how long a failed POST waits for the end of the stream, whose
	// error is more precise.
	failTime = 100 * time.Millisecond
)

func (c *conn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, retry.Cause(ctx)
	}
	var p *post
	var late atomic.Pointer[httperr.StatusError]
	a := c.Do(ctx, req, nil, func(call *jsonrpc.PendingCall) error {
		if err := httpx.CheckCallHeader(req.HTTP.Header); err != nil {
			return err
		}
		id := call.ID()
		p = c.post(ctx, id, jsonrpc.AppendRequest(nil, id, req), &req.HTTP, 0, func(err error) {
			if e, ok := diag.Find[*httperr.StatusError](err); ok && e.Status == http.StatusGatewayTimeout {
				late.Store(e) // some servers respond only with the result, which may still come
			} else if err != nil {
				_ = c.Fail(id, err) // without effect after the result
			}
		})
		return nil
	})
	switch {
	case p == nil: // nothing was sent
	case a.Expired:
		p.cancel(context.Canceled)
		if e := late.Load(); e != nil {
			a.Err = diag.Error(a.Err.Error()+"; "+e.Error(), jsonrpc.ErrOutcomeUnknown, a.Err)
		}
	default:
		p.expire()
	}
	if note := a.Cancel; note != nil {
		note.HTTP.ProtocolVersion = req.HTTP.ProtocolVersion
		quiet := httpx.BestEffort(context.WithoutCancel(ctx))
		c.Sent()
		c.post(quiet, jsonrpc.ID{}, jsonrpc.AppendRequest(nil, jsonrpc.ID{}, note), &note.HTTP, cancelTime, func(error) {})
	}
	return a.Result, a.Err
}

// Notify waits for the server to accept the notification, so that later messages
// arrive later.
func (c *conn) Notify(ctx context.Context, req *jsonrpc.Request) error {
	if err := req.Check(); err != nil {
		return err
	}
	if err := httpx.CheckCallHeader(req.HTTP.Header); err != nil {
		return err
	}
	timeout := c.timeout
	if req.HTTP.Session == jsonrpc.BeginsSession {
		timeout = httpx.BeginTimeout(timeout)
	}
	err := c.send(ctx, jsonrpc.AppendRequest(nil, jsonrpc.ID{}, req), &req.HTTP, timeout)
	if _, late := diag.Find[*httperr.TimeoutError](err); late && req.HTTP.Session == jsonrpc.BeginsSession && ctx.Err() == nil {
		return nil
	}
	return err
}

// Reply waits for the server to accept the response.
func (c *conn) Reply(ctx context.Context, id jsonrpc.ID, result jsonrpc.RawMessage, err *jsonrpc.Error) error {
	return c.send(ctx, jsonrpc.AppendResponse(nil, id, result, err), new(jsonrpc.HTTP), c.timeout)
}

// send posts msg, a notification or a response.
func (c *conn) send(ctx context.Context, msg []byte, about *jsonrpc.HTTP, timeout time.Duration) error {
	if ctx.Err() != nil {
		return retry.Cause(ctx)
	}
	result := make(chan error, 1)
	c.Sent()
	p := c.post(ctx, jsonrpc.ID{}, msg, about, timeout, func(err error) { result <- err })
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	case <-c.done:
	}
	select {
	case err := <-result:
		return err
	default:
	}
	if ctx.Err() != nil {
		p.cancel(context.Canceled)
		return retry.Cause(ctx)
	}
	return c.Err()
}

func header(about *jsonrpc.HTTP) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}}
	if v := about.ProtocolVersion; v != "" {
		h["Mcp-Protocol-Version"] = []string{v}
	}
	if about.Repeatable {
		httpx.AllowRepeat(h)
	}
	return h
}

// A post is a POST that is not complete.
type post struct {
	ctx    context.Context // ends with the request
	cancel context.CancelCauseFunc
	over   atomic.Bool
}

// expire ends the request drainTime after its call has returned.
func (p *post) expire() {
	if !p.over.Load() {
		t := time.AfterFunc(drainTime, func() { p.cancel(context.Canceled) })
		context.AfterFunc(p.ctx, func() { t.Stop() }) // it keeps the connection in memory
	}
}

// post sends msg on a new goroutine, with the values of ctx but not its
// cancellation, and calls result there when the server has accepted or refused the
// message. It does not call result if the connection ends before. id is that of the
// call, or zero. about describes msg; it is not used after post has returned.
func (c *conn) post(ctx context.Context, id jsonrpc.ID, msg []byte, about *jsonrpc.HTTP, timeout time.Duration, result func(error)) *post {
	ctx, cancel := context.WithCancelCause(c.withPause(context.WithoutCancel(ctx), id))
	p := &post{ctx: ctx, cancel: cancel}
	msg = bytes.TrimSuffix(msg, []byte("\n"))
	header, callHeader := header(about), http.Header(about.Header).Clone()
	if c.Handler.Trace != nil {
		c.Handler.Trace(true, msg)
	}
	started := c.goWhileOpen(func() { // ends with the request, which ends with the connection
		defer cancel(nil)
		defer context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })()
		resp, err := c.http.Do(ctx, &httpx.Request{
			Method: "POST", URL: c.endpoint, Header: header, CallHeader: callHeader, Body: msg, HeaderTimeout: timeout,
		})
		if err == nil {
			err = accepted(resp)
		}
		if err != nil && (resp == nil || resp.StatusCode == http.StatusNotFound) {
			retry.Await(c.done, failTime) // the end of the stream may arrive after the server has removed the session
		}
		p.over.Store(true)
		if err != nil {
			result(httpx.Outcome(err))
			return
		}
		result(nil)
		httpx.Drain(resp)
	})
	if !started {
		cancel(nil)
	}
	return p
}

// accepted returns an error if the server has not accepted the message. Servers
// respond with any content type, so only a web page with the status 200, which is
// that of a proxy, counts as an error.
func accepted(resp *http.Response) error {
	if resp.StatusCode == http.StatusNotFound {
		return diag.Op("the session may have ended", httpx.Check(resp))
	}
	if resp.StatusCode != http.StatusOK || httpx.MediaType(resp.Header) != "text/html" {
		return httpx.Check(resp)
	}
	e := httpx.NewStatusError(resp, "202 Accepted")
	if !strings.HasPrefix(e.Body, "<") {
		return nil
	}
	return e
}
