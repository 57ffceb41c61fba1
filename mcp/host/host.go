package host

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Host has the connections to any number of servers. New makes one, and
// Shutdown must be called when it is no longer needed. All methods may be used
// concurrently.
type Host struct {
	opts    Options
	ctx     context.Context // lives until Shutdown
	cancel  context.CancelFunc
	slots   chan struct{} // full when Options.Parallel servers are being connected
	running sync.WaitGroup
	bus     eventBus
	snap    atomic.Pointer[Snapshot]
	watches watches

	mu      sync.Mutex // guards what follows, and the servers
	servers map[string]*server
	names   names
	closed  bool
}

// New returns a host without servers.
func New(opts *Options) *Host {
	h := &Host{
		opts:    opts.withDefaults(),
		servers: make(map[string]*server),
		names:   names{0, make(map[origin]string), make(map[string]origin)},
	}
	h.names.naming = h.opts.Naming
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.slots = make(chan struct{}, h.opts.Parallel)
	h.bus.callback, h.bus.queue.Max = h.opts.Event, maxQueued
	h.snap.Store(&Snapshot{})
	return h
}

// lock and unlock are out of line: the host has many places for them, which
// would take as much room as all that is done there.
//
//go:noinline
func (h *Host) lock() { h.mu.Lock() }

//go:noinline
func (h *Host) unlock() { h.mu.Unlock() }

// get returns a server by its name.
func (h *Host) get(name string) (*server, error) {
	h.lock()
	defer h.unlock()
	return h.find(name)
}

func (h *Host) find(name string) (*server, error) {
	s := h.servers[name]
	if s == nil {
		return nil, newError(Configuration, "UNKNOWN_SERVER", "not found", name, ErrUnknownServer)
	}
	return s, nil
}

// sorted returns the servers in the order of their names. The caller holds mu.
func (h *Host) sorted() []*server {
	list := make([]*server, 0, len(h.servers))
	for _, name := range wire.SortedKeys(h.servers) {
		list = append(list, h.servers[name])
	}
	return list
}

// Connect connects to a server, which is needed for those that are lazy or
// failed, and waits for it no longer than ctx. The error is an *Error.
func (h *Host) Connect(ctx context.Context, name string) error {
	_, err := h.Client(ctx, name)
	return err
}

// Client returns the client of a server for what a host has no method for. It
// connects to the server if need be, and ends with that connection.
func (h *Host) Client(ctx context.Context, name string) (*mcp.Client, error) {
	s, err := h.get(name)
	if err != nil {
		return nil, err
	}
	client, _, err := h.client(ctx, s)
	return client, err
}

// Disconnect ends the connection to a server, which stays known. It is
// connected again when it is used.
func (h *Host) Disconnect(ctx context.Context, name string) error {
	s, err := h.get(name)
	if err != nil {
		return err
	}
	h.lock()
	r := s.run
	h.unlock()
	return r.stop(ctx)
}

// Reconnect ends the connection to a server, if there is one, and makes
// another. Crashes so far are forgotten. It waits no longer than ctx.
func (h *Host) Reconnect(ctx context.Context, name string) error {
	if err := h.Disconnect(ctx, name); err != nil {
		return err
	}
	h.lock()
	if s := h.servers[name]; s != nil {
		s.crashes, s.attempts = nil, 0
		if s.run == nil && s.state != Disconnected {
			h.set(s, Disconnected, nil) // whatever it was that it failed for
		}
	}
	h.unlock()
	return h.Connect(ctx, name)
}

// SetEnabled hides the tools of a server, or shows them again. A server that is
// disabled keeps its connection; one that has none is connected when it is
// enabled, unless it is lazy.
func (h *Host) SetEnabled(name string, enabled bool) error {
	h.lock()
	defer h.unlock()
	s, err := h.find(name)
	if err != nil || s.enabled == enabled {
		return err
	}
	s.enabled = enabled
	if enabled && s.run == nil && !s.cfg.Lazy && !h.closed {
		h.start(s)
	} else {
		h.set(s, s.state, s.err)
	}
	h.publish(nil, s.name)
	return nil
}

// Shutdown ends all connections and returns when nothing is left of them:
// programs are asked to exit, then told, then killed. The error says that ctx
// ended first; the rest goes on without it.
func (h *Host) Shutdown(ctx context.Context) error {
	h.lock()
	h.closed = true
	for _, s := range h.servers {
		s.wake()
	}
	h.unlock()
	h.cancel()
	gone := make(chan struct{})
	go func() { // ends with the last connection, each of which ends in a few seconds
		h.running.Wait()
		h.bus.close()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
