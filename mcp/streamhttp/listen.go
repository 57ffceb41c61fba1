package streamhttp

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

var errStreamEnded = errors.New("the server has ended the stream")

// listenTime is how long listen waits for the response to its request.
const listenTime = 200 * time.Millisecond

// listen starts a goroutine that reads the stream on which the server sends
// messages that belong to no call. A server need not have one, and failures of the
// stream have no effect on calls.
//
// It returns when the server has accepted or refused the stream, since many
// servers lose messages that they would send before. It waits for up to
// listenTime, because a server may respond only when it has a message, unless an earlier
// connection waited without success.
func (c *conn) listen(ctx context.Context) {
	if c.opts.NoStream {
		return
	}
	x := c.begin(httpx.BestEffort(c.ctx))
	if x == nil {
		return
	}
	c.mu.Lock()
	before := c.stopListening
	c.stopListening = func() { x.stop(context.Canceled) }
	header := c.session.header()
	c.mu.Unlock()
	if before != nil {
		before()
	}
	opened := make(chan struct{})
	go func() { // ends with the session or the connection
		defer x.done()
		_ = diag.Guard(c.Handler.Panic, func() { // of the RoundTripper
			s := newStream(c)
			s.opened = opened
			for ended := error(nil); ; {
				resp, err := s.reopen(x, header, ended)
				if err != nil {
					_, refused := diag.Find[*httperr.StatusError](err)
					switch {
					case x.Err() != nil:
					case s.wasOpen:
						c.lost(diag.Op("the stream of the session", err))
					case !refused && c.Handler.Dropped != nil:
						c.Handler.Dropped(err, nil)
					}
					return
				}
				switch ended = s.read(resp); {
				case x.Err() != nil:
					return
				case ended == io.EOF:
					ended = errStreamEnded
				}
			}
		})
	}()
	if c.late.Load() {
		return
	}
	t := time.NewTimer(listenTime)
	defer t.Stop()
	select {
	case <-opened:
	case <-t.C:
		c.late.Store(true)
	case <-ctx.Done():
	}
}

// lost reports what the connection has lost between calls.
func (c *conn) lost(err error) {
	if c.Handler.Lost != nil {
		c.Handler.Lost(err)
	}
}

// decide acts on a failure to open the stream of the session again, and reports whether to
// try again. If the session may be lost, the client finds out with a call, and opens
// another one with a stream of its own, which ends ctx.
func (c *conn) decide(ctx context.Context, v verdict, err error) bool {
	switch v {
	case never:
		return false
	case doubt, afterCall:
		n := c.renewals.Add(1)
		wait := rand.N(renewJitter)
		if n > 1 {
			wait += backoff(int(n - 2))
		}
		if !retry.Sleep(ctx, wait) {
			return false
		}
		succeeded := c.nextSuccess()
		c.lost(diag.Error(err.Error(), jsonrpc.ErrSessionInDoubt, err))
		if v == afterCall {
			select {
			case <-succeeded:
			case <-ctx.Done():
				return false
			}
		}
	}
	return true
}

// nextSuccess returns a channel that is closed when the server accepts the next message.
func (c *conn) nextSuccess() <-chan struct{} {
	next := make(chan struct{})
	c.success.Store(&next) // one goroutine waits, that of the stream
	return next
}

// succeeded ends the wait of nextSuccess.
func (c *conn) succeeded() {
	if c.success.Load() == nil {
		return
	}
	if next := c.success.Swap(nil); next != nil {
		close(*next)
	}
}
