// Package pause stops the time of a request while its user logs in.
//
// Whoever limits the time of requests, such as a transport or a host, puts a Pauser
// into their context. Whoever has the user log in for a request calls Begin.
package pause

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// A Pauser limits the time of requests.
type Pauser interface {
	// Pause stops the time until resume is called, because the user logs in at page, a
	// URL without a query. A second call of resume has no effect. It calls Begin for the
	// context around it.
	Pause(page string) (resume func())
}

// A Key is the context key of a Pauser.
type Key struct{}

// Begin calls the Pauser of ctx, if there is one.
func Begin(ctx context.Context, page string) (resume func()) {
	if p, ok := ctx.Value(Key{}).(Pauser); ok {
		return p.Pause(page)
	}
	return func() {}
}

// A Timer is the context of requests whose time it limits, without that of logins.
type Timer struct {
	context.Context
	timer *time.Timer

	mu     lock.Mutex    // guards what follows
	left   time.Duration // at since
	since  time.Time     // the last change
	pauses int
}

// AfterFunc calls f after d, unless Stop is called before. It may call f again later.
func AfterFunc(ctx context.Context, d time.Duration, f func()) *Timer {
	return &Timer{Context: ctx, timer: time.AfterFunc(d, f), left: d, since: time.Now()}
}

// Value implements context.Context.
func (t *Timer) Value(key any) any {
	if key == (Key{}) {
		return t
	}
	return t.Context.Value(key)
}

// Pause implements Pauser.
func (t *Timer) Pause(page string) (resume func()) {
	around := Begin(t.Context, page)
	t.change(1)
	return sync.OnceFunc(func() {
		around()
		t.change(-1)
	})
}

// Stop stops the timer. The context remains.
func (t *Timer) Stop() { t.change(1) }

func (t *Timer) change(n int) {
	t.mu.Lock()
	now := time.Now()
	if t.pauses == 0 {
		t.left -= now.Sub(t.since)
	}
	t.since = now
	if t.pauses += n; t.pauses == 0 {
		t.timer.Reset(t.left)
	} else {
		t.timer.Stop()
	}
	t.mu.Unlock()
}
