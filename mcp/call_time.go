package mcp

import (
	"context"
	"sync"
	"time"
)

// limit returns how long a call may take, 0 for any time.
func (c *Client) limit(q *call) time.Duration {
	d := q.timeout
	if d == 0 {
		d = c.opts.Timeout
	}
	if total := c.opts.MaxTimeout; total > 0 && (d < 0 || d > total) {
		d = total
	}
	if q.open || d < 0 {
		return 0
	}
	return d
}

// extensible returns the context of a call whose time progress starts anew and
// handlers at work make stand still: the user may be thinking.
func (c *Client) extensible(ctx context.Context, d time.Duration) (context.Context, *callTimer, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &callTimer{each: d, total: c.opts.MaxTimeout, began: time.Now()}
	t.start(func() {
		if c.requests.busy(d) && !t.over() {
			t.extend()
		} else {
			cancel(t.err())
		}
	})
	return ctx, t, func() { t.stop(); cancel(nil) }
}

// inAll returns the context of something that takes several requests.
func (c *Client) inAll(ctx context.Context) (context.Context, context.CancelFunc) {
	d := c.opts.MaxTimeout
	if d < 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, d, &timeoutError{after: d, total: true})
}

// timeout returns the error for calls that get no answer within d.
func (c *Client) timeout(d time.Duration) *timeoutError {
	if d == c.usual.after {
		return &c.usual
	}
	return &timeoutError{after: d}
}

// patience is how long is waited for what is no answer to a call.
func (c *Client) patience() time.Duration {
	if d := c.opts.Timeout; d > 0 {
		return d
	}
	return time.Hour
}

// A callTimer ends a call that makes no progress.
type callTimer struct {
	each, total time.Duration // no limit when 0 or negative
	began       time.Time

	mu    sync.Mutex
	timer *time.Timer // nil when the call is over
}

// start has f called when the time is up.
func (t *callTimer) start(f func()) {
	t.mu.Lock()
	t.timer = time.AfterFunc(t.rest(), f)
	t.mu.Unlock()
}

func (t *callTimer) stop() {
	t.mu.Lock()
	t.timer.Stop()
	t.timer = nil
	t.mu.Unlock()
}

// forever is beyond the life of any call.
const forever = 1<<63 - 1

// rest returns how long the call may go on without further progress.
func (t *callTimer) rest() time.Duration {
	d := t.each
	if d <= 0 {
		d = forever
	}
	if t.total > 0 {
		d = min(d, t.total-time.Since(t.began))
	}
	return d
}

// extend starts the time anew.
func (t *callTimer) extend() {
	t.mu.Lock()
	if t.timer != nil {
		t.timer.Reset(t.rest())
	}
	t.mu.Unlock()
}

// over reports whether the call may not go on whatever happens.
func (t *callTimer) over() bool { return t.total > 0 && time.Since(t.began) >= t.total }

func (t *callTimer) err() error {
	if t.over() {
		return &timeoutError{after: t.total, total: true}
	}
	return &timeoutError{after: t.each}
}

// timeoutError is the end of a call whose time ran out.
type timeoutError struct {
	after time.Duration
	total bool // MaxTimeout
}

func (e *timeoutError) Error() string {
	if e.total {
		return "no answer within " + e.after.String() + " in all, in spite of progress"
	}
	return "no answer within " + e.after.String()
}

func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout tells that the error is a time-out, as net.Error does.
func (e *timeoutError) Timeout() bool { return true }
