package oauth

import (
	"context"
	"sync"
)

// A flight is something that many requests wait for and one does. It runs in a
// goroutine of its own, and ends when nobody waits for it any more.
type singleflight struct {
	task    any // what it is for
	cancel  context.CancelFunc
	waiting int           // who wants the same; guarded by the mutex that guards the flight's place
	done    chan struct{} // closed when tok and err are set
	tok     *token
	err     error
}

// join waits for the flight at place, which mu guards, and starts one that
// runs f if there is none. If it was one for another task, false is returned
// when it has ended, and nothing else.
func doOnce(ctx context.Context, mu *sync.Mutex, slot **singleflight, task any, f func(context.Context) (*token, error)) (*token, error, bool) {
	mu.Lock()
	p := *slot
	if p == nil {
		// It belongs to all who wait, so it has the values of the first
		// and the end of none.
		inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
		p = &singleflight{task: task, cancel: cancel, done: make(chan struct{})}
		*slot = p
		go func() { // ends with f, which ends with inner
			p.tok, p.err = f(inner)
			mu.Lock()
			if *slot == p {
				*slot = nil
			}
			mu.Unlock()
			cancel()
			close(p.done)
		}()
	}
	same := p.task == task
	if same {
		p.waiting++
	}
	mu.Unlock()
	select {
	case <-p.done:
		if !same {
			return nil, nil, false
		}
		return p.tok, p.err, true
	case <-ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	if same {
		p.waiting--
	}
	if p.waiting == 0 {
		if *slot == p {
			*slot = nil // the next starts anew instead of joining what ends
		}
		p.cancel()
	}
	return nil, context.Cause(ctx), true
}
