package mcp

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxProgress is how many progress notifications of one call may be queued for
// its function. The client drops more.
const maxProgress = 256

// A progressTable dispatches progress notifications to calls.
type progressTable struct {
	budget *queue.Budget // of the client

	mu    lock.Mutex
	last  int64 // the latest token
	sinks map[int64]*progressSink
}

// A progressSink receives the progress of one call.
type progressSink struct {
	token int64
	f     func(Progress)
	timer *callTimer  // progress restarts it; may be nil
	queue queue.Queue // calls f

	mu      lock.Mutex
	last    float64 // the latest progress
	waiting int     // the number of notifications in the queue
	ended   bool    // the call has returned
}

func (t *progressTable) add(f func(Progress), timer *callTimer) *progressSink {
	t.mu.Lock()
	t.last++
	s := &progressSink{token: t.last, f: f, timer: timer, last: math.Inf(-1)}
	s.queue.Max, s.queue.Budget = maxProgress+1, t.budget // one more for remove
	if t.sinks == nil {
		t.sinks = make(map[int64]*progressSink)
	}
	t.sinks[s.token] = s
	t.mu.Unlock()
	return s
}

// remove removes a sink. It waits, at most until ctx ends, for the function to
// handle the progress that arrived before the response.
func (t *progressTable) remove(ctx context.Context, s *progressSink) {
	t.mu.Lock()
	delete(t.sinks, s.token)
	t.mu.Unlock()
	s.mu.Lock()
	s.ended = true // deliver may already have found s
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
	errUnknownToken = errors.New("progress for no pending call")
	errNoProgress   = errors.New("progress that does not increase")
)

// deliver handles the params of a progress notification. It never blocks.
func (t *progressTable) deliver(params []byte) error {
	var p Progress
	if err := decodeText(params, &p); err != nil {
		return jsonrpc.Malformed(err)
	}
	// Some servers convert numbers to strings.
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSuffix(p.token.String(), `"`), `"`), 10, 64)
	if err != nil {
		return errUnknownToken
	}
	t.mu.Lock()
	s := t.sinks[n]
	t.mu.Unlock()
	if s == nil {
		return errUnknownToken
	}
	return s.deliver(p, len(params))
}

// deliver queues p, which shares memory with size bytes.
func (s *progressSink) deliver(p Progress, size int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errUnknownToken
	}
	if p.Progress <= s.last {
		return errNoProgress
	}
	s.last = p.Progress
	if s.timer != nil {
		s.timer.restart()
	}
	if s.waiting == maxProgress || !s.queue.AddSize(size, func() { s.dequeued(); s.f(p) }) { // has room for maxProgress
		return ErrOverloaded
	}
	s.waiting++
	return nil
}

func (s *progressSink) dequeued() {
	s.mu.Lock()
	s.waiting--
	s.mu.Unlock()
}
