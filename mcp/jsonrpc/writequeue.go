package jsonrpc

import (
	"bytes"
	"context"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
)

const (
	// maxQueued is the number of queued bytes at which senders begin to wait.
	maxQueued = 1 << 20

	// maxKept is the size of the largest buffer that a connection keeps.
	maxKept = 64 << 10
)

// A writeQueue holds the messages to be written to a stream. Senders add to it
// without waiting for the peer, and one goroutine writes. So a peer that stops
// reading blocks neither a sender whose context ends nor Close, and messages of
// several senders share a write. A sender that is alone writes itself if the
// stream is a TryWriter, as that is cheaper than waking the goroutine.
type writeQueue struct {
	stream Stream
	try    TryWriter // stream, if it is one
	trace  func(sent bool, data []byte)
	wake   chan struct{} // buffered; wakes run

	writing lock.Mutex // held while writing to stream
	spare   []byte     // a buffer for reuse

	mu      lock.Mutex
	buf     []byte        // queued messages
	written int           // the number of bytes in buf that have been written
	traced  int           // the number of bytes in buf that have been traced
	room    chan struct{} // closed when buf is taken; nil if no sender waits
	err     error         // the reason why the queue is closed
}

// An outgoing is a message to be written: a request, a notification, which has no id,
// or a response.
type outgoing struct {
	id     ID
	req    *Request   // nil for a response
	result RawMessage // of a response, unless it has an err
	err    *Error
}

// put queues a message. It waits for room until ctx or the call, if there is one, ends.
// It queues nothing if ctx has ended. For a call that is alone, the caller calls flush
// after it.
func (q *writeQueue) put(ctx context.Context, call *PendingCall, m *outgoing) error {
	var ended chan Response
	if call != nil {
		ended = call.response
	}
	for {
		if ctx.Err() != nil {
			return retry.Cause(ctx)
		}
		room, err := q.offer(m)
		if room == nil {
			// A call that is alone is written by flush. Concurrent calls are faster if
			// their messages share a write.
			if err == nil && !(call != nil && call.alone) {
				q.signal()
			}
			return err
		}
		select {
		case <-room:
		case <-ctx.Done():
			return retry.Cause(ctx)
		case a := <-ended:
			if a.Expired {
				return a.Err
			}
			// The connection has ended, and offer returns its error, or the peer
			// has guessed the id.
			ended <- a
			ended = nil
		}
	}
}

// offer queues a message without waking run. If there is no room, it returns a channel
// that is closed when there may be.
func (q *writeQueue) offer(m *outgoing) (room <-chan struct{}, err error) {
	q.mu.Lock()
	switch err = q.err; {
	case err != nil:
	case len(q.buf)-q.written < maxQueued:
		if m.req != nil {
			q.buf = AppendRequest(buffers.Grow(q.buf, m.req.size()), m.id, m.req)
		} else {
			q.buf = AppendResponse(buffers.Grow(q.buf, len(m.result)+frame), m.id, m.result, m.err)
		}
	default:
		if q.room == nil {
			q.room = make(chan struct{})
		}
		room = q.room
	}
	q.mu.Unlock()
	return room, err
}

func (q *writeQueue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take returns the queued messages, of which some bytes may have been written, and
// whether the queue is open. The caller holds writing, and passes p to recycle.
func (q *writeQueue) take() (p []byte, written int, open bool) {
	q.mu.Lock()
	p, q.buf, q.spare = q.buf, q.spare[:0], nil
	rest := p[q.traced:]
	written, q.written, q.traced = q.written, 0, 0
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
	open = q.err == nil
	q.mu.Unlock()
	for q.trace != nil && len(rest) > 0 {
		end := bytes.IndexByte(rest, '\n')
		q.trace(true, rest[:end])
		rest = rest[end+1:]
	}
	return p, written, open
}

func (q *writeQueue) recycle(p []byte) {
	if cap(p) <= maxKept {
		q.spare = p
	} else if cap(p) <= 2*maxQueued {
		buffers.Put(p[:cap(p)])
	}
}

// close makes put return err. Queued messages are still written.
func (q *writeQueue) close(err error) {
	q.mu.Lock()
	if q.err == nil {
		q.err = err
	}
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
	q.mu.Unlock()
	q.signal()
}

// flush writes those queued messages that the stream accepts without waiting.
// It leaves the rest to run.
func (q *writeQueue) flush() {
	if q.try == nil || !q.writing.TryLock() {
		q.signal()
		return
	}
	defer q.writing.Unlock() // even if a trace panics and the caller recovers
	p, written, _ := q.take()
	n, err := q.try.TryWrite(p[written:])
	if written += n; err == nil && written == len(p) {
		q.recycle(p)
		return
	}
	q.mu.Lock()
	q.written, q.traced = written, len(p)
	q.buf = append(p, q.buf...)
	q.mu.Unlock()
	q.signal() // run meets the error again and handles it
}

func (q *writeQueue) run() error {
	for range q.wake {
		if open, err := q.write(); err != nil || !open {
			return err
		}
	}
	return nil // unreachable: wake is never closed
}

func (q *writeQueue) write() (open bool, err error) {
	q.writing.Lock()
	p, written, open := q.take()
	if written < len(p) {
		_, err = q.stream.Write(p[written:])
	}
	q.recycle(p)
	q.writing.Unlock()
	return open, err
}
