package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

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
		return nil, c.failed(q, diag.Op("new session", err))
	}
	return c.send(ctx, c.era, q)
}

// get sends a request and reads its result into res.
func (c *Client) get(ctx context.Context, q *call, res result) error {
	raw, err := c.do(ctx, q)
	if err != nil {
		return err
	}
	return c.read(q, raw, res)
}

// read reads the final result of a call into res.
func (c *Client) read(q *call, raw []byte, res result) error {
	if err := decodeText(raw, res); err != nil {
		return c.failed(q, &malformedError{err})
	}
	switch err := c.era.complete(q, res.common()); {
	case err == errTask, err == ErrInputRequired && q.asks:
		return &unfinished{err, raw}
	case err != nil:
		return c.failed(q, err)
	}
	c.keep(q, raw, res)
	if l, ok := res.(lossyList); ok {
		for _, err := range l.discarded() {
			c.opts.Dropped(c.failed(q, err), nil)
		}
	}
	return nil
}

// A result is what a call ends with.
type result interface {
	object
	common() *Result
}

func (t *Result) common() *Result { return t }

// A resultPtr is the pointer type of a result, for functions that make one.
type resultPtr[R any] interface {
	*R
	result
}

// unfinished is a result that is not the final one: it asks for more, or says
// that the call has become a task.
type unfinished struct {
	why error // ErrInputRequired or errTask
	raw RawMessage
}

func (e *unfinished) Error() string { return e.why.Error() }
func (e *unfinished) Unwrap() error { return e.why }

// errTask is what era.complete returns for a result that says that the call goes
// on as a task.
var errTask = errors.New("the call has become a task")
