package jsonrpc

import (
	"bytes"
	"context"
	"sync"
)

const (
	// maxQueued is how many bytes may wait to be written before senders wait.
	maxQueued = 1 << 20

	// maxKept is the largest buffer that a connection keeps for use again.
	maxKept = 64 << 10
)

// bigBuffers holds what is too large for that, as *[]byte. Bursts of many
// connections share them, and they are freed when no burst comes.
var bigBuffers sync.Pool

// An outbox holds what is to be written to a stream. Senders add to it
// without waiting for the peer, and one goroutine writes: a peer that stops
// reading holds back neither a sender whose context ends nor Close, and what
// several senders add meanwhile goes out in one write. A sender that is alone
// writes itself where the stream can do that without waiting, as waking the
// goroutine costs more than what it does.
type outbox struct {
	stream Stream
	now    TryWriter // the same, or nil
	trace  func(sent bool, data []byte)
	wake   chan struct{} // buffered; there is something to do for run

	writing sync.Mutex // held while stream is written to
	spare   []byte     // a buffer for use again

	mu     sync.Mutex
	buf    []byte        // what waits: whole messages, the first of which may have been begun
	traced int           // how much of that has been traced
	room   chan struct{} // closed when buf has been taken; nil when nobody waits
	err    error         // why nothing is taken any more
}

// put lets add append whole messages. It waits for room no longer than ctx and
// the call, if there is one, and adds nothing when ctx has ended.
func (o *outbox) put(ctx context.Context, call *PendingCall, add func([]byte) []byte) error {
	var over chan Answer
	if call != nil {
		over = call.answer
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		room, err := o.offer(add)
		if room == nil {
			// Several calls gain when their messages are written together.
			if err == nil && !(call != nil && call.alone && o.tryWrite()) {
				o.signal()
			}
			return err
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		case a := <-over:
			if a.Late {
				return a.Err
			}
			over <- a // the end of the connection, which offer says, or a guess of the peer's
			over = nil
		}
	}
}

// offer lets add append whole messages if there is room. If not, it returns a
// channel that is closed when there may be. Writing it is left to the caller.
func (o *outbox) offer(add func([]byte) []byte) (room <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil:
		return nil, o.err
	case len(o.buf) < maxQueued:
		if len(o.buf) > maxKept/2 && cap(o.buf) <= maxKept {
			o.buf = toBig(o.buf)
		}
		o.buf = add(o.buf)
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

// take returns what waits, and whether more may come. What it returns is to be
// given to recycle. Its caller holds writing.
func (o *outbox) take() (p []byte, open bool) {
	o.mu.Lock()
	p, o.buf, o.spare = o.buf, o.spare[:0], nil
	rest := p[o.traced:]
	o.traced = 0
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
	open = o.err == nil
	o.mu.Unlock()
	for o.trace != nil && len(rest) > 0 {
		end := bytes.IndexByte(rest, '\n')
		o.trace(true, rest[:end])
		rest = rest[end+1:]
	}
	return p, open
}

// recycle keeps a buffer for use again.
func (o *outbox) recycle(p []byte) {
	if cap(p) <= maxKept {
		o.spare = p
	} else if cap(p) <= 2*maxQueued {
		big := p // p itself stays on the stack
		bigBuffers.Put(&big)
	}
}

// toBig moves p, which goes on growing, to a big buffer if there is one.
func toBig(p []byte) []byte {
	if b, _ := bigBuffers.Get().(*[]byte); b != nil {
		return append((*b)[:0], p...)
	}
	return p
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

// tryWrite writes what waits, as far as the stream takes it at once. It reports
// false when something is left for run.
func (o *outbox) tryWrite() bool {
	if o.now == nil || !o.writing.TryLock() {
		return false
	}
	defer o.writing.Unlock() // even if a trace panics, which a caller may survive
	p, open := o.take()
	n, err := o.now.TryWrite(p)
	done := err == nil && n == len(p)
	if done {
		o.recycle(p)
	} else { // run meets the error again, and knows what to do about it
		o.mu.Lock()
		o.traced = len(p) - n
		o.buf = append(p[n:], o.buf...)
		o.mu.Unlock()
	}
	return done && open
}

// run writes what is put into the outbox, until that is closed or writing
// fails.
func (o *outbox) run() error {
	for range o.wake {
		if open, err := o.write(); err != nil || !open {
			return err
		}
	}
	return nil // not reached: wake is never closed
}

// write writes what waits, and reports whether more may come.
func (o *outbox) write() (open bool, err error) {
	o.writing.Lock()
	p, open := o.take()
	if len(p) > 0 {
		_, err = o.stream.Write(p)
	}
	o.recycle(p)
	o.writing.Unlock()
	return open, err
}
