package host

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Diff describes what SetServers changed. The lists are sorted.
type Diff struct {
	Added, Removed, Changed []string

	// Pending lists the servers that were still connecting when ctx ended.
	Pending []string

	// Errors holds, by name, an *Error for each server that could not be connected
	// or added; see SortedErrors. The host keeps trying to connect if a retry can help.
	Errors map[string]error

	// Warnings holds an *Error for each connected server whose tools could not be
	// listed.
	Warnings map[string]error

	err error
}

// Err returns an error if all servers failed or a required one did. The program
// should only warn about other failures.
func (d *Diff) Err() error { return d.err }

// SortedErrors returns Errors, ordered by the names of the servers.
func (d *Diff) SortedErrors() (errs []error) {
	if d != nil {
		for _, name := range wire.SortedKeys(d.Errors) {
			errs = append(errs, d.Errors[name])
		}
	}
	return errs
}

// SetServers replaces the host's servers. It keeps connections whose settings
// did not change, connects to new and changed servers in parallel, and closes
// the connections to removed ones and to those that are Disabled now. The last of several servers with the same
// name takes effect. The Servers must not be modified afterwards.
//
// SetServers returns when each server is connected or its first attempt has
// failed, except for disabled and lazy servers. If ctx ends, it returns
// earlier; connecting continues in the background.
func (h *Host) SetServers(ctx context.Context, servers []*Server) *Diff {
	wanted := inOrder(servers)
	return h.update(ctx, wanted, func(name string) bool {
		for _, s := range wanted {
			if s.Name == name {
				return s.Invalid != nil
			}
		}
		return true
	})
}

// AddServer adds a server, or replaces the one with the same name, and waits as
// SetServers does. The error is an *Error. The server is added even if it
// cannot be connected, unless the error matches ErrTooManyServers or
// ErrShutdown or the name is empty.
func (h *Host) AddServer(ctx context.Context, s *Server) error {
	if s == nil {
		s = &Server{} // an error, as it has no name
	}
	d := h.update(ctx, []*Server{s}, func(string) bool { return false })
	switch {
	case d.Pending != nil:
		return newError(timedOut, "still not connected", s.Name, retry.Cause(ctx))
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

// inOrder returns servers ordered by name, the last one of each name.
func inOrder(servers []*Server) []*Server {
	list := make([]*Server, 0, len(servers))
	for _, s := range servers {
		if s == nil {
			s = &Server{} // an error, as it has no name
		}
		i := len(list)
		for i > 0 && list[i-1].Name > s.Name {
			i--
		}
		if i > 0 && list[i-1].Name == s.Name {
			list[i-1] = s
			continue
		}
		list = append(list, nil)
		copy(list[i+1:], list[i:])
		list[i] = s
	}
	return list
}

// update adds or replaces the wanted servers, which are in order, and removes those
// for which gone returns true.
func (h *Host) update(ctx context.Context, wanted []*Server, gone func(name string) bool) *Diff {
	d := &Diff{Errors: make(map[string]error)}
	known := h.catalogued(wanted)
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		d.err = ErrShutdown
		return d
	}
	h.updating = true
	stopped := h.removeLocked(gone, d)
	wait := make([]*server, len(wanted)) // nil for those that are not connected now
	for i, cfg := range wanted {
		switch s := h.putServerLocked(cfg, known[i], d); {
		case s == nil:
		case s.enabled && h.eagerLocked(s):
			wait[i] = s
		case !s.enabled && cfg.Disabled && s.run != nil:
			stopped = append(stopped, s.run)
		}
	}
	h.updating = false
	h.publishLocked(nil, "")
	h.mu.Unlock()

	var closing lock.Group
	for _, r := range stopped {
		closing.Go(func() { _ = r.stop(ctx) })
	}
	var required error
	var failures []error
	tried := 0
	for i, cfg := range wanted {
		err := d.Errors[cfg.Name]
		if wait[i] != nil {
			err = h.awaitFirstAttempt(ctx, wait[i], d)
		}
		if cfg.Disabled || cfg.Lazy {
			continue
		}
		if tried++; err != nil && cfg.Required && required == nil {
			required = err
		}
		if d.Errors[cfg.Name] != nil {
			failures = append(failures, err)
		}
	}
	closing.Wait()
	if required != nil {
		d.err = &startError{"a required server failed", []error{required}}
	} else if tried > 0 && len(failures) == tried {
		d.err = &startError{"all MCP servers failed", failures}
	}
	return d
}

// removeLocked removes servers and returns their runs, which the caller waits for.
func (h *Host) removeLocked(gone func(name string) bool, d *Diff) (stopped []*run) {
	kept := make([]*server, 0, len(h.servers))
	for _, s := range h.servers {
		if !gone(s.name) {
			kept = append(kept, s)
			continue
		}
		h.names.release(s.name, func(string) bool { return false })
		s.removed = true
		if moved := h.watches.moved; moved != nil {
			moved(s.cfg, nil)
		}
		s.wake()
		if s.run != nil {
			s.run.cancel()
			stopped = append(stopped, s.run)
		}
		d.Removed = append(d.Removed, s.name)
	}
	h.servers = kept
	return stopped
}

// putServerLocked adds or replaces a server and returns it. known is what the catalog
// contains about it, or nil.
func (h *Host) putServerLocked(cfg *Server, known *listing, d *Diff) *server {
	s, f, err := h.serverLocked(cfg.Name), invalidConfiguration, cfg.Invalid
	if cfg.Name == "" {
		err = errNoName
	} else if s == nil && err == nil && h.opts.MaxServers > 0 && len(h.servers) >= h.opts.MaxServers {
		f, err = tooManyServers, ErrTooManyServers
	}
	if err != nil {
		d.Errors[cfg.Name] = newError(f, "not added", cfg.Name, err)
		return nil
	}
	if s == nil {
		s = &server{name: cfg.Name, cfg: cfg, enabled: !cfg.Disabled, since: time.Now(), changed: make(chan struct{}), turn: make(chan struct{}, 1)}
		at := h.at(s.name)
		h.servers = append(h.servers, nil)
		copy(h.servers[at+1:], h.servers[at:])
		h.servers[at] = s
		d.Added = append(d.Added, cfg.Name)
		h.offerLocked(s, known)
		if s.enabled && h.eagerLocked(s) {
			h.startLocked(s, h.opts.retries(cfg))
		}
		return s
	}
	old := s.cfg
	s.cfg = cfg
	if old.Equal(cfg) {
		switch {
		case s.run != nil:
			s.run.check()
		case s.state.State() == Failed && s.enabled && h.eagerLocked(s): // the cause may be gone, such as a missing program
			s.crashes = nil
			h.startLocked(s, h.opts.retries(cfg))
		}
		return s
	}
	d.Changed = append(d.Changed, cfg.Name)
	if old.Disabled != cfg.Disabled {
		s.enabled = !cfg.Disabled
	}
	if !sameConnection(old, cfg) {
		if moved := h.watches.moved; moved != nil {
			moved(old, cfg)
		}
		s.crashes, s.cached = nil, nil
		s.params, s.tools, s.defs, s.lastDefs, s.info, s.known, s.offered = nil, nil, nil, nil, nil, nil, false
		if s.state.client != nil {
			h.enterLocked(s, connState{stage: closing, err: s.state.err})
		}
		h.offerLocked(s, known)
		h.restartLocked(s)
	} else if s.tools = h.selectTools(s); s.run == nil && s.enabled && h.eagerLocked(s) {
		h.startLocked(s, h.opts.retries(cfg))
	}
	s.wake()
	return s
}

// sameConnection reports whether b can use a connection that was made for a: they
// differ at most in what the host reads at each use. Disabled closes a connection,
// unlike [Host.SetEnabled].
func sameConnection(a, b *Server) bool {
	c := *b
	c.Name, c.Scope, c.Title, c.Description, c.Extra, c.Invalid = a.Name, a.Scope, a.Title, a.Description, a.Extra, a.Invalid
	c.Required, c.Lazy, c.Serial, c.Deferred = a.Required, a.Lazy, a.Serial, a.Deferred
	c.MaxRetries, c.MaxResultText, c.Tools, c.AutoApprove, c.Overrides = a.MaxRetries, a.MaxResultText, a.Tools, a.AutoApprove, a.Overrides
	return a.Equal(&c)
}

var errNoName = errors.New("the server has no name")

// awaitFirstAttempt waits until a server is connected or its first attempt has
// failed, and adds that to d. The error says why the server cannot be used yet.
func (h *Host) awaitFirstAttempt(ctx context.Context, s *server, d *Diff) error {
	for {
		h.mu.Lock()
		state, changed, over := s.state.State(), s.changed, s.removed || h.closed
		var err error // a nil *Error would be an error
		if s.state.err != nil {
			err = s.state.err
		}
		h.mu.Unlock()
		switch {
		case over:
			return nil
		case state == Connected:
			if err != nil { // about the list of tools
				if d.Warnings == nil {
					d.Warnings = make(map[string]error)
				}
				d.Warnings[s.name] = err
			}
			return nil
		case state != Connecting && err != nil:
			d.Errors[s.name] = err
			return err
		case state == Disconnected:
			return nil // disconnected by the program
		}
		select {
		case <-changed:
		case <-ctx.Done():
			d.Pending = append(d.Pending, s.name)
			return newError(timedOut, "still not connected", s.name, context.DeadlineExceeded)
		}
	}
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
