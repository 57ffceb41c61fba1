package host

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Diff is what SetServers did, in the order of names.
type Diff struct {
	Added, Removed, Changed []string

	// Pending are servers that were still being connected when ctx ended.
	Pending []string

	// Errors are why servers could not be connected, or not added. Those that
	// may still come to work are tried again.
	Errors map[string]error

	err error
}

// Err returns an error when no server is of use, or one that is required is
// not. Anything less is for a warning.
func (d *Diff) Err() error { return d.err }

// SetServers makes servers those that the host has. Those that are known stay
// connected unless they are reached in another way now; the others are
// connected, in parallel, and those that are gone are closed. Of several with
// one name the last counts. What servers point to must not be changed any more.
//
// It returns when all that are neither disabled nor lazy are connected or
// could not be. ctx bounds only the waiting.
func (h *Host) SetServers(ctx context.Context, servers []*Server) *Diff {
	wanted := make(map[string]*Server, len(servers))
	for _, s := range servers {
		if s == nil {
			s = &Server{} // an error, as it has no name
		}
		wanted[s.Name] = s
	}
	return h.update(ctx, wanted, func(name string) bool { return wanted[name] == nil })
}

// AddServer adds a server, or changes the one of its name, and waits for it as
// SetServers does. The others stay as they are. The error is an *Error, and
// says that the server is not connected; it is one of the host's all the same,
// unless the error matches ErrTooManyServers or ErrShutdown.
func (h *Host) AddServer(ctx context.Context, s *Server) error {
	if s == nil {
		s = &Server{} // an error, as it has no name
	}
	d := h.update(ctx, map[string]*Server{s.Name: s}, func(string) bool { return false })
	switch {
	case d.Pending != nil:
		return newError(Connection, "TIMEOUT", "not connected in time", s.Name, context.Cause(ctx))
	case d.Errors[s.Name] != nil:
		return d.Errors[s.Name]
	case d.err != nil:
		return newError(Connection, "NOT_CONNECTED", "not added", s.Name, d.err)
	}
	return nil
}

// RemoveServer takes a server out and ends its connection, for which it waits
// no longer than ctx. The error matches ErrUnknownServer when there is none of
// that name.
func (h *Host) RemoveServer(ctx context.Context, name string) error {
	if _, err := h.get(name); err != nil {
		return err
	}
	h.update(ctx, nil, func(s string) bool { return s == name })
	return nil
}

// change adds or changes the servers that are wanted, and removes others.
func (h *Host) update(ctx context.Context, wanted map[string]*Server, gone func(name string) bool) *Diff {
	d := &Diff{Errors: make(map[string]error)}
	h.lock()
	if h.closed {
		h.unlock()
		d.err = ErrShutdown
		return d
	}
	stopped := h.remove(gone, d)
	wait := make(map[string]*server)
	for _, name := range wire.SortedKeys(wanted) {
		if s := h.put(wanted[name], d); s != nil && s.enabled && !s.cfg.Lazy {
			wait[name] = s
		}
	}
	h.publish(nil, "")
	h.unlock()

	var closing sync.WaitGroup
	for _, r := range stopped {
		closing.Go(func() { _ = r.stop(ctx) })
	}
	for _, name := range wire.SortedKeys(wait) {
		if err := h.awaitFirstAttempt(ctx, wait[name]); errors.Is(err, errPending) {
			d.Pending = append(d.Pending, name)
		} else if err != nil {
			d.Errors[name] = err
		}
	}
	closing.Wait()
	d.err = h.startupError(wanted, d)
	return d
}

// remove takes out the servers that are to go, and returns what has to be
// waited for. The caller holds mu.
func (h *Host) remove(gone func(name string) bool, d *Diff) (stopped []*run) {
	for _, s := range h.sorted() {
		if !gone(s.name) {
			continue
		}
		delete(h.servers, s.name)
		h.names.release(s.name, func(string) bool { return false })
		s.removed = true
		s.wake()
		if s.run != nil {
			s.run.cancel()
			stopped = append(stopped, s.run)
		}
		d.Removed = append(d.Removed, s.name)
	}
	return stopped
}

// put adds a server or changes it, and returns it. The caller holds mu.
func (h *Host) put(cfg *Server, d *Diff) *server {
	s := h.servers[cfg.Name]
	if cfg.Name == "" {
		d.Errors[""] = newError(Configuration, "INVALID_CONFIGURATION", "not added", "", errors.New("it has no name"))
		return nil
	}
	if s == nil {
		if h.opts.MaxServers > 0 && len(h.servers) >= h.opts.MaxServers {
			d.Errors[cfg.Name] = newError(Resource, "TOO_MANY_SERVERS", "not added", cfg.Name, ErrTooManyServers)
			return nil
		}
		s = &server{name: cfg.Name, cfg: cfg, enabled: !cfg.Disabled, since: time.Now(), changed: make(chan struct{})}
		h.servers[cfg.Name] = s
		d.Added = append(d.Added, cfg.Name)
		if s.enabled && !cfg.Lazy {
			h.start(s)
		}
		return s
	}
	old := s.cfg
	s.cfg = cfg
	if old.Equal(cfg) {
		return s
	}
	d.Changed = append(d.Changed, cfg.Name)
	if old.Disabled != cfg.Disabled {
		s.enabled = !cfg.Disabled
	}
	if !old.SameConnection(cfg) {
		s.crashes, s.cached = nil, nil
		h.restart(s)
	} else if s.tools = h.selectTools(s); s.run == nil && s.enabled && !cfg.Lazy && s.state != Connected {
		h.start(s)
	}
	s.wake()
	return s
}

var errPending = errors.New("still being connected")

// settle waits until a server is connected or its first attempt has failed.
func (h *Host) awaitFirstAttempt(ctx context.Context, s *server) error {
	for {
		h.lock()
		state, err, changed, over := s.state, s.err, s.changed, s.removed || h.closed
		h.unlock()
		switch {
		case over || state == Connected:
			return nil
		case state != Connecting && err != nil:
			return err
		case state == Disconnected:
			return nil // somebody has disconnected it
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errPending
		}
	}
}

// verdict says whether the program can do with what there is.
func (h *Host) startupError(wanted map[string]*Server, d *Diff) error {
	var failures []error
	tried := 0
	for _, name := range wire.SortedKeys(wanted) {
		s := wanted[name]
		if s.Disabled || s.Lazy {
			continue
		}
		tried++
		if err := d.Errors[name]; err != nil {
			if s.Required {
				return &startError{"a required server failed", []error{err}}
			}
			failures = append(failures, err)
		} else if s.Required && slices.Contains(d.Pending, name) {
			return &startError{"a required server failed", []error{newError(Connection, "TIMEOUT", "not connected in time", name, context.DeadlineExceeded)}}
		}
	}
	if tried > 0 && len(failures) == tried {
		return &startError{"all MCP servers failed", failures}
	}
	return nil
}

// A startError is why a program may not want to go on.
type startError struct {
	what string
	errs []error
}

func (e *startError) Error() string {
	s := e.what
	for i, err := range e.errs {
		if i == 0 {
			s += ": "
		} else {
			s += "; "
		}
		s += err.Error()
	}
	return s
}

func (e *startError) Unwrap() []error { return e.errs }
