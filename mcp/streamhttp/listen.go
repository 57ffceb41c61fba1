package streamhttp

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/httperr"
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
// listenTime, because a server may respond only when it has a message.
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
					if x.Err() == nil && !refused && c.Handler.Dropped != nil {
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
	t := time.NewTimer(listenTime)
	defer t.Stop()
	select {
	case <-opened:
	case <-t.C:
	case <-ctx.Done():
	}
}
