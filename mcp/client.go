package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Client is connected to one server. Connect makes one, and Close must be
// called when it is no longer needed. All methods may be used concurrently.
type Client struct {
	opts     Options
	conn     jsonrpc.Conn
	era      era
	server   ServerInfo
	target   string // how the transport calls the server
	progress progressTable
	notes    jsonrpc.Queue // runs the functions that notifications are for
	requests requestTable  // what the server asked for
	session  sessionState  // in the legacy era
	tasks    tasker        // waits through tasks; nil if the program doesn't want that

	mu       sync.Mutex
	watchers []watcher    // of notifications; never changed, only replaced
	usual    timeoutError // of calls with the usual time-out

	// Ends the functions that handle what the server sends. It lives as long
	// as the client and has the values of the context given to Connect.
	ctx    context.Context
	cancel context.CancelFunc
}

const (
	// maxNotes is how many notifications may wait to be handled.
	maxNotes = 1024

	// handlerGrace is how long Close waits for handlers to return.
	handlerGrace = 500 * time.Millisecond
)

func newClient(ctx context.Context, opts *Options) *Client {
	c := &Client{opts: opts.withDefaults(), notes: jsonrpc.Queue{Max: maxNotes}}
	c.usual.after = c.opts.Timeout
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
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
	c.notes.Close(handlerGrace)
	c.requests.wait(handlerGrace)
	return err
}

// stop ends the handlers.
func (c *Client) stop() { c.cancel() }

// Ping returns nil when the server gives a sign of life, even if that is an
// error. A server of 2026-07-28 or later, which has no ping, is asked
// server/discover.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.do(ctx, &call{method: c.era.ping()})
	if answerOf(err) != nil {
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
	for missed := 0; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.conn.Done():
			return c.conn.Err()
		}
		ping, cancel := context.WithTimeoutCause(ctx, every, c.timeout(every))
		err := c.Ping(ping)
		cancel()
		switch missed++; {
		case err == nil:
			missed = 0
		case missed >= misses:
			return err
		}
	}
}

// Call sends a request of any method and returns the result as the server
// wrote it. params becomes the params object: nil, a json.RawMessage, a
// json.Marshaler or a map[string]any; what the server's protocol revision requires in
// its _meta is added.
func (c *Client) Call(ctx context.Context, method string, params any) (RawMessage, error) {
	q := &call{method: method}
	if err := q.setParams(params); err != nil {
		return nil, c.failed(q, err)
	}
	return c.do(ctx, q)
}

// Notify sends a notification of any method, with params as for Call. It does
// not wait until the server has read it.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	q := &call{method: method}
	if err := q.setParams(params); err != nil {
		return c.failed(q, err)
	}
	return c.sendNote(ctx, q)
}

// setParams takes params apart that the library doesn't know, as _meta may be
// among them.
func (q *call) setParams(params any) error {
	if params == nil {
		return nil
	}
	b, err := wire.AppendValue(nil, params)
	if err != nil {
		return &opError{"params", err}
	}
	var members []byte
	r := wire.NewReader(b)
	for r.Object(); r.More(); {
		key := string(r.Key())
		if key != "_meta" {
			members = append(wire.AppendKey(members, key), r.Raw()...)
			continue
		}
		q.meta = make(map[string]any)
		for r.Object(); r.More(); {
			key := string(r.Key())
			q.meta[key] = RawMessage(r.Raw())
		}
	}
	if err := r.End(); err != nil {
		return &opError{"params", err}
	}
	q.params = func(_ *call, b []byte) ([]byte, error) { return append(b, members...), nil }
	return nil
}

// message handles what the server sends that is no answer. It is called on
// goroutines that read, and never waits.
func (c *Client) message(conn jsonrpc.Conn, m *jsonrpc.Message) {
	if m.IsRequest() {
		c.request(conn, m)
		return
	}
	if err := c.notification(m); err != nil {
		c.opts.Dropped(err, m.Params)
	}
}

func (c *Client) notification(m *jsonrpc.Message) error {
	switch m.Method {
	case "notifications/progress":
		return c.progress.deliver(m.Params)
	case "notifications/cancelled":
		return c.requests.cancel(m.Params)
	case "notifications/message":
		return c.log(m.Params)
	}
	for _, w := range c.watching() {
		if err := w.note(m.Method, m.Params); err != nil {
			return err
		}
	}
	return nil
}

// guard keeps a panic in a caller's function from ending the program: the
// server's input may well have caused it. It is reported instead.
func (c *Client) guard(f func()) {
	defer func() {
		if v := recover(); v != nil {
			c.opts.Dropped(panicError(v), nil)
		}
	}()
	f()
}
