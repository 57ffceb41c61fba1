// Package retry waits between the tries of an operation.
package retry

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// A Backoff waits between tries, longer each time. It is for one goroutine.
type Backoff struct {
	// First is the first wait. It doubles with each try, up to Max.
	First, Max time.Duration

	// Limit is the number of tries without a Reset in between. Zero means no
	// limit.
	Limit int

	// Observe is called before each wait. It may be nil.
	Observe func(wait time.Duration)

	tries int
}

// Wait waits for the next try: for hint if it is positive, such as the time that
// a server asks for. It returns false if the limit is reached, or if ctx ends.
func (b *Backoff) Wait(ctx context.Context, hint time.Duration) bool {
	wait := b.Next()
	if hint > 0 {
		wait = hint
	}
	if b.Limit > 0 && b.tries > b.Limit {
		return false
	}
	if b.Observe != nil {
		b.Observe(wait)
	}
	return Sleep(ctx, wait)
}

// Next counts a try, and returns the wait before it to a caller that waits by itself.
func (b *Backoff) Next() time.Duration {
	wait := b.First
	for range b.tries {
		if wait = min(2*wait, b.Max); wait == b.Max {
			break
		}
	}
	b.tries++
	return wait
}

// Reset starts again with First, after a try that succeeded.
func (b *Backoff) Reset() { b.tries = 0 }

// Await waits up to d until c is closed, and reports whether it was.
func Await(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}

// Sleep waits for d. It returns false if ctx ends first.
func Sleep(ctx context.Context, d time.Duration) bool { return !Await(ctx.Done(), d) }

// WithTimeout is context.WithTimeoutCause without Deadline, which would add 4 KB to
// a program. The context's Err is Canceled and its cause is cause, or
// DeadlineExceeded if that is nil.
func WithTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	if cause == nil {
		cause = context.DeadlineExceeded
	}
	ctx, cancel := context.WithCancelCause(ctx)
	t := time.AfterFunc(d, func() { cancel(cause) })
	return ctx, func() { t.Stop(); cancel(nil) }
}

// Cause returns why ctx has ended: an error that matches the cause of ctx and its Err,
// or nil. After [WithTimeout] that is the cause alone, as the program has canceled
// nothing.
func Cause(ctx context.Context) error {
	cause, err := context.Cause(ctx), ctx.Err()
	if cause == nil || errors.Is(cause, err) || errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return diag.Error(cause.Error(), err, cause)
}
