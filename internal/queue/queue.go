// Package queue runs functions in order, and waits for goroutines for a bounded
// time.
package queue

import (
	"sync"
	"time"
)

// A Queue runs functions one after another, in the order in which they were
// added, on a goroutine that exists only while functions are queued. The zero
// Queue refuses all functions. Its methods may be used concurrently.
type Queue struct {
	// Max is the number of functions that may wait. Beyond it Add refuses.
	Max int

	mu      sync.Mutex
	waiting []func()
	idle    chan struct{} // closed when run returns; nil while it does not run
	closed  bool
}

// Add queues f and reports whether the queue accepted it.
func (q *Queue) Add(f func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(q.waiting) >= q.Max {
		return false
	}
	q.waiting = append(q.waiting, f)
	if q.idle == nil {
		q.idle = make(chan struct{})
		go q.run(q.idle) // ends when the queue is empty
	}
	return true
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
		f := q.waiting[0]
		q.waiting[0] = nil
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		f()
	}
}

// Close drops the functions that wait, and waits up to d for the one that runs,
// which may be the caller of Close.
func (q *Queue) Close(d time.Duration) {
	q.mu.Lock()
	q.closed, q.waiting = true, nil
	idle := q.idle
	q.mu.Unlock()
	if idle != nil {
		closedWithin(idle, d)
	}
}

// WaitFor waits up to d for wg, and reports whether wg was done in time.
func WaitFor(wg *sync.WaitGroup, d time.Duration) bool {
	done := make(chan struct{})
	go func() { // ends with the last goroutine of wg
		wg.Wait()
		close(done)
	}()
	return closedWithin(done, d)
}

func closedWithin(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}
