package host

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp"
)

// A State is the state of the connection to a server.
type State uint8

// The states.
const (
	Disconnected State = iota // not requested yet, or disconnected by the program
	Connecting
	Connected
	Reconnecting // waiting to connect again after a failure
	Failed       // given up until the program or a call asks for it
	NeedsAuth    // given up because the user must authorize the program
)

func (s State) String() string {
	return [...]string{"disconnected", "connecting", "connected", "reconnecting", "error", "needs-auth"}[min(s, NeedsAuth)]
}

// A server is the host's record of one server. The host's mu guards the fields
// after stderr.
type server struct {
	name    string
	metrics metrics
	stderr  tail
	turn    chan struct{} // a semaphore of one call; for the setting Serial

	cfg     *Server
	enabled bool
	removed bool
	run     *run // the supervising goroutine; nil if there is none

	state    State
	err      *Error // the reason for state, or a failure to list the tools
	since    time.Time
	attempts int           // failed attempts since the connection ended
	away     bool          // a server at a URL is unreachable for so long that calls do not wait
	retry    *time.Timer   // of retryFailed; may be nil
	changed  chan struct{} // closed and replaced when state, enabled or removed change

	client  *mcp.Client // nil unless connected
	params  *DialParams // what client was connected with
	info    *mcp.ServerInfo
	cached  *mcp.ServerInfo // the era of the last connection, for the next one; see remember
	crashes []time.Time     // the latest ones

	// The latest list, also without a connection. Models see the tools only while
	// there is a client or offered is set.
	tools    []*Tool              // those that are not filtered out
	defs     []*mcp.Tool          // all
	lastDefs map[string]*mcp.Tool // defs by name
	offered  bool                 // the list is the catalog's, and nothing has failed since

	catalogued *mcp.Client       // the client that known is from
	known      any               // a *listing with resources and prompts; nil without a catalog
	pins       map[string]string // definitions of tools to compare later ones with
	pinBytes   int               // the length of pins
	listing    int               // number of list requests
	listedBy   int               // number of the list request that tools are from
}

// A run is the goroutine that supervises a server.
type run struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended
	now    chan struct{} // wakes a sleeping goroutine; buffered
	outage outage        // of a server at a URL; only the goroutine uses it
}

// stop ends a run and waits until it has ended or ctx ends.
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

// setState sets the state of a server and emits an event. The caller holds mu.
func (h *Host) setState(s *server, state State, err *Error) {
	if err != nil {
		s.metrics.failed(err)
	}
	s.err = err
	s.away = s.away && state == Reconnecting
	if s.retry != nil {
		s.retry.Stop()
	}
	if s.state != state {
		s.state, s.since = state, time.Now()
	}
	s.wake()
	e := Event{Kind: StateChanged, Server: s.name, State: state, Attempts: s.attempts}
	if err != nil {
		e.Err = err
	}
	h.bus.emit(&e)
	if s.offered && state != Disconnected && state != Connecting {
		s.offered = false
		h.publish(nil, s.name)
	}
	if state == NeedsAuth {
		h.bus.emit(&Event{Kind: AuthNeeded, Server: s.name, State: state, Err: err})
	}
}

// listed reports whether models may see the tools of a server. The caller holds
// mu.
func (s *server) listed() bool { return s.enabled && (s.client != nil || s.offered) }

// wake wakes all goroutines that wait for a change.
//
//go:noinline
func (s *server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// remember keeps the era of a connection for the next one. A modern server at a
// URL is probed again, because its response shows that it is reachable. The
// caller holds mu.
func (s *server) remember(client *mcp.Client, d *DialParams) {
	s.cached = client.CachedServer()
	if s.cached.Modern() && d.URL != "" {
		s.cached = nil
	}
}

// addCrash records a crash and reports whether it was one too many.
func (s *server) addCrash(r *Retry) bool {
	s.metrics.count(&s.metrics.m.Crashes)
	now := time.Now()
	s.crashes = append(s.crashes, now)
	for r.Window >= 0 && now.Sub(s.crashes[0]) > r.Window {
		s.crashes = s.crashes[1:]
	}
	return len(s.crashes) >= r.Crashes
}

// maxTail is the number of bytes of standard error that a status contains.
const maxTail = 4 << 10

// A tail stores the end of a server's standard error.
type tail struct {
	mu   lock.Mutex
	text []byte
}

// A tailWriter receives the standard error of one process and splits it into
// lines.
type tailWriter struct {
	onLine func(line string)
	line   []byte // the current, unfinished line
}

// maxLine is the length at which a longer line is split.
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
	t.text = append(append(t.text, line...), '\n')
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	t.mu.Unlock()
}

func (t *tail) String() string {
	t.mu.Lock()
	text := string(t.text)
	t.mu.Unlock()
	return text
}
