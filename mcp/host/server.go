package host

import (
	"errors"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/internal/notes"
)

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

	state   connState     // see enterLocked
	since   time.Time     // when state.State changed
	run     *run          // the goroutine that supervises the server; nil if state needs none
	retry   *time.Timer   // of retryFailedLocked; may be nil
	changed chan struct{} // closed and replaced when state, enabled or removed change

	params  *DialParams     // of the last connection
	monitor *monitor        // of the last connection
	info    *mcp.ServerInfo // of the last connection, or the catalog's
	cached  *mcp.ServerInfo // the era of the last connection, for the next one; see rememberLocked
	deaths  int             // how often in a row the server ended on server/discover
	crashes []time.Time     // the latest ones

	toolList
	pins       notes.Set   // definitions of tools to compare later ones with, and notes
	catalogued *mcp.Client // the client that known is from
	known      *listing    // with resources and prompts; nil without a catalog
}

// A toolList is the latest list of a server's tools, also without a connection.
type toolList struct {
	tools    []*Tool              // those that are not filtered out
	defs     []*mcp.Tool          // all
	lastDefs map[string]*mcp.Tool // defs by name
	offered  bool                 // the list is the catalog's, and nothing has failed since: models see it without a client
	listing  int                  // number of list requests
	listedBy int                  // number of the list request that tools are from

	unmatched string // what reportUnmatched has reported
}

// listedLocked reports whether models may see the tools of a server.
func (s *server) listedLocked() bool { return s.enabled && (s.state.client != nil || s.offered) }

// wake wakes all goroutines that wait for a change.
func (s *server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// rememberLocked keeps the era of a connection for the next one. A modern server at a
// URL is probed again, because its response shows that it is reachable.
func (s *server) rememberLocked(client *mcp.Client, d *DialParams) {
	s.cached, s.deaths = client.CachedServer(), 0
	if s.cached.Modern() && d.URL != "" {
		s.cached = nil
	}
}

// A State is the state of the connection to a server.
type State uint8

// The states.
const (
	Disconnected State = iota // not requested yet, or disconnected by the program
	Connecting
	Connected
	Reconnecting // after a failure: waiting for another attempt, or making it
	Failed       // given up until the program or a call asks for it
	NeedsAuth    // given up because the user must authorize the program
)

// String returns the state as one word, or the number of an unknown state.
func (s State) String() string {
	words := [...]string{"disconnected", "connecting", "connected", "reconnecting", "failed", "needs-auth"}
	if int(s) >= len(words) {
		return "State(" + strconv.Itoa(int(s)) + ")"
	}
	return words[s]
}

// A stage is a State, or a part of one in which calls do something else.
type stage uint8

const (
	disconnected stage = iota
	connecting
	connected
	closing     // the connection has ended, and the host closes what is left of it
	retrying    // waits for the next attempt, which a call does not bring forward, or makes it
	checking    // waits for the next check of a server at a URL, which a call brings forward, or makes it
	unreachable // checking for so long that a call waits for one check only
	failed      // given up; a call makes one more attempt, unless it has no retries at all
	blocked     // given up for a reason that another attempt does not change
	needsAuth
)

// A callAction is what a call does that needs a connection.
type callAction uint8

const (
	wait      callAction = iota // for the next state
	use                         // the client
	connect                     // and wait
	tryOnce                     // connect without retries, and wait
	check                       // bring the next check forward, and wait
	checkOnce                   // check, and fail if that was unsuccessful
	fail                        // with the error of the state
)

// stages has what programs see in each stage, and what a call does that arrives, and
// one that has waited.
var stages = [...]struct {
	state           State
	arrives, waited callAction
}{
	disconnected: {Disconnected, connect, fail},
	connecting:   {Connecting, wait, wait},
	connected:    {Connected, use, use},
	closing:      {Connected, wait, wait},
	retrying:     {Reconnecting, wait, wait},
	checking:     {Reconnecting, check, check},
	unreachable:  {Reconnecting, checkOnce, checkOnce},
	failed:       {Failed, tryOnce, fail},
	blocked:      {Failed, fail, fail},
	needsAuth:    {NeedsAuth, fail, fail},
}

// A connState is the state of a server's connection. It is a value: enterLocked replaces it.
type connState struct {
	stage
	client   *mcp.Client // set if connected
	err      *Error      // the reason for the stage, or a failure to list the tools
	attempts int         // failed attempts since the connection ended
}

// State returns the state that programs see.
func (c *connState) State() State { return stages[c.stage].state }

// action returns what a call does. never says that the host must not connect again
// by itself.
func (c *connState) action(waited, never bool) callAction {
	at := c.stage
	switch {
	case at == connected && c.client.Err() != nil: // which its monitor does not know yet
		at = closing
	case at == failed && never:
		at = blocked
	}
	if waited {
		return stages[at].waited
	}
	return stages[at].arrives
}

// gaveUp returns the state after an attempt, unless the host makes another one.
func gaveUp(err *Error, attempts int) connState {
	next := connState{stage: failed, err: err, attempts: attempts}
	switch {
	case err.Category == CategoryAuthentication:
		next.stage = needsAuth
	case err.Code == invalidConfiguration.code || errors.Is(err, ErrCrashLoop):
		next.stage = blocked
	}
	return next
}

// enterLocked makes a transition of a server: it replaces the state, shows or hides the
// tools, and emits the event. changed are the tools that a new connection has in other
// definitions.
func (h *Host) enterLocked(s *server, next connState, changed ...ToolChange) {
	was, state := s.state, next.State()
	s.state = next
	hide := s.offered && next.stage > connecting
	s.offered = s.offered && !hide
	if state != was.State() {
		s.since = time.Now()
	}
	if s.retry != nil {
		s.retry.Stop()
	}
	s.wake()
	if next.client != was.client || hide {
		h.publishLocked(changed, s.name)
	}
	if next.err != nil && next.err != was.err {
		s.metrics.failed(next.err)
	}
	if next.stage == closing || was.isOutage() && next.isOutage() && next.err.Error() == was.err.Error() {
		return // no change for programs; an outage can be long
	}
	h.announceLocked(s)
	if state == Failed {
		h.retryFailedLocked(s)
	}
}

// announceLocked emits an event about the state of a server.
func (h *Host) announceLocked(s *server) {
	e := Event{Kind: StateChanged, Server: s.name, State: s.state.State(), Attempts: s.state.attempts}
	if s.state.err != nil {
		e.Err = s.state.err
	}
	h.bus.emit(&e)
	if s.state.stage == needsAuth {
		e.Kind, e.Attempts = AuthNeeded, 0
		h.bus.emit(&e)
	}
}

// isOutage reports whether a server at a URL is unreachable.
func (c *connState) isOutage() bool { return c.stage == checking || c.stage == unreachable }

// supervised reports whether a goroutine supervises the server.
func (c *connState) supervised() bool { return connecting <= c.stage && c.stage <= unreachable }

// retryFailedLocked tries a server again that the host has given up, after failedDelay.
func (h *Host) retryFailedLocked(s *server) {
	if h.opts.never(s.cfg) || s.cfg.Lazy || s.state.err.Code == invalidConfiguration.code {
		return
	}
	s.retry = time.AfterFunc(failedDelay, func() {
		h.mu.Lock()
		if s.state.State() == Failed && s.enabled && !s.removed && !h.closed {
			h.startLocked(s, 0)
		}
		h.mu.Unlock()
	})
}
