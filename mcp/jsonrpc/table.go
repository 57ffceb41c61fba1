package jsonrpc

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// A table matches responses to pending calls. The zero table is ready for use.
// Its methods may be used concurrently.
type table struct {
	mu      lock.Mutex
	last    int64                  // the id of the last call
	pending map[int64]*PendingCall // calls without a response
	free    []*PendingCall         // for reuse
	err     error                  // the reason why the table is closed, or nil

	// unanswerable counts the messages that were sent and expect no response,
	// settled those that the peer has certainly handled: it has responded to a
	// call that was added later.
	unanswerable, settled uint64

	timer *time.Timer   // calls expire; created for the first call with a Timeout
	epoch time.Time     // when that was; times are relative to it
	due   time.Duration // when the timer calls expire; 0 if it is stopped
}

// maxFree is the limit of table.free, so that a burst of calls leaves little
// memory behind.
const maxFree = 64

// A PendingCall is a call that waits for its response.
type PendingCall struct {
	id       int64
	response chan Response // buffered; at most one response is sent

	alone bool // no other call was pending when it was added

	after uint64 // table.unanswerable when it was added

	end        time.Duration // when the call fails with timeoutErr; 0 for never
	left       time.Duration // until then, while it is paused
	pauses     int
	timeoutErr error
	onTimeout  func(error) // may be nil
}

// A Response is the outcome of a call: a result or an error.
type Response struct {
	Result RawMessage // nil if Err is set
	Err    error      // an *[Error] if the peer refused the request

	// Expired reports that no response arrived in time; Err is the reason. Cancel
	// is then the notification that cancels the call, or nil.
	Expired bool
	Cancel  *Request
}

func (a *Response) received() bool {
	_, failed := a.Err.(*Error)
	return failed || a.Err == nil
}

// ID returns the id of the call.
func (s *PendingCall) ID() ID { return NumberID(s.id) }

// Ended reports whether the outcome of the call is known, so that its transport has
// nothing more to read for it.
func (s *PendingCall) Ended() bool { return len(s.response) > 0 }

// add adds a call with an id that no other pending call has. Ids are small and
// sequential because some servers keep them in 32 bits. The caller writes the
// request after add, and calls remove in the end. After Close, add returns the
// error that Close was called with.
func (t *table) add() (*PendingCall, error) {
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

// remove ends a call. It reports whether a response has arrived that the caller has not
// taken, and returns its result.
func (t *table) remove(s *PendingCall) (result RawMessage, unread bool) {
	t.mu.Lock()
	if t.pending[s.id] == s {
		delete(t.pending, s.id)
	} else {
		// The response was delivered, but the caller may not have waited for it.
		select {
		case a := <-s.response:
			result, unread = a.Result, a.received()
		default:
		}
	}
	if len(t.free) < maxFree {
		s.end, s.left, s.pauses, s.timeoutErr, s.onTimeout = 0, 0, 0, nil, nil
		t.free = append(t.free, s)
	}
	t.mu.Unlock()
	return result, unread
}

// start calls the Started of req before the call is written, and makes it expire after
// the Timeout of req, if that is positive. The table then calls onTimeout, which may be
// nil, with the TimeoutErr of the request before the Response arrives. onTimeout must
// not use the table, and is not called after remove.
//
// One timer serves all calls, so that most calls neither start nor stop one.
func (t *table) start(s *PendingCall, req *Request, onTimeout func(error)) {
	if req.Started != nil {
		req.Started(s.ID())
	}
	if req.Timeout <= 0 {
		return
	}
	t.mu.Lock()
	s.onTimeout = onTimeout
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

// Pause stops the time of the call with this id until every resume that Pause has
// returned for it was called. Without such a call, or one without a limit, it does
// nothing. A second call of resume has no effect.
func (t *table) Pause(id ID) (resume func()) {
	n, _ := id.number()
	t.pause(n, 1)
	return sync.OnceFunc(func() { t.pause(n, -1) })
}

func (t *table) pause(id int64, n int) {
	t.mu.Lock()
	if s := t.pending[id]; s != nil {
		now := time.Since(t.epoch)
		switch s.pauses += n; {
		case s.pauses > 0 && s.end > 0:
			s.left, s.end = max(s.end-now, 1), 0
		case s.pauses == 0 && s.left > 0:
			s.left, s.end = 0, now+s.left
			if t.due == 0 || s.end < t.due {
				t.due = s.end
				t.timer.Reset(s.end - now)
			}
		}
	}
	t.mu.Unlock()
}

func (t *table) expire() {
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

// deliver passes the response a to its call, without waiting. Some servers return every
// id as a string, so a string of digits counts as a number. An error with the id null
// goes to the pending call if there is exactly one, if the code means that the peer could
// not read the id, and if the error cannot be about a message reported to Sent.
func (t *table) deliver(id ID, a Response) error {
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

// Sent records that the connection sends a notification or a response, to which
// some servers respond with an error with the id null.
func (t *table) Sent() {
	t.mu.Lock()
	t.unanswerable++
	t.mu.Unlock()
}

// Fail ends the pending call with the given id with err. The error is
// ErrUnknownID if there is no such call.
func (t *table) Fail(id ID, err error) error { return t.deliver(id, Response{Err: err}) }

func concernsUnreadable(err error) bool {
	if e, ok := err.(*Error); ok {
		return e.Code == CodeParseError || e.Code == CodeInvalidRequest
	}
	return err != nil
}

// Close fails all pending calls with an error that matches err and
// ErrOutcomeUnknown, and all later ones with err.
func (t *table) Close(err error) {
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
