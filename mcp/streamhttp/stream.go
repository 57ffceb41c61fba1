package streamhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/sse"
)

const (
	// How long to wait before a stream is taken up again, when the server
	// doesn't say: the first time, and at most, as it doubles.
	firstWait, lastWait = time.Second, time.Minute

	// maxVain is how often in a row a stream is taken up again in vain.
	maxVain = 6

	// maxSeen is how many ids of events are remembered to find repeats.
	maxSeen = 1024
)

var errEnded = errors.New("the stream ended before the answer")

// A stream is a sequence of events that may outlive the response that brings
// it: a server before 2026-07-28 that gives its events ids lets a client go on
// with it in another response.
type stream struct {
	c    *conn
	slot *jsonrpc.Slot // the call that it belongs to; nil for that of the session

	last string          // id of the last event
	wait time.Duration   // how long the server wants to be left alone; 0 if it didn't say
	vain int             // responses in a row without an event
	seen map[string]bool // ids of the events that came; made when events have ids
}

// read handles the events of one response, until it ends or the call is
// answered. The error says what ended it.
func (s *stream) read(resp *http.Response) error {
	defer resp.Body.Close()
	only := jsonrpc.NumberID(-1) // no call
	if s.slot != nil {
		only = s.slot.ID()
	}
	r := sse.NewReader(resp.Body, s.c.opts.MaxMessage)
	defer func() { s.last, s.wait = r.LastID(), r.Retry() }()
	for {
		before := r.LastID()
		ev, err := r.Next()
		if err != nil {
			return err
		}
		s.vain = 0
		if ev.Type != "message" || len(ev.Data) == 0 {
			continue
		}
		if id := r.LastID(); id != before && s.repeated(id) {
			continue
		}
		s.c.Receive(s.c, ev.Data, only)
		if s.slot != nil && len(s.slot.Answer()) > 0 {
			return nil
		}
	}
}

// repeated reports whether an event with this id has come before.
func (s *stream) repeated(id string) bool {
	if s.seen[id] {
		return true
	}
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	if len(s.seen) < maxSeen {
		s.seen[id] = true
	}
	return false
}

// again waits, then asks for the rest of the stream. The error is final.
func (s *stream) again(ctx context.Context, header http.Header) (*http.Response, error) {
	for {
		wait := s.wait
		if wait == 0 {
			wait = min(firstWait<<s.vain, lastWait)
		}
		if s.vain++; s.vain > maxVain {
			return nil, errVain
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		h := header.Clone()
		h["Accept"] = []string{"text/event-stream"}
		if s.last != "" {
			h["Last-Event-Id"] = []string{s.last}
		}
		resp, err := s.c.http.Do(ctx, &httpx.Request{
			Method: http.MethodGet, URL: s.c.url, Header: h, IdleTimeout: s.c.opts.IdleTimeout,
		})
		if err == nil {
			err = httpx.Check(resp, "text/event-stream")
		}
		var status *httpx.StatusError
		switch {
		case err == nil:
			return resp, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.As(err, &status) && !status.Temporary():
			return nil, err
		}
	}
}

var errVain = errors.New("the stream brought nothing, again and again")

// follow reads the stream that answers a call. The answer goes to slot.
func (c *conn) follow(ctx context.Context, slot *jsonrpc.Slot, req *jsonrpc.Request, resp *http.Response) error {
	s := &stream{c: c, slot: slot}
	for {
		err := s.read(resp)
		if err == nil || errors.Is(err, jsonrpc.ErrTooLarge) || ctx.Err() != nil {
			return err
		}
		if err == io.EOF {
			err = errEnded
		}
		if !req.Mirror.Session || s.last == "" {
			return jsonrpc.Lost(err)
		}
		header, _ := c.header(&jsonrpc.Request{Mirror: req.Mirror})
		if resp, err = s.again(ctx, header); err != nil {
			return jsonrpc.Lost(err)
		}
	}
}

// listen reads, beside everything else, the stream on which the server sends
// what belongs to no call. Servers need not have one, and its failures are
// nobody's but its own.
func (c *conn) listen(revision string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = revision
	if c.unlisten != nil {
		return
	}
	ctx, cancel := context.WithCancel(httpx.Quiet(c.ctx))
	c.unlisten = cancel
	header := http.Header{}
	setRevision(header, revision)
	if c.session != "" {
		header[sessionHeader] = []string{c.session}
	}
	c.others.Go(func() { // ends with the session or the connection
		defer cancel()
		s := &stream{c: c, wait: time.Nanosecond}
		for {
			resp, err := s.again(ctx, header)
			if err != nil {
				if ctx.Err() == nil && !isStatus(err) && c.Handler.Dropped != nil {
					c.Handler.Dropped(err, nil)
				}
				return
			}
			_ = s.read(resp)
		}
	})
}

func isStatus(err error) bool {
	var status *httpx.StatusError
	return errors.As(err, &status)
}
