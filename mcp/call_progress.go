package mcp

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/stdmcp/stdmcp/internal/queue"
)

// maxProgress is how many progress notifications of one call may wait for its
// function before further ones are dropped.
const maxProgress = 256

// A progressTable leads progress notifications to the calls that they belong
// to.
type progressTable struct {
	mu    sync.Mutex
	last  int64 // the token given most recently
	sinks map[int64]*progressSink
}

// A progressSink is a call that wants to hear of its progress.
type progressSink struct {
	token int64
	f     func(Progress)
	timer *callTimer  // starts anew; nil when there is none
	queue queue.Queue // calls f

	mu      sync.Mutex
	last    *float64 // the progress so far, nil before the first
	waiting int      // how many notifications are in the queue
	ended   bool     // the call has its answer, or does without
}

func (t *progressTable) add(f func(Progress), timer *callTimer) *progressSink {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	s := &progressSink{token: t.last, f: f, timer: timer, queue: queue.Queue{Max: maxProgress + 1}} // one for remove
	if t.sinks == nil {
		t.sinks = make(map[int64]*progressSink)
	}
	t.sinks[s.token] = s
	return s
}

// remove ends the use of a sink. It lets the function see what came before
// the answer, no longer than ctx.
func (t *progressTable) remove(ctx context.Context, s *progressSink) {
	t.mu.Lock()
	delete(t.sinks, s.token)
	t.mu.Unlock()
	s.mu.Lock()
	s.ended = true // deliver may have found s before
	s.mu.Unlock()
	seen := make(chan struct{})
	if s.queue.Add(func() { close(seen) }) {
		select {
		case <-seen:
		case <-ctx.Done():
		}
	}
	s.queue.Close(0)
}

var (
	errUnknownToken = errors.New("progress of no call that waits")
	errNoProgress   = errors.New("progress that does not increase")
)

// deliver takes the params of a progress notification. It never waits.
func (t *progressTable) deliver(params []byte) error {
	var p Progress
	if err := decodeText(params, &p); err != nil {
		return &malformedError{err}
	}
	// Servers exist that turn numbers into strings.
	n, err := strconv.ParseInt(strings.Trim(p.token.String(), `"`), 10, 64)
	if err != nil {
		return errUnknownToken
	}
	t.mu.Lock()
	s := t.sinks[n]
	t.mu.Unlock()
	if s == nil {
		return errUnknownToken
	}
	return s.deliver(p)
}

func (s *progressSink) deliver(p Progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errUnknownToken
	}
	if s.last != nil && p.Progress <= *s.last {
		return errNoProgress
	}
	s.last = &p.Progress
	if s.timer != nil {
		s.timer.restart()
	}
	if s.waiting == maxProgress {
		return ErrOverloaded
	}
	s.queue.Add(func() { s.dequeued(); s.f(p) }) // has room for as many
	s.waiting++
	return nil
}

func (s *progressSink) dequeued() {
	s.mu.Lock()
	s.waiting--
	s.mu.Unlock()
}
