package mcp

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
)

// limit returns how long a call may take without progress, or 0 for no limit.
func (c *Client) limit(q *request) time.Duration {
	d := q.timeout
	if d == 0 {
		d = c.opts.Timeout
	}
	if total := c.opts.MaxTimeout; total > 0 && (d < 0 || d > total) {
		d = total
	}
	if q.traits&openEnded != 0 || d < 0 {
		return 0
	}
	return d
}

// withCallTimer returns the context of a call that times out after d. Progress
// restarts the timer. It is paused while handlers of the program run, as the user
// may be thinking about the answer.
func (c *Client) withCallTimer(ctx context.Context, d time.Duration) (context.Context, *callTimer, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &callTimer{each: d, total: c.opts.MaxTimeout, began: time.Now(), paused: c.requests.paused}
	t.start(func() {
		if !t.proceed() {
			cancel(t.err())
		}
	})
	return ctx, t, func() { t.stop(); cancel(nil) }
}

func (c *Client) withMaxTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	d := c.opts.MaxTimeout
	if d < 0 {
		return ctx, func() {}
	}
	return retry.WithTimeout(ctx, d, &timeoutError{after: d, total: true})
}

// callTimeout is how long the client waits for anything but the response to a
// call.
func (c *Client) callTimeout() time.Duration {
	if d := c.opts.Timeout; d > 0 {
		return d
	}
	return time.Hour
}

func (c *Client) withCallTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, _, stop := c.withCallTimer(ctx, c.callTimeout())
	return ctx, stop
}

// timeoutErr returns the error of calls without a response within d.
func (c *Client) timeoutErr(d time.Duration) *timeoutError {
	if d == c.defaultTimeout.after {
		return &c.defaultTimeout
	}
	return &timeoutError{after: d}
}

// A callTimer cancels a call that makes no progress.
type callTimer struct {
	each, total time.Duration // no limit if 0 or negative
	began       time.Time
	paused      func() (sum time.Duration, now bool) // the time that does not count

	mu     lock.Mutex
	timer  *time.Timer   // nil after stop
	since  time.Time     // the start or the last progress
	before time.Duration // the time until then that did not count
}

func (t *callTimer) start(f func()) {
	t.mu.Lock()
	t.since = t.began
	t.before, _ = t.paused()
	t.timer = time.AfterFunc(t.rest(), f)
	t.mu.Unlock()
}

func (t *callTimer) stop() {
	t.mu.Lock()
	t.timer.Stop()
	t.timer = nil
	t.mu.Unlock()
}

// noLimit is longer than any call lasts.
const noLimit = 1<<63 - 1

func (t *callTimer) rest() time.Duration {
	d := t.each
	if d <= 0 {
		d = noLimit
	}
	if t.total > 0 {
		d = min(d, t.total-time.Since(t.began))
	}
	return d
}

// restart gives the call its full time again, within the total.
func (t *callTimer) restart() {
	t.mu.Lock()
	if t.timer != nil {
		t.since = time.Now()
		t.before, _ = t.paused()
		t.timer.Reset(t.rest())
	}
	t.mu.Unlock()
}

// proceed is called when the time would be up if it had not been paused. It
// reports whether the call may continue.
func (t *callTimer) proceed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil {
		return true
	}
	sum, now := t.paused()
	left := t.each - (time.Since(t.since) - (sum - t.before))
	if left <= 0 || t.over() {
		return false
	}
	if now {
		left = t.each // rather than look often
	}
	if t.total > 0 {
		left = min(left, t.total-time.Since(t.began))
	}
	t.timer.Reset(left)
	return true
}

func (t *callTimer) over() bool { return t.total > 0 && time.Since(t.began) >= t.total }

func (t *callTimer) err() error {
	if t.over() {
		return &timeoutError{after: t.total, total: true}
	}
	return &timeoutError{after: t.each}
}

// A timeoutError is the error of a call that has timed out. It matches
// context.DeadlineExceeded and is a timeout in the sense of net.Error.
type timeoutError struct {
	after time.Duration
	total bool // the limit is MaxTimeout
}

func (e *timeoutError) Error() string {
	if e.total {
		return "no response within " + e.after.String() + " in total, despite progress"
	}
	return "no response within " + e.after.String()
}

func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }
func (e *timeoutError) Timeout() bool        { return true }
