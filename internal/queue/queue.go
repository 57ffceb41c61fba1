// Package queue runs functions in order, and limits what queues hold.
package queue

import (
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
)

// A Queue runs functions one after another, in the order in which they were
// added, on a goroutine that exists only while functions are queued. The zero
// Queue refuses all functions. Its methods may be used concurrently.
type Queue struct {
	// Max is the number of functions that may wait. Beyond it Add refuses.
	Max int

	// Budget limits the bytes that the functions hold. It may be nil.
	Budget *Budget

	mu      lock.Mutex
	waiting []item
	idle    chan struct{} // closed when run returns; nil while it does not run
	closed  bool
}

// An item is a function and the number of bytes that it holds.
type item struct {
	f    func()
	size int
}

// Add queues f, which holds no message of the peer, and reports whether the queue
// accepted it.
func (q *Queue) Add(f func()) bool { return q.AddSize(-itemCost, f) }

// AddSize queues f, which holds size bytes until it has run, and reports whether
// the queue accepted it.
func (q *Queue) AddSize(size int, f func()) bool {
	q.mu.Lock()
	ok := !q.closed && len(q.waiting) < q.Max && q.Budget.Take(size)
	if ok {
		q.waiting = append(q.waiting, item{f, size})
		if q.idle == nil {
			q.idle = make(chan struct{})
			go q.run(q.idle) // ends when the queue is empty
		}
	}
	q.mu.Unlock()
	return ok
}

func (q *Queue) run(idle chan struct{}) {
	defer close(idle)
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.waiting, q.idle = nil, nil
			q.mu.Unlock()
			return
		}
		next := q.waiting[0]
		q.waiting[0] = item{}
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		next.f()
		q.Budget.Return(next.size)
	}
}

// Close refuses further functions, waits up to d for those that were added before, and
// drops the rest. One of them may be the caller of Close.
func (q *Queue) Close(d time.Duration) {
	q.mu.Lock()
	q.closed = true
	idle := q.idle
	q.mu.Unlock()
	if idle != nil {
		retry.Await(idle, d)
	}
	q.mu.Lock()
	for _, w := range q.waiting {
		q.Budget.Return(w.size)
	}
	q.waiting = nil
	q.mu.Unlock()
}

// A Budget limits the bytes that the queues and tables of one connection hold
// together: as many as a message may have. The zero Budget permits 64 MiB. Its
// methods may be used concurrently; a nil Budget has no limit.
type Budget struct{ max, used atomic.Int64 }

// itemCost is what an item costs beside its text.
const itemCost = 128

// Max returns the limit in bytes.
//
//go:noinline
func (b *Budget) Max() int { return buffers.MessageLimit(int(b.max.Load())) }

// SetMax sets the limit in bytes.
func (b *Budget) SetMax(n int) { b.max.Store(int64(n)) }

// Take takes what an item of n bytes costs, and reports whether the budget
// permits it. Inlined, it, Max and Return would add 1.6 KB to an agent with a host.
//
//go:noinline
func (b *Budget) Take(n int) bool {
	if b == nil {
		return true
	}
	cost := int64(n) + itemCost
	if b.used.Add(cost) > int64(b.Max()) {
		b.used.Add(-cost)
		return false
	}
	return true
}

// Return returns what Take has taken for an item of n bytes.
//
//go:noinline
func (b *Budget) Return(n int) {
	if b != nil {
		b.used.Add(-int64(n) - itemCost)
	}
}
