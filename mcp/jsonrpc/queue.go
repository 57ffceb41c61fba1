package jsonrpc

import (
	"sync"
	"time"
)

// A Queue runs functions one after another, in the order in which they were
// added, away from the goroutine that adds them. While it is empty it costs no
// goroutine.
type Queue struct {
	// Max is how many functions may wait. Beyond it Add refuses.
	Max int

	mu      sync.Mutex
	waiting []func()
	idle    chan struct{} // closed when run ends; nil while it doesn't run
	closed  bool
}

// Add has f run when its turn comes, and reports whether it will be.
func (q *Queue) Add(f func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(q.waiting) >= q.Max {
		return false
	}
	q.waiting = append(q.waiting, f)
	if q.idle == nil {
		q.idle = make(chan struct{})
		go q.run(q.idle) // ends when nothing waits
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

// Close drops what waits and lets what runs end, for which it waits no longer
// than d: the function that runs may be the one that calls Close.
func (q *Queue) Close(d time.Duration) {
	q.mu.Lock()
	q.closed, q.waiting = true, nil
	idle := q.idle
	q.mu.Unlock()
	if idle == nil {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-idle:
	case <-t.C:
	}
}
