package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Client is connected to one server. Connect makes one, and Close must be
// called when it is no longer needed. All methods may be used concurrently.
type Client struct {
	opts          Options
	conn          jsonrpc.Conn
	era           era
	server        ServerInfo
	transportName string // how the transport calls the server
	progress      progressTable
	notifications queue.Queue  // runs the functions that notifications are for
	requests      requestTable // what the server asked for
	session       sessionState // in the legacy era
	cache         resultCache  // nil if the program does not want one
	tasks         tasker       // waits through tasks; nil if the program doesn't want that

	mu             sync.Mutex
	observers      []observer   // of notifications; never changed, only replaced
	defaultTimeout timeoutError // of calls with the usual time-out

	// Ends the functions that handle what the server sends. It lives as long
	// as the client and has the values of the context given to Connect.
	ctx    context.Context
	cancel context.CancelFunc
}

const (
	// maxNotes is how many notifications may wait to be handled.
	maxNotifications = 1024

	// handlerGrace is how long Close waits for handlers to return.
	handlerWait = 500 * time.Millisecond
)

func newClient(ctx context.Context, opts *Options) *Client {
	c := &Client{opts: opts.withDefaults(), notifications: queue.Queue{Max: maxNotifications}}
	c.defaultTimeout.after = c.opts.Timeout
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if c.opts.Cache != nil {
		c.cache = c.opts.Cache.newCache()
		c.observers = []observer{c.cache}
	}
	for _, h := range c.opts.Handlers {
		if t, ok := h.(tasker); ok {
			c.tasks = t
		}
	}
	return c
}

// Server returns what is known about the server.
func (c *Client) Server() ServerInfo { return c.server }

// Done is closed when the connection has ended, by Close or by itself.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Err returns what ended the connection, matching [ErrClosed], or nil while
// it is open.
func (c *Client) Err() error { return c.conn.Err() }

// Close ends the connection: everything pending fails with [ErrClosed], and a
// server that was started is shut down. It returns when nothing is left, which
// takes a moment with a polite server and a few seconds with any other. It
// may be called more than once. The error says that something could not be
// ended in time, such as a stream that doesn't return from Read.
func (c *Client) Close() error {
	c.stop()
	err := c.conn.Close()
	c.notifications.Close(handlerWait)
	c.requests.wait(handlerWait)
	return err
}

// stop ends the handlers.
func (c *Client) stop() { c.cancel() }

// Ping returns nil when the server gives a sign of life, even if that is an
// error. A server of 2026-07-28 or later, which has no ping, is asked
// server/discover.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.inSession(ctx, newCall(c.era.ping(), "", nil))
	if serverError(err) != nil {
		return nil // servers exist that don't know it
	}
	return err
}

// KeepAlive asks the server for a sign of life every so often, as Ping does,
// and gives it as long to answer. It returns the error of the last of several
// misses in a row, that of ctx, or what ended the connection. Who calls it
// decides what then becomes of the client.
func (c *Client) KeepAlive(ctx context.Context, every time.Duration, misses int) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for failures := 0; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.conn.Done():
			return c.conn.Err()
		}
		ping, cancel := context.WithTimeoutCause(ctx, every, c.timeoutErr(every))
		err := c.Ping(ping)
		cancel()
		switch failures++; {
		case err == nil:
			failures = 0
		case failures >= misses:
			return err
		}
	}
}

// Call sends a request of any method and returns the result as the server
// wrote it. It is the lowest level: the other methods build on it. params
// becomes the params object, as ToolCall.Arguments does; the client adds to its
// _meta what the protocol version requires.
func (c *Client) Call(ctx context.Context, method string, params any) (RawMessage, error) {
	q := newCall(method, "", nil)
	if err := q.setParams(params); err != nil {
		return nil, c.failed(q, err)
	}
	return c.inSession(ctx, q)
}

// Notify sends a notification of any method, with params as for Call. It does
// not wait until the server has read it.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	q := newCall(method, "", nil)
	if err := q.setParams(params); err != nil {
		return c.failed(q, err)
	}
	return c.sendNotification(ctx, q)
}
