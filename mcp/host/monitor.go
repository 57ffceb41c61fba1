package host

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
)

// A monitor keeps the tools of one connection up to date.
type monitor struct {
	h      *Host
	s      *server
	client *mcp.Client
	params *DialParams

	// The host's mu guards these for other goroutines than that of the monitor.
	sub   *mcp.Subscription // nil if not subscribed
	stale bool              // the server has reported other tools, which are not listed yet

	reopen  time.Time // when to subscribe again; zero means never
	opened  time.Time // when sub was opened
	refresh time.Time // when to list the tools again; zero means never
	listed  time.Time // refreshDelay before a change of the tools may be listed

	// When to report changes of the other lists; zero means never.
	prompts, resources time.Time

	ping   time.Time // when to ping the server; zero means never
	misses int       // consecutive pings without a response
	lost   error     // why the server is unreachable

	relist      retry.Backoff // of list requests after errors
	resubscribe retry.Backoff // of subscriptions, until one lasts
}

// The times of a monitor.
const (
	// refreshDelay is the time in which changes of a list are coalesced. The first
	// change of the tools is listed at once.
	refreshDelay = 100 * time.Millisecond

	// minTTL and maxTTL limit the TTL that servers give a list of tools.
	minTTL, maxTTL = 10 * time.Second, time.Hour

	// subscribeTimeout limits a subscription request. If it fails or the server
	// ends the subscription, the time until the next one doubles from firstReopen
	// to lastReopen. A subscription that lasted for lastReopen resets it.
	subscribeTimeout        = 2 * time.Second
	firstReopen, lastReopen = time.Second, time.Minute
)

// run updates the list of tools until the connection or ctx ends.
func (m *monitor) run(ctx context.Context) {
	for ctx.Err() == nil && m.client.Err() == nil {
		if m.params.live != nil && m.params.live.deaf.Load() {
			m.refreshAfter(cmp.Or(time.Duration(m.params.ttl.Load()), deafTTL))
		}
		m.wait(ctx)
		now := time.Now()
		if live := m.params.live; live != nil {
			if live.ping(ctx, m, now); m.lost != nil {
				return
			}
		}
		if due(m.reopen, now) {
			m.reopen = time.Time{}
			if m.subscribe(ctx); m.sub != nil {
				m.refresh, m.prompts, m.resources = now, now, now // changes may have been missed
			}
		}
		m.report(&m.prompts, now, PromptsChanged)
		m.report(&m.resources, now, ResourcesChanged)
		if due(m.refresh, now) {
			m.refresh = time.Time{}
			m.scheduleRefresh(m.h.refresh(ctx, m.s, m.client))
			m.listed = time.Now().Add(4 * time.Since(now)) // listing takes at most a fifth of the time
			m.setStale(false)
		}
	}
}

// setStale records that the server has reported other tools, or that the host has
// listed them.
func (m *monitor) setStale(stale bool) {
	m.h.mu.Lock()
	if m.stale = stale; !stale {
		m.s.wake()
	}
	m.h.mu.Unlock()
}

// isStaleLocked reports whether the server has reported other tools that are not listed
// yet.
func (m *monitor) isStaleLocked() bool {
	if m == nil || m.sub == nil {
		return m != nil && m.stale
	}
	change, err := m.sub.Peek(past) // before stale, which the monitor sets before it takes the change
	return err == nil && change.Kind == mcp.ToolsChanged || m.stale
}

// past is a context that has ended.
var past = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// report emits an event if it is due.
func (m *monitor) report(at *time.Time, now time.Time, kind EventKind) {
	if due(*at, now) {
		*at = time.Time{}
		m.h.bus.emit(&Event{Kind: kind, Server: m.s.name})
	}
}

// end closes the connection.
func (m *monitor) end() {
	_ = m.h.guard(m.s.name, m.unsubscribe) // may call an Interceptor
	_ = m.client.Close()                   // the error concerns only the remains of the server's process
	_ = m.h.guard(m.s.name, m.params.end)
}

func (m *monitor) unsubscribe() {
	if m.sub != nil {
		m.sub.Close()
	}
}

// scheduleRefresh decides when to list the tools again after a list request.
// After an error, the delay doubles each time. Without a subscription to the tools,
// it is the TTL of the list.
func (m *monitor) scheduleRefresh(err error) {
	switch {
	case err != nil:
		m.refreshAfter(m.relist.Next())
		return
	case m.sub == nil || !m.notifiesTools():
		m.refreshAfter(time.Duration(m.params.ttl.Load()))
	}
	m.relist.Reset()
}

//go:noinline
func due(at, now time.Time) bool { return !at.IsZero() && !at.After(now) }

// refreshAfter schedules a refresh after d, unless d is 0 or one is scheduled.
func (m *monitor) refreshAfter(d time.Duration) {
	if d > 0 && m.refresh.IsZero() {
		m.refresh = time.Now().Add(d)
	}
}

// wait waits until the list changes, which it records, until the next scheduled
// action, or until the connection or ctx ends.
func (m *monitor) wait(ctx context.Context) {
	var next time.Time
	for _, t := range [...]time.Time{m.refresh, m.prompts, m.resources, m.reopen, m.ping} {
		if next.IsZero() || !t.IsZero() && t.Before(next) {
			next = t
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !next.IsZero() {
		defer time.AfterFunc(time.Until(next), cancel).Stop()
	}
	if live := m.params.live; live != nil && live.await(cancel) {
		return
	}
	if m.sub == nil {
		select {
		case <-m.client.Done():
		case <-ctx.Done():
		}
		return
	}
	change, err := m.sub.Peek(ctx)
	switch {
	case err == nil:
		when, from := &m.refresh, time.Now()
		switch change.Kind {
		case mcp.PromptsChanged:
			when = &m.prompts
		case mcp.ResourcesChanged:
			when = &m.resources
		default:
			m.setStale(true)
			from = m.listed
		}
		_, _ = m.sub.Next(ctx) // takes the change
		if at := from.Add(refreshDelay); when.IsZero() || when.After(at) {
			*when = at
		}
	case ctx.Err() == nil && m.client.Err() == nil:
		m.sub.Close() // the server ended it
		m.setSub(nil)
		if errors.Is(err, mcp.ErrNoChanges) {
			break
		}
		if time.Since(m.opened) >= lastReopen {
			m.resubscribe.Reset()
		}
		m.reopen = time.Now().Add(m.resubscribe.Next())
	}
}

// notifiesTools reports whether the server reports changes of its tools, or, in the
// legacy era, may do so.
func (m *monitor) notifiesTools() bool {
	info := m.client.Server()
	list := info.Capabilities.Tools
	return !info.Modern() || list != nil && list.ListChanged != nil && *list.ListChanged
}

// subscribe subscribes to changes of the lists, if the server supports that.
func (m *monitor) subscribe(ctx context.Context) {
	ctx, cancel := retry.WithTimeout(ctx, subscribeTimeout, nil)
	defer cancel()
	sub, err := m.client.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true})
	switch {
	case err == nil:
		m.setSub(sub)
		m.opened = time.Now()
	case !errors.Is(err, mcp.ErrNoChanges):
		m.reopen = time.Now().Add(m.resubscribe.Next())
	}
}

func (m *monitor) setSub(sub *mcp.Subscription) {
	m.h.mu.Lock()
	m.sub = sub
	m.h.mu.Unlock()
}

// recordTTL returns an interceptor that records the TTL of each list of tools,
// which ListTools does not return, and whether the server is alive. The interceptors
// that follow find the server with [ServerOf].
func (d *DialParams) recordTTL(server string) mcp.Interceptor {
	return func(ctx context.Context, call *mcp.OutgoingCall) (raw mcp.RawMessage, err error) {
		if d.live != nil {
			observed := d.live.observe(call)
			defer func() { observed(err) }()
		}
		raw, err = call.Send(settings.ForServer(ctx, server))
		if err == nil && call.Method == "tools/list" {
			d.ttl.Store(int64(ttlOf(raw)))
		}
		return raw, err
	}
}

// ttlOf returns the TTL of a list, or 0 if the server sent none.
func ttlOf(raw mcp.RawMessage) time.Duration {
	r := wire.NewReader(wire.Lookup(raw, "ttlMs"))
	ms := r.Int()
	if r.End() != nil || ms <= 0 {
		return 0
	}
	return min(max(time.Duration(min(ms, int64(maxTTL/time.Millisecond)))*time.Millisecond, minTTL), maxTTL)
}

// refresh lists the tools of a server again. After an error, the known list is
// kept.
func (h *Host) refresh(ctx context.Context, s *server, client *mcp.Client) error {
	h.mu.Lock()
	s.listing++
	n := s.listing
	h.mu.Unlock()
	tools, err := listTools(mcp.WithoutCache(ctx), client)
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.state.client != client {
		return nil // disconnected in the meantime
	}
	if err != nil {
		e := connectError(s.name, err, s.params)
		e.Message = "failed to list tools"
		if client.Err() == nil && ctx.Err() == nil {
			h.enterLocked(s, connState{stage: connected, client: client, err: e})
		}
		return e
	}
	if n > s.listedBy {
		h.publishLocked(h.updateToolsLocked(s, tools, n), s.name)
		h.recordLocked(s)
		if s.state.err != nil {
			h.enterLocked(s, connState{stage: connected, client: client})
		}
	}
	return nil
}

// Refresh connects to the named servers, or to all if none is named, and lists
// their tools again. Changes are reported as events, and in the Diff: Changed
// lists the servers whose tools are different now, and Errors those that could
// not be asked. Disabled servers are left out. With Options.Catalog, the result is
// saved. Refresh asks Options.Parallel servers at a time.
func (h *Host) Refresh(ctx context.Context, names ...string) *Diff {
	d := &Diff{Errors: make(map[string]error)}
	h.mu.Lock()
	for _, s := range h.servers {
		if len(names) == 0 && s.enabled {
			d.Changed = append(d.Changed, s.name)
		}
	}
	h.mu.Unlock()
	if len(names) > 0 {
		d.Changed = slices.Compact(slices.Sorted(slices.Values(names)))
	}
	changed, errs := make([]bool, len(d.Changed)), make([]error, len(d.Changed))
	slots := make(chan struct{}, h.opts.Parallel)
	var group lock.Group
	for i, name := range d.Changed {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			changed[i], errs[i] = h.refreshNamed(ctx, name)
		})
	}
	group.Wait()
	all := d.Changed
	d.Changed = nil
	for i, name := range all {
		if errs[i] != nil {
			d.Errors[name] = errs[i]
		} else if changed[i] {
			d.Changed = append(d.Changed, name)
		}
	}
	if len(all) > 0 && len(d.Errors) == len(all) {
		d.err = &startError{"all MCP servers failed", errs}
	}
	return d
}

// refreshNamed lists the tools of a server, and reports whether they differ from
// those that were known before.
func (h *Host) refreshNamed(ctx context.Context, name string) (changed bool, err error) {
	s, err := h.get(name)
	if err != nil {
		return false, err
	}
	h.mu.Lock()
	before, connected := s.defs, s.state.client
	h.mu.Unlock()
	client, _, err := h.client(ctx, s)
	if err == nil && client == connected { // connecting lists the tools
		err = h.refresh(ctx, s, client)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !slices.Equal(before, s.defs), err
}
