package streamhttp

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/pause"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// bestEffortTime limits requests for which no caller waits: the cancellation
	// of a call and the end of a session.
	bestEffortTime = 2 * time.Second

	// closeTime is how long Close waits for canceled requests to return.
	closeTime = 5 * time.Second
)

// maxLives is how many lives a connection keeps for later exchanges.
const maxLives = 64

// A life is a context that ends with the connection. It has no values of a caller, so
// exchanges can use it one after the other: making one takes as long as everything
// else that a small call needs besides its request.
type life struct {
	ctx  context.Context
	stop context.CancelCauseFunc
}

// An exchange is an activity that ends with the connection, such as a call, and the
// context of its requests: one with the values of the caller's.
type exchange struct {
	life
	c      *conn
	caller context.Context
	detach func() bool // stops the end of caller from ending life; nil if caller never ends
	whole  bool        // the response has been read, so nothing needs life

	id     jsonrpc.ID // of the call; zero if the exchange is not a call
	failed error      // the last failure to request the rest of a response that broke
}

// begin returns a new exchange, which ends with ctx, or nil when the connection is
// closed. The caller must call done.
func (c *conn) begin(ctx context.Context) *exchange {
	x := &exchange{c: c, caller: ctx}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.active.Add(1)
	if n := len(c.lives); n > 0 {
		x.life, c.lives = c.lives[n-1], c.lives[:n-1]
	}
	c.mu.Unlock()
	if x.stop == nil {
		x.ctx, x.stop = context.WithCancelCause(c.life)
	}
	switch {
	case ctx.Done() == nil:
	case ctx.Err() != nil:
		x.stop(context.Cause(ctx))
	default:
		x.detach = context.AfterFunc(ctx, func() { x.stop(context.Cause(ctx)) })
	}
	return x
}

// Done implements context.Context.
func (x *exchange) Done() <-chan struct{} { return x.ctx.Done() }

// Err implements context.Context.
//
//go:noinline
func (x *exchange) Err() error { return x.ctx.Err() }

// Deadline implements context.Context.
func (x *exchange) Deadline() (time.Time, bool) { return x.caller.Deadline() }

// Value implements context.Context. Package context finds in life what ends the
// contexts derived from it.
func (x *exchange) Value(key any) any {
	if key == (pause.Key{}) {
		return &httpx.Pauser{Context: x.caller, Conn: &x.c.Dispatcher, Call: x.id, Client: x.c.http}
	}
	if v := x.ctx.Value(key); v != nil {
		return v
	}
	return x.caller.Value(key)
}

func (x *exchange) done() {
	c := x.c
	reuse := (x.detach == nil || x.detach()) && x.whole && x.Err() == nil && !c.http.KeepsContexts()
	c.mu.Lock()
	if reuse = reuse && len(c.lives) < maxLives; reuse {
		c.lives = append(c.lives, x.life)
	}
	c.mu.Unlock()
	if !reuse {
		x.stop(context.Canceled)
	}
	c.active.Done()
}

// bestEffort runs f on a goroutine, for bestEffortTime at most.
func (c *conn) bestEffort(f func(context.Context)) {
	x := c.begin(httpx.BestEffort(c.ctx))
	if x == nil {
		return
	}
	t := time.AfterFunc(bestEffortTime, func() { x.stop(context.DeadlineExceeded) })
	go func() { // ends with bestEffortTime or the connection
		defer x.done()
		defer t.Stop()
		_ = diag.Guard(c.Handler.Panic, func() { f(x) })
	}()
}

// Close cancels all exchanges and then asks the server to end the session, for
// which it waits up to bestEffortTime. It returns an error if a RoundTripper or a
// handler does not return.
func (c *conn) Close() error {
	c.ending.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.Dispatcher.Close(jsonrpc.ErrClosed)
		c.end()
		c.endSession()
	})
	if !retry.Await(c.active.Idle(), closeTime) {
		return jsonrpc.ErrStuck
	}
	c.http.Close()
	return nil
}
