package streamhttp

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// headStart is how long listen waits for the response to its request.
const listenTime = 200 * time.Millisecond

// listen reads, beside everything else, the stream on which the server sends
// what belongs to no call. Servers need not have one, and its failures are
// nobody's but its own.
//
// It returns when the stream is there or refused, as many servers lose what
// they would have sent on it before. But it doesn't wait long: servers that
// have nothing to send may not respond at all.
func (c *conn) listen(ctx context.Context) {
	if c.opts.NoStream {
		return
	}
	x, session := c.begin(httpx.BestEffort(c.ctx), 0, nil)
	if x == nil {
		return
	}
	c.mu.Lock()
	before := c.stopListening
	c.stopListening = x.stop
	header := c.session.header()
	c.mu.Unlock()
	if before != nil {
		before()
	}
	opened := make(chan struct{})
	go func() { // ends with the session or the connection
		defer x.done()
		s := newStream(c)
		s.opened = opened
		for {
			resp, err := s.reopen(session, header)
			if err != nil {
				if session.Err() == nil && !isStatus(err) && c.Handler.Dropped != nil {
					c.Handler.Dropped(err, nil)
				}
				return
			}
			_ = s.read(resp)
		}
	}()
	t := time.NewTimer(listenTime)
	defer t.Stop()
	select {
	case <-opened:
	case <-t.C:
	case <-ctx.Done():
	}
}

func isStatus(err error) bool {
	var status *httpx.StatusError
	return errors.As(err, &status)
}
