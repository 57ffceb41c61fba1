package streamhttp

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// courtesyTime is how long something may take that nobody waits for: to
	// cancel a call, to end a session.
	bestEffortTime = 2 * time.Second

	// closeTime is how long Close waits for what should end at once.
	closeTime = 5 * time.Second
)

// An exchange is something under way that ends with the connection, such as a
// call.
type exchange struct {
	c    *conn
	stop func() // ends its context
}

// enter begins an exchange, which leave must end, and returns its context. It
// returns nil when the connection is closed. late is the cause when the time is
// up, for which 0 means never.
func (c *conn) begin(ctx context.Context, timeout time.Duration, late error) (*exchange, context.Context) {
	var end context.CancelFunc
	if timeout > 0 {
		ctx, end = context.WithTimeoutCause(ctx, timeout, late)
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

// courtesy runs f beside everything else, for a short time at most.
func (c *conn) bestEffort(f func(context.Context)) {
	x, ctx := c.begin(httpx.BestEffort(c.ctx), bestEffortTime, context.DeadlineExceeded)
	if x == nil {
		return
	}
	go func() { // ends with courtesyTime or the connection
		defer x.done()
		f(ctx)
	}()
}

// Close ends all that is under way, and then the session at the server, as far
// as that is possible in a short time. The error says that a RoundTripper or a
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
