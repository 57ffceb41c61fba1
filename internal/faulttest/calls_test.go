package faulttest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A ledger is kept between the client and its transport. It notes every call
// that goes through, and that each has one outcome.
type callTracker struct {
	mu       sync.Mutex
	open     int      // calls without an outcome
	closed   int      // calls with one
	problems []string // what must not be
}

// keep returns a transport like t whose connections are noted.
func (l *callTracker) wrap(t mcp.Transport) mcp.Transport { return trackedTransport{t, l} }

type trackedTransport struct {
	mcp.Transport
	callTracker *callTracker
}

func (k trackedTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	conn, err := k.Transport.Open(ctx, h)
	if err != nil {
		return nil, err
	}
	return &trackedConn{conn, k.callTracker, make(map[string]bool)}, nil
}

// noted is a connection whose calls are noted.
type trackedConn struct {
	jsonrpc.Conn
	callTracker *callTracker
	ids         map[string]bool // of the calls under way; guarded by the ledger's mu
}

func (n *trackedConn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	l := n.callTracker
	id, started, own := "", req.Started, *req
	own.Started = func(given jsonrpc.ID) {
		id = given.String()
		l.mu.Lock()
		l.open++
		if n.ids[id] {
			l.problems = append(l.problems, "the id "+id+" is used by two calls at once")
		}
		n.ids[id] = true
		l.mu.Unlock()
		if started != nil {
			started(given)
		}
	}
	raw, err := n.Conn.Call(ctx, &own)
	l.mu.Lock()
	defer l.mu.Unlock()
	if (raw == nil) == (err == nil) {
		l.problems = append(l.problems, fmt.Sprintf("%s ended with %q beside %v", req.Method, raw, err))
	}
	if id != "" {
		l.open--
		l.closed++
		delete(n.ids, id)
	}
	return raw, err
}

// What some connections do beside being one is passed on.

func (n *trackedConn) AcceptBatches() {
	if b, ok := n.Conn.(mcp.BatchReader); ok {
		b.AcceptBatches()
	}
}

func (n *trackedConn) BindArguments(name string, schema jsonrpc.RawMessage) error {
	if b, ok := n.Conn.(mcp.ArgumentBinder); ok {
		return b.BindArguments(name, schema)
	}
	return nil
}

// balance returns what is wrong when all calls should have ended.
func (l *callTracker) balance() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.problems
	if l.open != 0 {
		list = append(list, fmt.Sprintf("%d calls have no outcome", l.open))
	}
	return list
}

// counts returns how many calls have no outcome, and how many have one.
func (l *callTracker) counts() (open, closed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open, l.closed
}

// A journal notes what a client reports as dropped: what, and how often.
type dropLog struct {
	mu      sync.Mutex
	reasons []error
	n       int
}

func (j *dropLog) panicked(value any, _ []byte) { j.dropped(fmt.Errorf("panic: %v", value), nil) }

func (j *dropLog) dropped(reason error, _ []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.n++; len(j.reasons) < 1000 {
		j.reasons = append(j.reasons, reason)
	}
}

// all returns the reasons.
func (j *dropLog) all() []error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.reasons[:len(j.reasons):len(j.reasons)]
}

// shows reports whether one of the reasons has the cue.
func (j *dropLog) shows(c matcher) bool { return slices.ContainsFunc(j.all(), c.in) }

func (j *dropLog) count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.n
}
