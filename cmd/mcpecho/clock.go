package main

import (
	"context"
	"sync"
	"time"
)

// A clock bounds the request under way by --timeout. The time begins anew with
// each report of progress and stands still while the user is asked something.
type clock struct {
	each time.Duration // no limit when negative

	mu     sync.Mutex
	timer  *time.Timer // that of the request under way; nil when there is none
	paused int         // how many questions there are
}

// start returns the context of a request. There is one at a time.
func (k *clock) start(ctx context.Context) (context.Context, context.CancelFunc) {
	if k.each <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	late := &failure{status: statusUnreachable, kind: "timeout",
		message: "no answer within " + k.each.String(), hint: "--timeout waits longer"}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer = time.AfterFunc(k.each, func() { cancel(late) })
	return ctx, func() {
		k.stop()
		cancel(nil)
	}
}

// stop lets the request under way take any time.
func (k *clock) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
}

// again starts the time anew.
func (k *clock) again() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.timer != nil && k.paused == 0 {
		k.timer.Reset(k.each)
	}
}

// pause stops the time until resume is called as often.
func (k *clock) pause() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.paused++; k.timer != nil {
		k.timer.Stop()
	}
}

// resume gives the server the whole time again.
func (k *clock) resume() {
	k.mu.Lock()
	k.paused--
	k.mu.Unlock()
	k.again()
}
