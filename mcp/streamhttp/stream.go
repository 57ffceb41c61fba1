package streamhttp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// The wait before a stream is requested again, unless the server sets it:
	// the first one and the longest, as it doubles.
	firstRetry, maxRetry = time.Second, time.Minute

	// replayTime is how long after the begin of a response the server may repeat the event
	// after which it was asked to continue.
	replayTime = time.Second

	// refusedTime is how long a call waits for a server where none listens, to read the
	// rest of its response there, or longer if the server has set a longer wait.
	refusedTime = 10 * time.Second

	// outageTime is the same for failures of every kind, such as 503 from a proxy. Most
	// calls time out before.
	outageTime = time.Minute

	// renewJitter is the longest wait before the client looks for a session because of
	// its stream, since all clients of a server lose it at the same time.
	renewJitter = 5 * time.Second

	// maxEmptyRetries is how many times in a row a stream is requested again
	// without an event, unless a response lasts minStreamTime. After such a
	// response, the wait is at most maxJitter, unless the server sets it: what the
	// server sends meanwhile may be lost.
	maxEmptyRetries = 6
	minStreamTime   = 5 * time.Second
	maxJitter       = 250 * time.Millisecond

	// After the result of a call, the end of the stream is read to reuse the
	// connection: for drainTime and maxDrain bytes. The connection stops trying
	// after maxUnended streams in a row that did not end.
	drainTime  = 5 * time.Millisecond
	maxDrain   = 256
	maxUnended = 3

	// maxSeen is how many event ids are kept to detect repeated events, and
	// maxSeenBytes about how long they may be in total.
	maxSeen, maxSeenBytes = 1024, 64 << 10
)

var (
	errEnded = errors.New("the stream ended before the result")
	errAnew  = errors.New("the server numbers the events of each response anew")
)

// A stream is a sequence of events. In a session, a server that gives its events
// ids lets a client continue the stream in another HTTP response.
type stream struct {
	c    *conn
	call *jsonrpc.PendingCall // the call of the stream; nil for the stream of the session
	x    *exchange            // of that call

	callHeader map[string][]string // of that call

	// opened is closed after the first request, which is sent without a wait,
	// and nil from then on. It is nil if the first response exists already.
	opened chan struct{}

	last      string          // id of the last event; empty if there is none, or none that a header can hold
	retryWait time.Duration   // the wait that the server has set, or 0
	empty     int             // requests in a row that brought no event
	wasOpen   bool            // a request has succeeded
	failed    error           // the last failure of a request
	lasted    bool            // the last response did, for minStreamTime
	seen      map[string]bool // ids of events; nil until an event has one
	seenBytes int             // the length of all of them
	stray     string          // the id of a response that was none to the call
}

func newStream(c *conn) *stream {
	return &stream{c: c}
}

// read handles the events of one HTTP response, until it ends or brings the
// result of the call, for which the error is nil.
func (s *stream) read(resp *http.Response) error {
	defer resp.Body.Close()
	only := jsonrpc.NumberID(-1) // matches no call
	if s.call != nil {
		only = s.call.ID()
	}
	s.wasOpen = true
	r := eventstream.NewReader(resp.Body, s.c.opts.MaxMessage)
	began, first, resumed := time.Now(), true, s.last
	defer func() {
		s.retryWait = cmp.Or(r.Retry(), s.retryWait)
		if s.lasted = time.Since(began) >= minStreamTime; s.lasted {
			s.empty = 0
			if s.call == nil {
				s.c.renewals.Store(0)
			}
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
		s.empty = 0
		if !ev.HasMessage() {
			continue
		}
		if first && moved && s.seen[id] && (id != resumed || time.Since(began) >= replayTime) {
			if s.c.Handler.Odd != nil {
				s.c.Handler.Odd(errAnew, []byte(id))
			}
			clear(s.seen)
			s.seenBytes = 0
		}
		first = first && !moved
		if s.repeated(id) && moved { // otherwise the event has no id of its own
			continue
		}
		s.c.Receive(s.c, ev.Data, only)
		if s.call != nil && !s.call.Ended() {
			s.stray = cmp.Or(strayID(ev.Data), s.stray)
		}
		if s.call != nil && s.call.Ended() {
			s.drain(resp)
			return nil
		}
	}
}

// drain waits a moment for the end of a response that has brought the result, so
// that its connection can be reused: in HTTP/1, closing the body earlier closes
// the connection. The end of the context ends the wait; closing the body would
// not, because since Go 1.27 Close waits for a Read.
func (s *stream) drain(resp *http.Response) {
	c := s.c
	if resp.ProtoMajor > 1 || c.unendedResponses.Load() >= maxUnended {
		return
	}
	t := time.AfterFunc(drainTime, func() { s.x.stop(context.Canceled) })
	if _, err := io.ReadFull(resp.Body, make([]byte, maxDrain)); err == io.EOF || err == io.ErrUnexpectedEOF {
		c.unendedResponses.Store(0)
	} else {
		c.unendedResponses.Add(1)
	}
	s.x.whole = t.Stop()
}

// strayID returns the id of a response that was none to the call, or "".
func strayID(data []byte) string {
	if m, err := jsonrpc.Parse(data); err == nil && m.Method == "" {
		return diag.Printable(m.ID.String(), 100)
	}
	return ""
}

// errStray returns err with the id of a response that came instead of that to the call.
func errStray(err error, stray string, id jsonrpc.ID) error {
	if stray == "" {
		return err
	}
	return diag.Error(err.Error()+"; a response with the id "+stray+" came, and the call has the id "+id.String(), nil, err)
}

// repeated reports whether there was an event with this id before, and stores
// the id.
func (s *stream) repeated(id string) bool {
	if id == "" {
		return false // the server has reset the position
	}
	if s.seen[id] {
		return true
	}
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	if len(s.seen) < maxSeen && s.seenBytes < maxSeenBytes {
		s.seen[id] = true
		s.seenBytes += len(id)
	}
	return false
}

// A verdict is what a failure to open a stream again means.
type verdict uint8

const (
	again     verdict = iota // later
	doubt                    // the server may have forgotten the session
	afterCall                // the same, and unless it has, later: after a call that succeeds
	never
)

// ofSession returns what an HTTP status means for the stream of a session, which was
// open before. A server that never had one refuses it with 405.
func ofSession(status int) verdict {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone:
		return doubt
	case http.StatusUnauthorized:
		return afterCall
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return never
	}
	return again
}

// ofCall returns what an HTTP status means for the rest of the response to a call. With
// 409, the server has not noticed yet that the first response has ended.
func ofCall(status *httperr.StatusError) verdict {
	if status.Temporary() || status.Status == http.StatusConflict {
		return again
	}
	return never
}

// backoff returns the wait before a request after n that brought nothing.
func backoff(n int) time.Duration { return min(firstRetry<<min(n, 10), maxRetry) }

// reopen waits, then requests the rest of a stream that ended with ended, until it
// succeeds or further requests are pointless.
func (s *stream) reopen(ctx context.Context, header http.Header, ended error) (*http.Response, error) {
	began := time.Now()
	last, down := ended, began // down is since when no server has listened
	atOnce := s.lasted && s.retryWait == 0
	switch {
	case atOnce:
		s.empty = 0
	case s.opened == nil:
		s.empty++
	}
	if s.empty > maxEmptyRetries {
		return nil, diag.Op("the stream had no events several times in a row", ended)
	}
	for failed := 0; ; failed++ {
		wait := s.retryWait
		switch {
		case failed > 0:
			wait = max(wait, backoff(s.empty-1+failed))
		case atOnce:
			wait = 1 + rand.N(maxJitter)
		case wait == 0:
			wait = backoff(max(s.empty-1, 0))
		}
		if failed > 0 && s.call != nil && httpx.IsRefused(last) { // not later than when it counts
			wait = min(wait, max(s.retryWait, time.Until(down.Add(refusedTime)), 1))
		}
		if s.opened == nil {
			if report := s.c.Handler.Reconnect; report != nil {
				report(last, wait)
			}
			if s.failed = last; !retry.Sleep(ctx, wait) {
				return nil, last
			}
		}
		resp, err := s.get(ctx, header)
		if err == nil {
			s.failed = nil
			return resp, nil
		}
		if last = err; !httpx.IsRefused(err) {
			down = time.Now()
		}
		status, _ := diag.Find[*httperr.StatusError](err)
		switch {
		case ctx.Err() != nil:
			return nil, err
		case s.call != nil && (status != nil && ofCall(status) == never || time.Since(down) >= refusedTime || time.Since(began) >= outageTime):
			return nil, err
		case s.call != nil:
		case !s.wasOpen && (failed == maxEmptyRetries || status != nil && !status.Temporary()):
			return nil, err // a server need not have this stream
		case !s.wasOpen:
		case status != nil && !s.c.decide(ctx, ofSession(status.Status), err):
			return nil, err
		}
	}
}

// get requests the stream, or the events after the last one.
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
		Method: http.MethodGet, URL: s.c.url, Header: h, CallHeader: s.callHeader, IdleTimeout: s.c.opts.IdleTimeout,
	})
	if err == nil {
		err = httpx.Check(resp, eventStream)
	}
	return resp, err
}

// follow reads the stream with the result of a call.
func (x *exchange) follow(call *jsonrpc.PendingCall, req *jsonrpc.Request, resp *http.Response) error {
	s := newStream(x.c)
	s.call, s.x, s.callHeader = call, x, req.HTTP.Header
	for {
		err := s.read(resp)
		if err == nil || errors.Is(err, jsonrpc.ErrTooLarge) || x.Err() != nil {
			return err
		}
		if err == io.EOF {
			err = errStray(errEnded, s.stray, call.ID())
		}
		if req.HTTP.Session == jsonrpc.NoSession || s.last == "" {
			return jsonrpc.OutcomeUnknown(jsonrpc.Closed(err))
		}
		// The session of the call, which the server may have lost since.
		session := session{resp.Request.Header.Get(sessionHeader), req.HTTP.ProtocolVersion}
		resp, err = s.reopen(x, session.header(), err)
		if x.failed = s.failed; err != nil {
			return jsonrpc.OutcomeUnknown(jsonrpc.Closed(err)) // Call returns the cause if x has ended
		}
	}
}
