package proxy

import (
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
)

const (
	// maxNotes is how many lines for the user are shown at once: a server, or a page in a
	// browser, can cause any number.
	maxNotes = 10

	// maxNote limits a line, in bytes: the id of a response can be as long as a message.
	maxNote = 2 << 10

	// countTime is how long further lines are only counted, at first. It doubles up to
	// maxCountTime.
	countTime, maxCountTime = time.Second, time.Minute
)

// Notes shows the user the first lines, and then how many more there were. Its methods may
// be called by several goroutines at once.
type Notes struct {
	Show func(line string)
	Hide func(line string) string // masks secrets, of which a cut would leave a part

	mu    lock.Mutex    // guards what follows
	shown int           // lines that were shown, without a pause
	more  int           // lines that were not shown
	wait  retry.Backoff // until their number is shown
	timer *time.Timer   // nil if there are none
	last  time.Time     // of the latest line
}

// Note shows a line, or counts it.
func (n *Notes) Note(line string) {
	n.mu.Lock()
	now := time.Now()
	if now.Sub(n.last) > maxCountTime && n.more == 0 {
		n.shown, n.wait = 0, retry.Backoff{First: countTime, Max: maxCountTime}
	}
	n.last = now
	if n.shown >= maxNotes {
		if n.more++; n.more == 1 {
			n.timer = time.AfterFunc(n.wait.Next(), n.Flush)
		}
		n.mu.Unlock()
		return
	}
	n.shown++
	n.mu.Unlock()
	n.Show(diag.Cut(n.Hide(line), maxNote))
}

// Flush shows how many lines were not shown.
func (n *Notes) Flush() {
	n.mu.Lock()
	more := n.more
	n.more = 0
	if n.timer != nil {
		n.timer.Stop()
	}
	n.shown = min(n.shown, maxNotes-1) // so that a line about something else can be seen
	n.mu.Unlock()
	if more > 0 {
		n.Show(strconv.Itoa(more) + " more lines like these are not shown")
	}
}
