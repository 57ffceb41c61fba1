package jsonrpc

import (
	"bytes"
	"context"
	"sync"
)

const (
	// maxQueued is how many bytes may wait to be written before senders wait.
	maxQueued = 1 << 20

	// maxKept is the largest buffer that is kept for use again.
	maxKept = 64 << 10
)

// An outbox holds what is to be written to a stream. Senders add to it
// without waiting for the peer, and one goroutine writes: a peer that stops
// reading holds back neither a sender whose context ends nor Close, and what
// several senders add meanwhile goes out in one write.
type outbox struct {
	wake chan struct{} // buffered; there is something to do for run

	mu   sync.Mutex
	buf  []byte        // whole messages that wait
	room chan struct{} // closed when buf has been taken; nil when nobody waits
	err  error         // why nothing is taken any more
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put lets add append whole messages. It waits for room no longer than ctx,
// and adds nothing when ctx has ended.
func (o *outbox) put(ctx context.Context, add func([]byte) []byte) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		room, err := o.offer(add)
		if room == nil {
			return err
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// offer lets add append whole messages if there is room. If not, it returns a
// channel that is closed when there may be.
func (o *outbox) offer(add func([]byte) []byte) (room <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil:
		return nil, o.err
	case len(o.buf) < maxQueued:
		o.buf = add(o.buf)
		o.signal()
		return nil, nil
	case o.room == nil:
		o.room = make(chan struct{})
	}
	return o.room, nil
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take returns what waits, and whether more may come. spare becomes the buffer
// for what comes next.
func (o *outbox) take(spare []byte) (p []byte, open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p, o.buf = o.buf, spare
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
	return p, o.err == nil
}

// close makes put return err. What waits is still written.
func (o *outbox) close(err error) {
	o.mu.Lock()
	if o.err == nil {
		o.err = err
	}
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
	o.mu.Unlock()
	o.signal()
}

// run writes to s what is put into the outbox, until the outbox is closed or
// writing fails.
func (o *outbox) run(s Stream, trace func(sent bool, data []byte)) error {
	var spare []byte
	for range o.wake {
		p, open := o.take(spare[:0])
		if trace != nil {
			for line := range bytes.Lines(p) {
				trace(true, bytes.TrimSuffix(line, []byte("\n")))
			}
		}
		if len(p) > 0 {
			if _, err := s.Write(p); err != nil {
				return err
			}
		}
		if !open {
			return nil
		}
		if spare = p; cap(spare) > maxKept {
			spare = nil
		}
	}
	return nil // not reached: wake is never closed
}
