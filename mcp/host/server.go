package host

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// A State is how far a server is from being of use.
type State uint8

// The states.
const (
	Disconnected State = iota // not asked for yet, or not any more
	Connecting
	Connected
	Reconnecting // the connection ended, or could not be made, and is to be made again
	Failed       // given up, until somebody asks for it
	NeedsAuth    // the same, for want of authorization
)

func (s State) String() string {
	return [...]string{"disconnected", "connecting", "connected", "reconnecting", "error", "needs-auth"}[min(s, NeedsAuth)]
}

// A server is what the host has of one. The host's mu guards all below it.
type server struct {
	name    string
	metrics metrics
	stderr  tail

	cfg     *Server
	enabled bool
	removed bool
	run     *run // connects and attends to the connection; nil when nothing does

	state    State
	err      *Error // why it is in its state, or what it can't do
	since    time.Time
	attempts int           // to connect again, since the connection ended
	changed  chan struct{} // closed and replaced when state, enabled or removed change

	client  *mcp.Client // nil unless connected
	params  *DialParams // what client was made from
	info    *mcp.ServerInfo
	cached  *mcp.ServerInfo // info if the server is a legacy one: the next connection needs no probe
	crashes []time.Time     // the last ones

	tools    []*Tool // what client lists, as far as it is not filtered out
	defs     []*mcp.Tool
	lastDefs map[string]*mcp.Tool // the definitions seen last, whatever became of the connection
	listing  int                  // numbers the times the list was asked for
	listed   int                  // the number of the one that tools are from
}

// A run is the goroutine that connects to a server and attends to it.
type run struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
}

// stop ends a run, and waits for that no longer than ctx.
func (r *run) stop(ctx context.Context) error {
	if r == nil {
		return nil
	}
	r.cancel()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// set changes the state. The caller holds the host's mu.
func (h *Host) set(s *server, state State, err *Error) {
	if err != nil {
		s.metrics.failed(err)
	}
	s.err = err
	if s.state != state {
		s.state, s.since = state, time.Now()
	}
	s.wake()
	e := Event{Kind: StateChanged, Server: s.name, State: state}
	if err != nil {
		e.Err = err
	}
	h.bus.emit(&e)
	if state == NeedsAuth {
		h.bus.emit(&Event{Kind: AuthNeeded, Server: s.name, State: state, Err: err})
	}
}

// wake lets those look again who wait for a change.
//
//go:noinline
func (s *server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// crashed counts a crash, and reports whether it is one too many.
func (s *server) crashed(r *Retry) bool {
	s.metrics.count(&s.metrics.m.Crashes)
	now := time.Now()
	s.crashes = append(s.crashes, now)
	for r.Window >= 0 && now.Sub(s.crashes[0]) > r.Window {
		s.crashes = s.crashes[1:]
	}
	return len(s.crashes) >= r.Crashes
}

// keptLines is how much of a server's standard error is kept for its status.
const maxTail = 4 << 10

// A tail takes a server's standard error, tells its lines and keeps the last.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// A tailWriter is what one process writes to.
type tailWriter struct {
	*tail
	onLine func(line string)
	line   []byte // not ended yet
}

// maxLine is the length at which a line is told in pieces.
const maxLine = 4 << 10

func (w *tailWriter) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != '\n' {
			w.line = append(w.line, c)
		}
		if c == '\n' || len(w.line) == maxLine {
			w.onLine(string(w.line))
			w.line = w.line[:0]
		}
	}
	return len(p), nil
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(append(t.text, line...), '\n')
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
