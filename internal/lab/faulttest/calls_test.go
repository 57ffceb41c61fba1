package faulttest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A callTracker sits between a client and its transport. It checks that each
// call has exactly one outcome and an id of its own.
type callTracker struct {
	mu     sync.Mutex
	open   int      // calls without an outcome
	closed int      // calls with one
	errors []string // what is wrong
}

// wrap returns a transport like t whose calls are tracked.
func (c *callTracker) wrap(t mcp.Transport) mcp.Transport {
	return hookedTransport{t, noHook, func(conn jsonrpc.Conn) jsonrpc.Conn {
		n := &trackedConn{Conn: conn, features: *conn.Features(), calls: c, ids: make(map[string]bool)}
		if n.features.Owner == conn {
			n.features.Owner = n // which keeps no results
		}
		return n
	}}
}

type trackedConn struct {
	jsonrpc.Conn
	features jsonrpc.Features
	calls    *callTracker
	ids      map[string]bool // of the pending calls; guarded by calls.mu
}

func (n *trackedConn) Features() *jsonrpc.Features { return &n.features }

func (n *trackedConn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	c := n.calls
	id, started, own := "", req.Started, *req
	own.Started = func(given jsonrpc.ID) {
		id = given.String()
		c.mu.Lock()
		c.open++
		if n.ids[id] {
			c.errors = append(c.errors, "two pending calls have the id "+id)
		}
		n.ids[id] = true
		c.mu.Unlock()
		if started != nil {
			started(given)
		}
	}
	raw, err := n.Conn.Call(ctx, &own)
	c.mu.Lock()
	defer c.mu.Unlock()
	if (raw == nil) == (err == nil) {
		c.errors = append(c.errors, fmt.Sprintf("%s ended with %q beside %v", req.Method, raw, err))
	}
	if id != "" {
		c.open--
		c.closed++
		delete(n.ids, id)
	}
	return raw, err
}

// problems returns what is wrong when all calls should have ended.
func (c *callTracker) problems() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.errors
	if c.open != 0 {
		list = append(list, fmt.Sprintf("%d calls have no outcome", c.open))
	}
	return list
}

// counts returns how many calls are pending and how many have ended.
func (c *callTracker) counts() (open, closed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open, c.closed
}

// A dropLog records what a client reports to Options.Dropped.
type dropLog struct {
	mu      sync.Mutex
	reasons []error // at most 1000
	n       int
}

func (d *dropLog) dropped(reason error, _ []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.n++; len(d.reasons) < 1000 {
		d.reasons = append(d.reasons, reason)
	}
}

func (d *dropLog) panicked(value any, _ []byte) { d.dropped(fmt.Errorf("panic: %v", value), nil) }

func (d *dropLog) all() []error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reasons[:len(d.reasons):len(d.reasons)]
}

// shows reports whether one of the reasons matches.
func (d *dropLog) shows(m matcher) bool { return slices.ContainsFunc(d.all(), m.in) }

func (d *dropLog) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}
