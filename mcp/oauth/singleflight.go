package oauth

import (
	"context"
	"net/url"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/pause"
)

// A singleflight is one attempt to get a token that any number of requests share.
// It runs in its own goroutine and is canceled when no request waits for it.
type singleflight struct {
	task    any // the purpose of the attempt
	cancel  context.CancelFunc
	waiting int           // requests with the same task; guarded by the mutex of the slot
	done    chan struct{} // closed when tok and err are set

	asked chan struct{} // closed when page is set
	page  string        // where the user has to log in, without the query
	tok   *token
	err   error
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
		p = &singleflight{task: task, cancel: cancel, done: make(chan struct{}), asked: make(chan struct{})}
		inner = context.WithValue(inner, singleflightKey{}, p)
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
	if p.wait(ctx) {
		if !same {
			return nil, nil, false
		}
		return p.tok, p.err, true
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

// wait waits for the end of the attempt, and reports false if ctx ends before. From
// when the user is asked, the time of the request does not pass.
func (p *singleflight) wait(ctx context.Context) bool {
	select {
	case <-p.done:
		return true
	case <-p.asked:
	case <-ctx.Done():
		return false
	}
	defer pause.Begin(ctx, p.page)()
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// singleflightKey is the context key of the attempt.
type singleflightKey struct{}

// asking stops the time of the requests that wait for the user to log in at page,
// until done is called or the attempt ends.
func asking(ctx context.Context, page string) (done func()) {
	if u, err := url.Parse(page); err == nil {
		page = httpURL(u)
	}
	p, ok := ctx.Value(singleflightKey{}).(*singleflight)
	if !ok {
		return pause.Begin(ctx, page) // Transport.Login
	}
	if p.page == "" {
		p.page = page
		close(p.asked)
	}
	return func() {}
}

// wasAsked reports whether the user was asked in the attempt of ctx.
func wasAsked(ctx context.Context) bool {
	p, ok := ctx.Value(singleflightKey{}).(*singleflight)
	return ok && p.page != ""
}
