package streamhttp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

const (
	// openTime is how long listen waits for its request to be sent, and
	// headStart how long then for the response.
	openTime, headStart = time.Second, 100 * time.Millisecond
)

// listen reads, beside everything else, the stream on which the server sends
// what belongs to no call. Servers need not have one, and its failures are
// nobody's but its own.
//
// It returns when the server has probably got the request, as many servers
// lose what they would have sent on the stream before. So it is given a head
// start, though servers that have nothing to send may not respond at all.
func (c *conn) listen(ctx context.Context) {
	if c.opts.NoStream || !c.enter() {
		return
	}
	session, cancel := context.WithCancel(httpx.Quiet(c.ctx))
	c.mu.Lock()
	before := c.unlisten
	c.unlisten = cancel
	header := http.Header{}
	setRevision(header, c.revision)
	if c.session != "" {
		header[sessionHeader] = []string{c.session}
	}
	c.mu.Unlock()
	if before != nil {
		before()
	}
	o := &opening{sent: make(chan struct{}, 1), ended: make(chan struct{})}
	go func() { // ends with the session or the connection
		defer c.active.Done()
		defer cancel()
		s := &stream{c: c, open: o}
		for {
			resp, err := s.again(session, header)
			if err != nil {
				if session.Err() == nil && !isStatus(err) && c.Handler.Dropped != nil {
					c.Handler.Dropped(err, nil)
				}
				return
			}
			_ = s.read(resp)
		}
	}()
	o.wait(ctx)
}

func isStatus(err error) bool {
	var status *httpx.StatusError
	return errors.As(err, &status)
}

// An opening is the first request for the stream of a session.
type opening struct {
	sent  chan struct{} // buffered; gets something when the request is on its way
	ended chan struct{} // closed when there is a response, or won't be one
}

// watch returns a context for the request.
func (o *opening) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) {
			select {
			case o.sent <- struct{}{}:
			default: // sent once more, to where a redirect leads
			}
		},
	})
}

// wait waits for the request to be under way.
func (o *opening) wait(ctx context.Context) {
	t := time.NewTimer(openTime)
	defer t.Stop()
	select {
	case <-o.sent:
		t.Reset(headStart)
	case <-o.ended:
		return
	case <-t.C:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-o.ended:
	case <-t.C:
	case <-ctx.Done():
	}
}
