package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// fetch gets the result of a call into res, from the cache or from the server.
// The error is an *unfinished if the server requires input or has created a
// task.
func (c *Client) fetch(ctx context.Context, q *call, res result) error {
	raw, slot := c.lookup(ctx, q)
	own := false
	switch {
	case raw != nil && ctx.Err() != nil:
		return c.failed(q, context.Cause(ctx))
	case raw == nil:
		var err error
		if raw, err = c.inSession(ctx, q); err != nil {
			return err
		}
		own = c.opts.Intercept == nil && c.owned
	}
	if err := c.readResult(q, raw, res, own); err != nil {
		return err
	}
	c.store(slot, raw, res)
	return nil
}

// readResult reads a final result into res. If raw belongs to the caller alone
// (own), the memory of a tool's result with long texts becomes that of the texts.
func (c *Client) readResult(q *call, raw []byte, res result, own bool) error {
	r := wire.NewReader(raw)
	r.Trust()
	tool, ok := res.(*CallToolResult)
	if own && ok {
		r.Postpone()
	}
	if ok && tool.readQuick(raw) {
		// r has postponed nothing.
	} else if err := decodeWhole(&r, res); err != nil {
		return c.failed(q, jsonrpc.Malformed(err))
	}
	switch err := c.era().classify(&q.request, res.common()); {
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
		if next := page.NextCursor; next != nil && *next == "" && c.era().legacy() {
			page.NextCursor = nil // the servers of some SDKs end a list so
		}
		for _, err := range page.bad {
			c.discarded(c.failed(q, err), nil)
		}
	}
	return nil
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
