package jsonrpc

import (
	"math"
	"sync"
)

// A Table matches answers to the calls that wait for them. Every transport
// uses one per connection. The zero Table is ready for use, by several
// goroutines at once.
type Table struct {
	mu      sync.Mutex
	last    int64           // the id given most recently
	pending map[int64]*Slot // calls that wait for their answer
	free    []*Slot         // for use again
	err     error           // why the table is closed, or nil
}

// maxFreeSlots bounds what a burst of calls leaves behind.
const maxFreeSlots = 64

// A Slot is the place where the answer to one call arrives.
type Slot struct {
	id     int64
	answer chan Answer // buffered; at most one answer is sent
}

// An Answer is how a call ended: with a result or an error.
type Answer struct {
	Result RawMessage
	Err    error
}

// ID returns the id of the call.
func (s *Slot) ID() ID { return NumberID(s.id) }

// Answer returns the channel on which the answer arrives.
func (s *Slot) Answer() <-chan Answer { return s.answer }

// Add makes a slot with an id that no other pending call has. Ids are small
// and sequential, as some servers keep them in 32 bits. It must be called
// before the request is written, and followed by Remove. The error is the one
// that Close was given.
func (t *Table) Add() (*Slot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return nil, t.err
	}
	var s *Slot
	if n := len(t.free); n > 0 {
		s, t.free = t.free[n-1], t.free[:n-1]
	} else {
		s = &Slot{answer: make(chan Answer, 1)}
	}
	for {
		t.last = t.last%math.MaxInt32 + 1
		if t.pending[t.last] == nil {
			break
		}
	}
	if t.pending == nil {
		t.pending = make(map[int64]*Slot)
	}
	s.id = t.last
	t.pending[s.id] = s
	return s, nil
}

// Remove ends the use of a slot. An answer that comes later belongs to no
// call. It reports whether one has come that nobody took.
func (t *Table) Remove(s *Slot) (late bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
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
		t.free = append(t.free, s)
	}
	return late
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
	defer t.mu.Unlock()
	if id == nullID && a.Err != nil && len(t.pending) == 1 {
		for n = range t.pending {
			ok = true
		}
	}
	s := t.pending[n]
	if !ok || s == nil {
		return ErrUnknownID
	}
	delete(t.pending, n)
	s.answer <- a
	return nil
}

// Pending returns how many calls wait for their answer.
func (t *Table) Pending() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.pending)
}

// Close fails all pending calls with err, which for them matches
// ErrOutcomeUnknown too, and all later ones.
func (t *Table) Close(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	t.err = err
	for id, s := range t.pending {
		delete(t.pending, id)
		s.answer <- Answer{Err: &unanswered{err}}
	}
}
