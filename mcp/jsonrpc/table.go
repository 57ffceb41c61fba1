package jsonrpc

import (
	"context"
	"math"
	"sync"
	"time"
)

// A Table matches answers to the calls that wait for them. Every transport
// uses one per connection. The zero Table is ready for use, by several
// goroutines at once.
type Table struct {
	mu      sync.Mutex
	last    int64                  // the id given most recently
	pending map[int64]*PendingCall // calls that wait for their answer
	free    []*PendingCall         // for use again
	err     error                  // why the table is closed, or nil

	timer *time.Timer   // calls expire; made when first needed
	epoch time.Time     // when that was; times are counted from here
	due   time.Duration // when expire is called; 0 when it isn't
}

// maxFreeSlots bounds what a burst of calls leaves behind.
const maxFreeSlots = 64

// A PendingCall is the place where the answer to one call arrives.
type PendingCall struct {
	id     int64
	answer chan Answer // buffered; at most one answer is sent

	alone bool // no other call was pending

	end  time.Duration // when the call fails with late; 0 for never
	late error
}

// An Answer is how a call ended: with a result or an error.
type Answer struct {
	Result RawMessage
	Err    error
	Late   bool // nothing came in time; Err says why nobody waits any more
}

// ID returns the id of the call.
func (s *PendingCall) ID() ID { return NumberID(s.id) }

// Answer returns the channel on which the answer arrives.
func (s *PendingCall) Answer() <-chan Answer { return s.answer }

// Wait waits for the answer. It is late when ctx ends first.
func (s *PendingCall) Wait(ctx context.Context) Answer {
	select {
	case a := <-s.answer:
		return a
	case <-ctx.Done():
	}
	select {
	case a := <-s.answer: // both happened; the answer is worth more
		return a
	default:
		return Answer{Err: context.Cause(ctx), Late: true}
	}
}

// Add makes a slot with an id that no other pending call has. Ids are small
// and sequential, as some servers keep them in 32 bits. It must be called
// before the request is written, and followed by Remove. The error is the one
// that Close was given.
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
		s = &PendingCall{answer: make(chan Answer, 1)}
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
	s.alone = len(t.pending) == 0
	t.pending[s.id] = s
	t.mu.Unlock()
	return s, nil
}

// Remove ends the use of a slot. An answer that comes later belongs to no
// call. It reports whether one has come that nobody took.
func (t *Table) Remove(s *PendingCall) (late bool) {
	t.mu.Lock()
	if t.pending[s.id] == s {
		delete(t.pending, s.id)
	} else {
		// The answer was sent; the caller may have gone without it.
		select {
		case a := <-s.answer:
			_, said := a.Err.(*Error)
			late = said || a.Err == nil // else it is this side's
		default:
		}
	}
	if len(t.free) < maxFreeSlots {
		s.end, s.late = 0, nil
		t.free = append(t.free, s)
	}
	t.mu.Unlock()
	return late
}

// Limit fails the call of s when no answer has come in time, if req has a
// Timeout. One timer serves all calls and is rarely touched, as what a call
// mostly wants of a timer is to be set and stopped.
func (t *Table) Limit(s *PendingCall, req *Request) {
	if req.Timeout <= 0 {
		return
	}
	t.mu.Lock()
	if t.timer == nil {
		t.epoch = time.Now()
		t.timer = time.AfterFunc(req.Timeout, t.expire)
		t.due = req.Timeout
	}
	now := time.Since(t.epoch)
	s.end, s.late = now+min(req.Timeout, math.MaxInt64-now), req.TimeoutErr
	if t.due == 0 || s.end < t.due {
		t.due = s.end
		t.timer.Reset(req.Timeout)
	}
	t.mu.Unlock()
}

// expire fails the calls whose time is up, and is called again for the next.
func (t *Table) expire() {
	t.mu.Lock()
	now := time.Since(t.epoch)
	t.due = 0
	for id, s := range t.pending {
		switch {
		case s.end == 0:
		case s.end <= now:
			delete(t.pending, id)
			s.answer <- Answer{Err: s.late, Late: true}
		case t.due == 0 || s.end < t.due:
			t.due = s.end
		}
	}
	if t.due > 0 {
		t.timer.Reset(t.due - now)
	}
	t.mu.Unlock()
}

// Deliver hands an answer to the call that it belongs to. It never waits. The
// error is ErrUnknownID when there is no such call.
//
// A string of digits stands for the number: servers exist that send every id
// as a string. An error with the id null goes to the one pending call, if
// there is exactly one.
func (t *Table) Deliver(m *Message) error {
	a := Answer{Result: m.Result}
	if m.Error != nil {
		a = Answer{Err: m.Error}
	}
	return t.deliver(m.ID, a)
}

// Fail ends the pending call with the given id as if it had been answered
// with err.
func (t *Table) Fail(id ID, err error) error { return t.deliver(id, Answer{Err: err}) }

func (t *Table) deliver(id ID, a Answer) error {
	n, ok := id.number()
	t.mu.Lock()
	if id == nullID && a.Err != nil && len(t.pending) == 1 {
		for n = range t.pending {
			ok = true
		}
	}
	s := t.pending[n]
	if ok = ok && s != nil; ok {
		delete(t.pending, n)
		s.answer <- a
	}
	t.mu.Unlock()
	if !ok {
		return ErrUnknownID
	}
	return nil
}

// Pending returns how many calls wait for their answer.
func (t *Table) Pending() int {
	t.mu.Lock()
	n := len(t.pending)
	t.mu.Unlock()
	return n
}

// Close fails all pending calls with err, which for them matches
// ErrOutcomeUnknown too, and all later ones.
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
		s.answer <- Answer{Err: &unanswered{err}}
	}
	t.mu.Unlock()
}
