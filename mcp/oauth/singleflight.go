package oauth

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
)

// A singleflight is one attempt to get a token that any number of requests share.
// It runs in its own goroutine and is canceled when no request waits for it.
type singleflight struct {
	task    any // the purpose of the attempt
	cancel  context.CancelFunc
	waiting int           // requests with the same task; guarded by the mutex of the slot
	done    chan struct{} // closed when tok and err are set
	tok     *token
	err     error
}

// doOnce waits for the attempt in slot, which mu guards, and starts one with f if
// there is none. If the attempt was for another task, doOnce returns false when
// it has ended; the caller tries again.
func doOnce(ctx context.Context, mu *lock.Mutex, slot **singleflight, task any, f func(context.Context) (*token, error)) (*token, error, bool) {
	mu.Lock()
	p := *slot
	if p == nil {
		// The attempt belongs to all waiters: it has the context values of
		// the first, but not its cancellation.
		inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
		p = &singleflight{task: task, cancel: cancel, done: make(chan struct{})}
		*slot = p
		go func() { // ends with f, which ends with inner
			if err := diag.Guard(nil, func() { p.tok, p.err = f(inner) }); err != nil {
				p.tok, p.err = nil, err // of a function of the program
			}
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
			*slot = nil // the next request starts a new attempt
		}
		p.cancel()
	}
	return nil, context.Cause(ctx), true
}
