package main

import (
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lineedit"
)

// A promptWriter writes to the terminal above the line that is being edited.
type promptWriter struct {
	editor *lineedit.Editor
	file   *os.File
}

func (w *promptWriter) Write(p []byte) (int, error) {
	w.editor.Print(string(p))
	return len(p), nil
}

// serialized returns w for several goroutines.
func serialized(w io.Writer) io.Writer {
	if _, ok := w.(*os.File); ok {
		return w // is safe already
	}
	return &serialWriter{w: w}
}

type serialWriter struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (s *serialWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// maxNotices limits how many notifications the shell prints in a second.
const maxNotices = 50

// notices prints notifications of the server as they come, but not more than a
// user can see.
type notices struct {
	print func(line string)

	mu      sync.Mutex // guards what follows
	begun   time.Time  // of the current second
	count   int        // in it
	omitted int
	total   int
	more    chan struct{} // closed and replaced with each notification
}

func newNotices(print func(string)) *notices {
	return &notices{print: print, more: make(chan struct{})}
}

// add prints a line, unless there were too many.
func (n *notices) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total++
	close(n.more)
	n.more = make(chan struct{})
	if now := time.Now(); now.Sub(n.begun) >= time.Second {
		n.flush()
		n.begun, n.count = now, 0
	}
	if n.count++; n.count > maxNotices {
		n.omitted++
		return
	}
	n.print(line)
}

// summarize prints how many notifications were omitted.
func (n *notices) summarize() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.flush()
}

// flush is called with mu held.
func (n *notices) flush() {
	if n.omitted > 0 {
		n.print("… and " + strconv.Itoa(n.omitted) + " more notifications")
	}
	n.omitted = 0
}

// seen returns how many notifications have come, and a channel that is closed with
// the next one.
func (n *notices) seen() (total int, more <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.total, n.more
}
