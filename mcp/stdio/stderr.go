package stdio

import (
	"bytes"
	"io"
	"sync"
	"time"
)

const (
	// keptStderr is how much of a child's standard error is kept.
	maxStderr = 64 << 10

	// writerTimeout is how long a child may be held up by the writer that its
	// standard error is passed on to.
	writerTimeout = time.Second
)

// stderr reads a child's standard error, so that the child never waits for
// anybody to do so, and keeps the end of it.
type stderr struct {
	file *output
	done chan struct{} // closed when drain has ended

	mu     sync.Mutex
	stored []byte // guarded by mu; a ring once it is keptStderr long
	next   int    // guarded by mu; where the ring is written next
}

// drain reads until the end and passes on to tee what it reads.
func (s *stderr) drain(tee io.Writer) {
	defer close(s.done)
	defer s.file.Close()
	var r *relay
	if tee != nil {
		r = newRelay(tee)
		defer r.close()
	}
	buf := make([]byte, 4<<10)
	for {
		n, err := s.file.Read(buf)
		s.store(buf[:n])
		if r != nil && n > 0 {
			r.write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (s *stderr) store(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(p), maxStderr-len(s.stored))
	s.stored = append(s.stored, p[:n]...)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		n = copy(s.stored[s.next:], p)
		s.next = (s.next + n) % maxStderr
	}
}

// String returns what is kept.
func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.stored[s.next:]) + string(s.stored[:s.next])
}

// close waits for what the child has written, then for drain.
func (s *stderr) close() {
	t := time.NewTimer(2 * drainWait)
	defer t.Stop()
	select {
	case <-s.done:
	case <-t.C:
		_ = s.file.Close()
		<-s.done
	}
}

// A relay writes to a writer that may block, without blocking for long.
type relay struct {
	chunks  chan []byte
	done    chan struct{} // closed when nothing is written any more
	stalled bool          // the writer has used up our writerTimeout
}

func newRelay(w io.Writer) *relay {
	r := &relay{chunks: make(chan []byte, 16), done: make(chan struct{})}
	go r.run(w) // ends after close, unless w blocks for ever
	return r
}

func (r *relay) run(w io.Writer) {
	defer close(r.done)
	var err error
	for p := range r.chunks {
		if err == nil {
			_, err = w.Write(p)
		}
	}
}

func (r *relay) write(p []byte) {
	p = bytes.Clone(p)
	select {
	case r.chunks <- p:
		r.stalled = false
		return
	default:
	}
	if r.stalled {
		return
	}
	t := time.NewTimer(writerTimeout)
	defer t.Stop()
	select {
	case r.chunks <- p:
	case <-t.C:
		r.stalled = true
	}
}

// close lets the writer catch up, unless it is stuck.
func (r *relay) close() {
	close(r.chunks)
	if r.stalled {
		return
	}
	t := time.NewTimer(2 * drainWait)
	defer t.Stop()
	select {
	case <-r.done:
	case <-t.C:
	}
}
