package terminal

import (
	"io"
	"os"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// Serialized returns w for several goroutines.
func Serialized(w io.Writer) io.Writer {
	if _, ok := w.(*os.File); ok {
		return w // is safe already
	}
	return &serialWriter{w: w}
}

type serialWriter struct {
	mu lock.Mutex
	w  io.Writer // guarded by mu
}

func (s *serialWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// maxNotices limits how many notifications the shell prints in a second.
const maxNotices = 50

// Notices prints notifications of the server as they come, but not more than a
// user can see.
type Notices struct {
	print func(line string)

	mu      lock.Mutex // guards what follows
	begun   time.Time  // of the current second
	count   int        // in it
	omitted int
	total   int
	more    chan struct{} // closed and replaced with each notification
}

func NewNotices(print func(string)) *Notices {
	return &Notices{print: print, more: make(chan struct{})}
}

// Add prints a line, unless there were too many.
func (n *Notices) Add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total++
	close(n.more)
	n.more = make(chan struct{})
	if now := time.Now(); now.Sub(n.begun) >= time.Second {
		n.flushLocked()
		n.begun, n.count = now, 0
	}
	if n.count++; n.count > maxNotices {
		n.omitted++
		return
	}
	n.print(line)
}

// Summarize prints how many notifications were omitted.
func (n *Notices) Summarize() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.flushLocked()
}

func (n *Notices) flushLocked() {
	if n.omitted > 0 {
		n.print("… and " + strconv.Itoa(n.omitted) + " more notifications")
	}
	n.omitted = 0
}

// Seen returns how many notifications have come, and a channel that is closed with
// the next one.
func (n *Notices) Seen() (total int, more <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.total, n.more
}
