package jsonrpc

import (
	"context"
	"math"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// A Table matches responses to pending calls. The zero Table is ready for use.
// Its methods may be used concurrently.
type Table struct {
	mu      lock.Mutex
	last    int64                  // the id of the last call
	pending map[int64]*PendingCall // calls without a response
	free    []*PendingCall         // for reuse
	err     error                  // the reason why the table is closed, or nil

	// unanswerable counts the messages that were sent and expect no response,
	// settled those that the peer has certainly handled: it has responded to a
	// call that was added later.
	unanswerable, settled uint64

	timer *time.Timer   // calls expire; created by the first Limit
	epoch time.Time     // when that was; times are relative to it
	due   time.Duration // when the timer calls expire; 0 if it is stopped
}

// maxFree is the limit of Table.free, so that a burst of calls leaves little
// memory behind.
const maxFree = 64

// A PendingCall is a call that waits for its response.
type PendingCall struct {
	id       int64
	response chan Response // buffered; at most one response is sent

	alone bool // no other call was pending when it was added

	after uint64 // Table.unanswerable when it was added

	end        time.Duration // when the call fails with timeoutErr; 0 for never
	timeoutErr error
	onTimeout  func(error) // may be nil
}

// A Response is the outcome of a call: a result or an error.
type Response struct {
	Result  RawMessage
	Err     error
	Expired bool // no response arrived in time; Err is the reason
}

// ID returns the id of the call.
func (s *PendingCall) ID() ID { return NumberID(s.id) }

// Response returns the channel on which the response arrives.
func (s *PendingCall) Response() <-chan Response { return s.response }

// OnTimeout makes the table call f with the TimeoutErr of the request when the
// call expires, before its Response arrives. Call it before Limit. f must not use
// the Table, and is not called after Remove.
func (s *PendingCall) OnTimeout(f func(error)) { s.onTimeout = f }

// Wait waits for the response. If ctx ends first, the Response is Expired, with
// the cause of ctx as Err.
func (s *PendingCall) Wait(ctx context.Context) Response {
	select {
	case a := <-s.response:
		return a
	case <-ctx.Done():
	}
	if len(s.response) == 0 { // otherwise both happened; the response is worth more
		return Response{Err: context.Cause(ctx), Expired: true}
	}
	return <-s.response
}

// Add adds a call with an id that no other pending call has. Ids are small and
// sequential because some servers keep them in 32 bits. The caller writes the
// request after Add, and calls Remove in the end. After Close, Add returns the
// error that Close was called with.
func (t *Table) Add() (*PendingCall, error) {
	t.mu.Lock()
	if err := t.err; err != nil {
		t.mu.Unlock()
		return nil, err
	}
	var s *PendingCall
	if n := len(t.free); n > 0 {
		s, t.free = t.free[n-1], t.free[:n-1]
	} else {
		s = &PendingCall{response: make(chan Response, 1)}
	}
	for {
		t.last = t.last%math.MaxInt32 + 1
		if t.pending[t.last] == nil {
			break
		}
	}
	if t.pending == nil {
		t.pending = make(map[int64]*PendingCall)
	}
	s.id = t.last
	s.alone, s.after = len(t.pending) == 0, t.unanswerable
	t.pending[s.id] = s
	t.mu.Unlock()
	return s, nil
}

// Remove ends a call. A later response belongs to no call. Remove reports whether
// a response has arrived that the caller has not taken.
func (t *Table) Remove(s *PendingCall) (unread bool) {
	if s == nil {
		return false
	}
	t.mu.Lock()
	if t.pending[s.id] == s {
		delete(t.pending, s.id)
	} else {
		// The response was delivered, but the caller may not have waited for it.
		select {
		case a := <-s.response:
			_, received := a.Err.(*Error)
			unread = received || a.Err == nil // other errors are of this side
		default:
		}
	}
	if len(t.free) < maxFree {
		s.end, s.timeoutErr, s.onTimeout = 0, nil, nil
		t.free = append(t.free, s)
	}
	t.mu.Unlock()
	return unread
}

// Limit makes the call expire after the Timeout of req, if that is positive.
//
// One timer serves all calls, so that most calls neither start nor stop one.
func (t *Table) Limit(s *PendingCall, req *Request) {
	if s == nil || req == nil || req.Timeout <= 0 {
		return
	}
	t.mu.Lock()
	if t.timer == nil {
		t.epoch = time.Now()
		t.timer = time.AfterFunc(req.Timeout, t.expire)
		t.due = req.Timeout
	}
	now := time.Since(t.epoch)
	s.end, s.timeoutErr = now+min(req.Timeout, math.MaxInt64-now), req.TimeoutErr
	if s.timeoutErr == nil {
		s.timeoutErr = context.DeadlineExceeded
	}
	if t.due == 0 || s.end < t.due {
		t.due = s.end
		t.timer.Reset(req.Timeout)
	}
	t.mu.Unlock()
}

// expire fails the calls that are due, and sets the timer for the next one.
func (t *Table) expire() {
	t.mu.Lock()
	now := time.Since(t.epoch)
	t.due = 0
	for id, s := range t.pending {
		switch {
		case s.end == 0:
		case s.end <= now:
			delete(t.pending, id)
			if s.onTimeout != nil {
				s.onTimeout(s.timeoutErr)
			}
			s.response <- Response{Err: s.timeoutErr, Expired: true}
		case t.due == 0 || s.end < t.due:
			t.due = s.end
		}
	}
	if t.due > 0 {
		t.timer.Reset(t.due - now)
	}
	t.mu.Unlock()
}

// Deliver passes the response m to its call, without waiting. The error is
// ErrUnknownID if there is no such call.
//
// Some servers return every id as a string, so Deliver takes a string of digits
// as a number. An error with the id null goes to the pending call if there is
// exactly one, if the code means that the peer could not read the id
// (CodeParseError or CodeInvalidRequest), and if the error cannot be about a
// message reported to Sent.
func (t *Table) Deliver(m *Message) error {
	if m == nil {
		return ErrUnknownID
	}
	a := Response{Result: m.Result}
	if m.Error != nil {
		a = Response{Err: m.Error}
	}
	return t.deliver(m.ID, a)
}

// Sent records that the connection sends a notification or a response, to which
// some servers respond with an error with the id null.
func (t *Table) Sent() {
	t.mu.Lock()
	t.unanswerable++
	t.mu.Unlock()
}

// Fail ends the pending call with the given id with err. The error is
// ErrUnknownID if there is no such call.
func (t *Table) Fail(id ID, err error) error { return t.deliver(id, Response{Err: err}) }

func (t *Table) deliver(id ID, a Response) error {
	n, ok := id.number()
	t.mu.Lock()
	if id == nullID && concernsUnreadable(a.Err) && len(t.pending) == 1 && t.settled == t.unanswerable {
		for n = range t.pending {
			ok = true
		}
	}
	s := t.pending[n]
	if ok = ok && s != nil; ok {
		delete(t.pending, n)
		t.settled = max(t.settled, s.after)
		s.response <- a
	}
	t.mu.Unlock()
	if !ok {
		return ErrUnknownID
	}
	return nil
}

// concernsUnreadable reports whether err, which came without an id, may be the
// outcome of a call: a local error, or an error response to a message whose id
// the peer could not read.
func concernsUnreadable(err error) bool {
	if e, ok := err.(*Error); ok {
		return e.Code == CodeParseError || e.Code == CodeInvalidRequest
	}
	return err != nil
}

// Close fails all pending calls with an error that matches err and
// ErrOutcomeUnknown, and all later ones with err.
func (t *Table) Close(err error) {
	t.mu.Lock()
	if t.err == nil {
		t.err = err
		if t.timer != nil {
			t.timer.Stop()
		}
	}
	for id, s := range t.pending {
		delete(t.pending, id)
		s.response <- Response{Err: OutcomeUnknown(err)}
	}
	t.mu.Unlock()
}
