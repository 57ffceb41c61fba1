package sse

import (
	"context"
	"errors"
	"io"
	"net/url"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/pause"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// closeTime is how long Close waits for a RoundTripper or a handler to return.
const closeTime = 5 * time.Second

// A conn is a session of a server. It ends with its event stream.
type conn struct {
	jsonrpc.Dispatcher

	http     *httpx.Client
	endpoint *url.URL
	timeout  time.Duration // of the response to a notification or response; 0 means no limit
	stream   io.Closer     // the body with the events
	events   *eventstream.Reader

	life context.Context // the parent of every request's context; ends with the connection
	stop context.CancelCauseFunc
	done chan struct{} // closed when the connection has ended

	mu   lock.Mutex
	err  error      // what ended the connection
	busy lock.Group // goroutines of the connection; none is started after err is set
}

// withPause returns a context for requests whose timeouts a login pauses.
// id is that of the call that they belong to, or zero.
func (c *conn) withPause(ctx context.Context, id jsonrpc.ID) context.Context {
	return context.WithValue(ctx, pause.Key{}, &httpx.Pauser{Context: ctx, Conn: &c.Dispatcher, Call: id, Client: c.http})
}

// run starts a goroutine that reads the stream.
func (c *conn) run() {
	c.goWhileOpen(func() { // ends with the stream
		err := c.read()
		c.end(jsonrpc.Closed(err))
		c.release(err)
	})
}

// release closes the stream and the HTTP connections.
func (c *conn) release(err error) {
	c.stop(err)
	if c.stream != nil {
		_ = diag.Guard(c.Handler.Panic, func() { _ = c.stream.Close() }) // of the RoundTripper
	}
	c.http.Close()
}

// goWhileOpen runs f on a goroutine of the connection. It reports false if the
// connection has ended.
func (c *conn) goWhileOpen(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.busy.Go(func() {
			if err := diag.Guard(c.Handler.Panic, f); err != nil { // of the RoundTripper
				c.end(jsonrpc.Closed(err))
				c.release(err)
			}
		})
	}
	return c.err == nil
}

// read passes the messages of the stream to the dispatcher until the stream ends.
func (c *conn) read() error {
	for {
		ev, err := c.events.Next()
		switch {
		case err == io.EOF:
			return errEnded
		case err != nil:
			return err
		case ev.HasMessage():
			c.Receive(c, ev.Data, jsonrpc.ID{})
		case ev.Type == "endpoint":
			c.dropped(errSecond, nil) // without the data, which usually contains the session id
		}
	}
}

var (
	errEnded  = diag.Op("the server ended the event stream", io.EOF)
	errSecond = errors.New("a second endpoint event")
)

func (c *conn) dropped(reason error, data []byte) {
	if c.Handler.Dropped != nil {
		c.Handler.Dropped(reason, data)
	}
}

func (c *conn) Done() <-chan struct{} { return c.done }

func (c *conn) Err() error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	return err
}

// end ends the connection because of err, unless it has ended already.
func (c *conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	c.Dispatcher.Close(err) // before done, for which failed requests wait
	close(c.done)
	c.stop(err)
}

func (c *conn) Close() error {
	c.end(jsonrpc.ErrClosed)
	if !retry.Await(c.busy.Idle(), closeTime) {
		return jsonrpc.ErrStuck
	}
	c.http.Close() // again, for connections of requests that have just ended
	return nil
}
