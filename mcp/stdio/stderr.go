package stdio

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
)

const (
	// maxStderr is how many bytes of a child's standard error are kept.
	maxStderr = 64 << 10

	// writerTimeout is how long Transport.Stderr may hold up a child.
	writerTimeout = time.Second
)

// stderr reads a child's standard error, so that the child never blocks on it, and
// keeps the last maxStderr bytes.
type stderr struct {
	file *output
	done chan struct{} // closed when drain has ended

	mu     lock.Mutex
	stored []byte       // guarded by mu; a ring buffer once it is full
	next   int          // guarded by mu; the next position to write in the ring buffer
	total  atomic.Int64 // bytes that were read
}

// drain reads until the end and copies everything to w, if that is not nil.
func (s *stderr) drain(w io.Writer) {
	defer close(s.done)
	defer s.file.Close()
	var r *relay
	if w != nil {
		r = newRelay(w)
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
	s.total.Add(int64(len(p)))
	n := min(len(p), maxStderr-len(s.stored))
	s.stored = append(s.stored, p[:n]...)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		n = copy(s.stored[s.next:], p)
		s.next = (s.next + n) % maxStderr
	}
	s.mu.Unlock()
}

// String returns the bytes that are kept.
func (s *stderr) String() string {
	s.mu.Lock()
	text := string(s.stored[s.next:]) + string(s.stored[:s.next])
	s.mu.Unlock()
	return text
}

// since returns what is kept of the bytes after the first n.
func (s *stderr) since(n int64) string {
	text := s.String()
	return linesFrom(text, max(0, len(text)-int(s.total.Load()-n)))
}

// linesFrom returns what is kept from a place on, with the beginning of its line, or
// without the line if the beginning is lost: the rest may be the end of a secret.
func linesFrom(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	if from == 0 && len(text) == maxStderr {
		from = wire.IndexAny(text, "\r\n") + 1
		if from == 0 { // the line has no end, either
			return ""
		}
	}
	if at == len(text) {
		return ""
	}
	return text[from:]
}

// close waits for the output of the child, then for drain.
func (s *stderr) close() {
	if !retry.Await(s.done, 2*drainWait) {
		_ = s.file.Close()
		<-s.done
	}
}

// A relay passes data to a writer that may block, and itself blocks for at most
// writerTimeout.
type relay struct {
	chunks  chan []byte
	done    chan struct{} // closed after the last write
	stalled bool          // the writer blocked for writerTimeout
}

func newRelay(w io.Writer) *relay {
	r := &relay{chunks: make(chan []byte, 16), done: make(chan struct{})}
	go r.run(w) // ends after close, unless w blocks forever
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

// close waits for the writer, unless it has stalled.
func (r *relay) close() {
	close(r.chunks)
	if r.stalled {
		return
	}
	retry.Await(r.done, 2*drainWait)
}
