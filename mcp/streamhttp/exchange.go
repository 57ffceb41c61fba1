package streamhttp

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// bestEffortTime limits requests for which no caller waits: the cancellation
	// of a call and the end of a session.
	bestEffortTime = 2 * time.Second

	// closeTime is how long Close waits for canceled requests to return.
	closeTime = 5 * time.Second
)

// An exchange is an activity that ends with the connection, such as a call.
type exchange struct {
	c    *conn
	stop func() // cancels its context
}

// begin returns a new exchange and its context, or nil when the connection is
// closed. The caller must call done. A timeout of 0 means no limit; timeoutErr is
// the cause when it has expired.
func (c *conn) begin(ctx context.Context, timeout time.Duration, timeoutErr error) (*exchange, context.Context) {
	var end context.CancelFunc
	if timeout > 0 {
		ctx, end = context.WithTimeoutCause(ctx, timeout, timeoutErr)
	} else {
		ctx, end = context.WithCancel(ctx)
	}
	x := &exchange{c, end}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		end()
		return nil, nil
	}
	c.running[x] = struct{}{}
	c.active.Add(1)
	return x, ctx
}

func (x *exchange) done() {
	x.c.mu.Lock()
	delete(x.c.running, x)
	x.c.mu.Unlock()
	x.stop()
	x.c.active.Done()
}

// bestEffort runs f on a goroutine, for bestEffortTime at most.
func (c *conn) bestEffort(f func(context.Context)) {
	x, ctx := c.begin(httpx.BestEffort(c.ctx), bestEffortTime, context.DeadlineExceeded)
	if x == nil {
		return
	}
	go func() { // ends with bestEffortTime or the connection
		defer x.done()
		_ = diag.Guard(x.c.Handler.Panic, func() { f(ctx) })
	}()
}

// Close cancels all exchanges and then asks the server to end the session, for
// which it waits up to bestEffortTime. It returns an error if a RoundTripper or a
// handler does not return.
func (c *conn) Close() error {
	c.ending.Do(func() {
		c.mu.Lock()
		running := c.running
		c.running = nil
		c.mu.Unlock()
		close(c.done)
		c.Table.Close(jsonrpc.ErrClosed)
		for x := range running {
			x.stop()
		}
		c.endSession()
	})
	if !queue.WaitFor(&c.active, closeTime) {
		return jsonrpc.ErrStuck
	}
	c.http.Close()
	return nil
}
