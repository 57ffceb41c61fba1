package host

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/internal/notes"
)

// A Host manages the connections to any number of servers. New creates it; call
// Shutdown when it is no longer needed. All methods may be called concurrently.
type Host struct {
	opts    Options
	ctx     context.Context // canceled by Shutdown
	cancel  context.CancelFunc
	slots   chan struct{} // a semaphore of Options.Parallel connection attempts
	root    *View         // of all servers, with the tools that ToolSearch and ResourceTools have made
	running lock.Group
	bus     eventBus
	snap    atomic.Pointer[Snapshot]
	watches watches
	limiter limiter // of Options.Limits; nil if there are none
	calls   atomic.Int64

	mu      lock.Mutex // guards what follows, and the servers
	servers []*server  // ordered by name
	names   names
	closed  bool

	updating bool // update publishes the tools when it has changed all servers
}

// New returns a host without servers. opts may be nil; New copies it.
func New(opts *Options) *Host {
	h := &Host{
		opts:  opts.withDefaults(),
		names: names{given: make(map[origin]string), origins: make(map[string]origin)},
	}
	h.names.naming = func(server, tool string) (name string) {
		_ = h.guard(server, func() { name = h.opts.Naming(server, tool) })
		return name
	}
	h.root = h.View()
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.slots = make(chan struct{}, h.opts.Parallel)
	notes.Edit.Store(&editNotes)
	h.snap.Store(&Snapshot{replaced: make(chan struct{})})
	if h.opts.Limits != nil {
		h.limiter = h.opts.Limits.newLimiter()
	}
	return h
}

// Format implements fmt.Formatter. It reads no state, so that a Host may be printed
// while it is in use.
func (h *Host) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("host.Host")) }

func (h *Host) get(name string) (*server, error) {
	h.mu.Lock()
	s, err := h.find(name)
	h.mu.Unlock()
	return s, err
}

func (h *Host) find(name string) (*server, error) {
	s := h.serverLocked(name)
	if s == nil && h.closed {
		return nil, newError(notConnected, "not connected", name, ErrShutdown)
	}
	if s == nil {
		return nil, noServer(name)
	}
	return s, nil
}

// at returns the index in servers for a name.
func (h *Host) at(name string) int {
	return sort.Search(len(h.servers), func(i int) bool { return h.servers[i].name >= name })
}

// serverLocked returns the server with the given name, or nil.
func (h *Host) serverLocked(name string) *server {
	if i := h.at(name); i < len(h.servers) && h.servers[i].name == name {
		return h.servers[i]
	}
	return nil
}

// Connect connects to a server and waits until it is connected or ctx ends. Only
// lazy, failed and disconnected servers need it. It tries even if the last attempt
// failed for a lasting reason, except if the server keeps crashing; see Reconnect.
// The error is an *Error.
func (h *Host) Connect(ctx context.Context, name string) error {
	h.mu.Lock()
	if s := h.serverLocked(name); s != nil && s.state.err != nil && s.state.action(false, h.opts.never(s.cfg)) == fail && !errors.Is(s.state.err, ErrCrashLoop) {
		h.enterLocked(s, connState{}) // the program asks for one more attempt
	}
	h.mu.Unlock()
	_, err := h.Client(ctx, name)
	return err
}

// Client returns the client of a server, for requests that Host has no method
// for. It connects to the server if necessary. The client is valid until that
// connection ends. The error is an *Error.
func (h *Host) Client(ctx context.Context, name string) (*mcp.Client, error) {
	s, err := h.get(name)
	if err != nil {
		return nil, err
	}
	client, _, err := h.client(ctx, s)
	return client, err
}

// Disconnect closes the connection to a server and waits until it is closed or ctx
// ends. The host connects again when the server is used. The error is an *Error, or
// the cause of ctx.
func (h *Host) Disconnect(ctx context.Context, name string) error {
	s, err := h.get(name)
	if err != nil {
		return err
	}
	h.mu.Lock()
	r := s.run
	h.mu.Unlock()
	return r.stop(ctx)
}

// Reconnect closes the connection to a server, if there is one, and connects
// again. It resets the crash count. It waits until the server is connected or
// ctx ends. The error is an *Error, or the cause of ctx if ctx ends before the
// earlier connection is closed.
func (h *Host) Reconnect(ctx context.Context, name string) error {
	if err := h.Disconnect(ctx, name); err != nil {
		return err
	}
	h.mu.Lock()
	if s := h.serverLocked(name); s != nil {
		s.crashes = nil
		if s.run == nil && s.state.stage != disconnected {
			h.enterLocked(s, connState{})
		}
	}
	h.mu.Unlock()
	return h.Connect(ctx, name)
}

// SetEnabled shows or hides the tools of a server. A disabled server keeps its
// connection, unlike one whose settings say Disabled. A server without a connection is connected when it is enabled,
// unless it is connected on first use. The error is an *Error.
func (h *Host) SetEnabled(name string, enabled bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.find(name)
	if err != nil || s.enabled == enabled {
		return err
	}
	s.enabled = enabled
	if enabled && s.run == nil && h.eagerLocked(s) && !h.closed {
		h.startLocked(s, h.opts.retries(s.cfg))
	} else {
		s.wake()
		h.announceLocked(s)
	}
	h.publishLocked(nil, s.name)
	return nil
}

// Shutdown closes all connections and waits until all processes and goroutines
// have ended. Child processes are asked to exit, then terminated, then killed.
// If ctx ends first, Shutdown returns its error and the shutdown continues in
// the background.
func (h *Host) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	for _, s := range h.servers {
		if s.retry != nil {
			s.retry.Stop()
		}
		s.wake()
	}
	h.mu.Unlock()
	h.cancel()
	gone := make(chan struct{})
	go func() { // ends with the last connection; closing one takes a few seconds at most
		h.running.Wait()
		h.bus.close()
		if h.limiter != nil {
			h.limiter.close()
		}
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return retry.Cause(ctx)
	}
}
