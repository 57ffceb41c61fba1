package streamhttp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// How long to wait before a stream is taken up again, when the server
	// doesn't say: the first time, and at most, as it doubles.
	firstRetry, maxRetry = time.Second, time.Minute

	// maxVain is how often in a row a stream is taken up again in vain: the
	// response brings no event, and ends before worthwhile.
	maxEmptyRetries = 6
	minStreamTime   = 5 * time.Second

	// How long a response may take to end after its answer, how much it may
	// still bring, and how often in a row this may be in vain.
	drainTime  = 5 * time.Millisecond
	maxDrain   = 256
	maxUnended = 3

	// maxSeen is how many ids of events are remembered to find repeats.
	maxSeen = 1024
)

var errEnded = errors.New("the stream ended before the answer")

// A stream is a sequence of events that may outlive the response that brings
// it: in a session, a server that gives its events ids lets a client continue
// the stream in another response.
type stream struct {
	c    *conn
	slot *jsonrpc.PendingCall // the call that it belongs to; nil for that of the session
	end  func()               // ends the context of that call

	// Closed after the first request, for which there is no wait, and nil then.
	// It is nil from the begin for a stream that is there already.
	opened chan struct{}

	last      string          // id of the last event; empty if there is none that can be sent
	retryWait time.Duration   // how long the server wants to be left alone; 0 if it didn't say
	retries   retry.Backoff   // responses in a row without an event
	seen      map[string]bool // ids of the events that came; made when events have ids
}

func newStream(c *conn) *stream {
	return &stream{c: c, retries: retry.Backoff{First: firstRetry, Max: maxRetry, Limit: maxEmptyRetries}}
}

// read handles the events of one response, until it ends or the call is
// answered. The error says what ended it.
func (s *stream) read(resp *http.Response) error {
	defer resp.Body.Close()
	only := jsonrpc.NumberID(-1) // no call
	if s.slot != nil {
		only = s.slot.ID()
	}
	r := eventstream.NewReader(resp.Body, s.c.opts.MaxMessage)
	began := time.Now()
	defer func() {
		s.retryWait = cmp.Or(r.Retry(), s.retryWait)
		if time.Since(began) >= minStreamTime {
			s.retries.Reset()
		}
	}()
	for {
		before := r.LastID()
		ev, err := r.Next()
		id := r.LastID()
		moved := id != before
		if moved {
			s.last = ""
			if httpx.ValidValue(id) {
				s.last = id
			}
		}
		if err != nil {
			return err
		}
		s.retries.Reset()
		if ev.Type != "message" || len(ev.Data) == 0 {
			continue
		}
		if s.repeated(id) && moved { // else it has no id of its own
			continue
		}
		s.c.Receive(s.c, ev.Data, only)
		if s.slot != nil && len(s.slot.Response()) > 0 {
			s.drain(resp)
			return nil
		}
	}
}

// awaitEnd waits a moment for the end of a response that has brought its
// answer, so that its connection can be used again: to close the body before
// that closes the connection, too, in HTTP/1. Waiting ends with the context, as
// Close waits itself since Go 1.27, for a read that is under way.
func (s *stream) drain(resp *http.Response) {
	c := s.c
	if resp.ProtoMajor > 1 || c.unendedResponses.Load() >= maxUnended {
		return
	}
	t := time.AfterFunc(drainTime, s.end)
	defer t.Stop()
	if _, err := io.ReadFull(resp.Body, make([]byte, maxDrain)); err == io.EOF || err == io.ErrUnexpectedEOF {
		c.unendedResponses.Store(0)
	} else {
		c.unendedResponses.Add(1)
	}
}

// repeated reports whether an event with this id has come before, and notes
// that one has.
func (s *stream) repeated(id string) bool {
	if id == "" {
		return false // the position was reset
	}
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
func (s *stream) reopen(ctx context.Context, header http.Header) (*http.Response, error) {
	last := errEmptyRetries
	for {
		if s.opened == nil && !s.retries.Wait(ctx, s.retryWait) {
			return nil, last
		}
		resp, err := s.get(ctx, header)
		if err == nil {
			return resp, nil
		}
		var status *httpx.StatusError
		if errors.As(err, &status) && !status.Temporary() {
			return nil, err
		}
		last = err
	}
}

// get asks for the stream, or for what follows the last event.
func (s *stream) get(ctx context.Context, header http.Header) (*http.Response, error) {
	if s.opened != nil {
		defer close(s.opened)
		s.opened = nil
	}
	h := maps.Clone(header)
	h["Accept"] = []string{eventStream}
	if s.last != "" {
		h["Last-Event-Id"] = []string{s.last}
	}
	resp, err := s.c.http.Do(ctx, &httpx.Request{
		Method: http.MethodGet, URL: s.c.url, Header: h, IdleTimeout: s.c.opts.IdleTimeout,
	})
	if err == nil {
		err = httpx.Check(resp, eventStream)
	}
	return resp, err
}

var errEmptyRetries = errors.New("the stream brought nothing, again and again")

// follow reads the stream that answers a call. The answer goes to slot.
func (x *exchange) follow(ctx context.Context, slot *jsonrpc.PendingCall, req *jsonrpc.Request, resp *http.Response) error {
	s := newStream(x.c)
	s.slot, s.end = slot, x.stop
	for {
		err := s.read(resp)
		if err == nil || errors.Is(err, jsonrpc.ErrTooLarge) || ctx.Err() != nil {
			return err
		}
		if err == io.EOF {
			err = errEnded
		}
		if req.Session == jsonrpc.NoSession || s.last == "" {
			return jsonrpc.OutcomeUnknown(jsonrpc.Closed(err))
		}
		// In the session that the call was made in, which may be lost by now.
		session := session{resp.Request.Header.Get(sessionHeader), req.ProtocolVersion}
		if resp, err = s.reopen(ctx, session.header()); err != nil {
			return jsonrpc.OutcomeUnknown(jsonrpc.Closed(err)) // if ctx has ended, that is what the caller learns
		}
	}
}
