package host

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Diff describes what SetServers changed. The lists are sorted.
type Diff struct {
	Added, Removed, Changed []string

	// Pending lists the servers that were still connecting when ctx ended.
	Pending []string

	// Errors holds an *Error for each server that could not be connected or
	// added. The host keeps trying to connect if a retry can help.
	Errors map[string]error

	// Warnings holds an *Error for each connected server whose tools could not be
	// listed.
	Warnings map[string]error

	err error
}

// Err returns an error if all servers failed or a required one did. The program
// should only warn about other failures.
func (d *Diff) Err() error { return d.err }

// SetServers replaces the host's servers. It keeps connections whose settings
// did not change, connects to new and changed servers in parallel, and closes
// the connections to removed ones. The last of several servers with the same
// name takes effect. The Servers must not be modified afterwards.
//
// SetServers returns when each server is connected or its first attempt has
// failed, except for disabled and lazy servers. If ctx ends, it returns
// earlier; connecting continues in the background.
func (h *Host) SetServers(ctx context.Context, servers []*Server) *Diff {
	wanted := make(map[string]*Server, len(servers))
	for _, s := range servers {
		if s == nil {
			s = &Server{} // an error, as it has no name
		}
		wanted[s.Name] = s
	}
	return h.update(ctx, wanted, func(name string) bool { return wanted[name] == nil || wanted[name].Invalid != nil })
}

// AddServer adds a server, or replaces the one with the same name, and waits as
// SetServers does. The error is an *Error. The server is added even if it
// cannot be connected, unless the error matches ErrTooManyServers or
// ErrShutdown or the name is empty.
func (h *Host) AddServer(ctx context.Context, s *Server) error {
	if s == nil {
		s = &Server{} // an error, as it has no name
	}
	d := h.update(ctx, map[string]*Server{s.Name: s}, func(string) bool { return false })
	switch {
	case d.Pending != nil:
		return newError(timedOut, "still not connected", s.Name, context.Cause(ctx))
	case d.Errors[s.Name] != nil:
		return d.Errors[s.Name]
	case d.err != nil:
		return newError(notConnected, "not added", s.Name, d.err)
	}
	return nil
}

// RemoveServer removes a server and waits until its connection is closed or ctx
// ends. The error matches ErrUnknownServer if there is no server with that
// name.
func (h *Host) RemoveServer(ctx context.Context, name string) error {
	if _, err := h.get(name); err != nil {
		return err
	}
	h.update(ctx, nil, func(s string) bool { return s == name })
	return nil
}

// update adds or replaces the wanted servers and removes those for which gone
// returns true.
func (h *Host) update(ctx context.Context, wanted map[string]*Server, gone func(name string) bool) *Diff {
	d := &Diff{Errors: make(map[string]error)}
	known := h.catalogued(wanted)
	h.lock()
	if h.closed {
		h.unlock()
		d.err = ErrShutdown
		return d
	}
	stopped := h.remove(gone, d)
	var wait []*server
	for _, cfg := range inOrder(wanted) {
		if s := h.putServer(cfg, known[cfg.Name], d); s != nil && s.enabled && h.eager(s) {
			wait = append(wait, s)
		}
	}
	h.publish(nil, "")
	h.unlock()

	var closing sync.WaitGroup
	for _, r := range stopped {
		closing.Go(func() { _ = r.stop(ctx) })
	}
	for _, s := range wait {
		name := s.name
		if err := h.awaitFirstAttempt(ctx, s); errors.Is(err, errPending) {
			d.Pending = append(d.Pending, name)
		} else if err != nil {
			d.Errors[name] = err
		} else if err := h.warning(s); err != nil {
			if d.Warnings == nil {
				d.Warnings = make(map[string]error)
			}
			d.Warnings[name] = err
		}
	}
	closing.Wait()
	d.err = h.startupError(wanted, d)
	return d
}

// warning returns the error of a connected server, which is about its list of
// tools, or nil.
func (h *Host) warning(s *server) error {
	h.lock()
	var err error
	if s.state == Connected && s.err != nil { // a nil *Error would be an error
		err = s.err
	}
	h.unlock()
	return err
}

// remove removes servers and returns their runs, which the caller waits for.
// The caller holds mu.
func (h *Host) remove(gone func(name string) bool, d *Diff) (stopped []*run) {
	for _, s := range h.sorted() {
		if !gone(s.name) {
			continue
		}
		delete(h.servers, s.name)
		h.order = nil
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

// putServer adds or replaces a server and returns it. known is what the catalog
// contains about it, or nil. The caller holds mu.
func (h *Host) putServer(cfg *Server, known any, d *Diff) *server {
	s := h.servers[cfg.Name]
	if cfg.Name == "" {
		d.Errors[""] = newError(invalidConfiguration, "not added", "", errors.New("the server has no name"))
		return nil
	}
	if cfg.Invalid != nil {
		d.Errors[cfg.Name] = newError(invalidConfiguration, "not added", cfg.Name, cfg.Invalid)
		return nil
	}
	if s == nil {
		if h.opts.MaxServers > 0 && len(h.servers) >= h.opts.MaxServers {
			d.Errors[cfg.Name] = newError(tooManyServers, "not added", cfg.Name, ErrTooManyServers)
			return nil
		}
		s = &server{name: cfg.Name, cfg: cfg, enabled: !cfg.Disabled, since: time.Now(), changed: make(chan struct{}), turn: make(chan struct{}, 1)}
		h.servers[cfg.Name] = s
		h.order = nil
		d.Added = append(d.Added, cfg.Name)
		h.offer(s, known)
		if s.enabled && h.eager(s) {
			h.start(s)
		}
		return s
	}
	old := s.cfg
	s.cfg = cfg
	if old.Equal(cfg) {
		switch {
		case s.run != nil:
			s.run.check()
		case s.state == Failed && s.enabled && h.eager(s): // the cause may be gone, such as a missing program
			s.crashes = nil
			h.start(s)
		}
		return s
	}
	d.Changed = append(d.Changed, cfg.Name)
	if old.Disabled != cfg.Disabled {
		s.enabled = !cfg.Disabled
	}
	if !old.SameConnection(cfg) {
		s.crashes, s.cached = nil, nil
		s.client, s.params, s.tools, s.defs, s.offered = nil, nil, nil, nil, false
		h.offer(s, known)
		h.restart(s)
	} else if s.tools = h.selectTools(s); s.run == nil && s.enabled && h.eager(s) && s.state != Connected {
		h.start(s)
	}
	s.wake()
	return s
}

// errPending marks a server that is still connecting when ctx ends.
var errPending = errors.New("still connecting")

// awaitFirstAttempt waits until a server is connected or its first attempt has
// failed.
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
			return nil // disconnected by the program
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errPending
		}
	}
}

// inOrder returns servers ordered by name.
func inOrder(servers map[string]*Server) []*Server {
	names := make([]string, 0, len(servers))
	for name := range servers {
		names = append(names, name)
	}
	wire.SortStrings(names)
	list := make([]*Server, len(names))
	for i, name := range names {
		list[i] = servers[name]
	}
	return list
}

// startupError returns the error of Diff.Err.
func (h *Host) startupError(wanted map[string]*Server, d *Diff) error {
	var failures []error
	tried := 0
	for _, s := range inOrder(wanted) {
		if s.Disabled || s.Lazy {
			continue
		}
		tried++
		if err := d.Errors[s.Name]; err != nil {
			if s.Required {
				return &startError{"a required server failed", []error{err}}
			}
			failures = append(failures, err)
		} else if s.Required && slices.Contains(d.Pending, s.Name) {
			return &startError{"a required server failed", []error{newError(timedOut, "still not connected", s.Name, context.DeadlineExceeded)}}
		}
	}
	if tried > 0 && len(failures) == tried {
		return &startError{"all MCP servers failed", failures}
	}
	return nil
}

// A startError combines the errors of servers.
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
