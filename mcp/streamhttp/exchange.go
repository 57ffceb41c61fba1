package streamhttp

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
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

// An exchange is an activity that ends with the connection, such as a call, and the
// context of its requests.
type exchange struct {
	context.Context
	c    *conn
	stop context.CancelCauseFunc // ends the context
}

// begin returns a new exchange, which ends with ctx, or nil when the connection is
// closed. The caller must call done.
func (c *conn) begin(ctx context.Context) *exchange {
	x := &exchange{c: c}
	x.Context, x.stop = context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.exchanges == nil {
		x.stop(nil)
		return nil
	}
	c.exchanges[x] = struct{}{}
	c.active.Add(1)
	return x
}

func (x *exchange) done() {
	c := x.c
	c.mu.Lock()
	delete(c.exchanges, x)
	c.mu.Unlock()
	x.stop(nil)
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
		exchanges := c.exchanges
		c.exchanges = nil
		c.mu.Unlock()
		c.Table.Close(jsonrpc.ErrClosed)
		c.end()
		for x := range exchanges {
			x.stop(context.Canceled)
		}
		c.endSession()
	})
	if !retry.Await(c.active.Idle(), closeTime) {
		return jsonrpc.ErrStuck
	}
	c.http.Close()
	return nil
}
