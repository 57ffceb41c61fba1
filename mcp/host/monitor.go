package host

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// An attendant sees to it that the tools of a connection are those that the
// server has.
type monitor struct {
	h      *Host
	s      *server
	client *mcp.Client
	params *DialParams
	sub    *mcp.Subscription // nil while there is none

	reopen  time.Time // when to subscribe again; zero: never
	refresh time.Time // when to list the tools again; zero: never

	retryDelay time.Duration // before the list is asked for again if it can't be had
}

// refreshDelay is how long a change of a list is waited for to be followed by
// others, and minTTL and maxTTL bound what servers say of how long a list stays
// good.
const (
	refreshDelay   = 100 * time.Millisecond
	minTTL, maxTTL = 10 * time.Second, time.Hour

	// A server that doesn't agree to a subscription in subscribeTime does
	// without for reopenDelay, and so does one that has ended it.
	subscribeTime = 2 * time.Second
	reopenDelay   = time.Minute
)

// attend returns when the connection or ctx has ended.
func (m *monitor) run(ctx context.Context) {
	for ctx.Err() == nil && m.client.Err() == nil {
		m.wait(ctx)
		now := time.Now()
		if due(m.reopen, now) {
			m.reopen = time.Time{}
			if m.subscribe(ctx); m.sub != nil {
				m.refresh = now // something may have been missed
			}
		}
		if due(m.refresh, now) {
			m.refresh = time.Time{}
			m.scheduleRefresh(m.h.refresh(ctx, m.s, m.client))
		}
	}
}

// end ends the connection.
func (m *monitor) end() {
	if m.sub != nil {
		m.sub.Close()
	}
	_ = m.client.Close() // says only that something of a dead server is stuck
}

// listed has the tools listed again: after an error, each time after a longer
// while, or when the list doesn't stay good any longer and the server doesn't
// tell of changes.
func (m *monitor) scheduleRefresh(err error) {
	switch {
	case err != nil:
		m.refreshAfter(m.retryDelay)
		m.retryDelay = min(2*m.retryDelay, maxTTL)
		return
	case m.sub == nil:
		m.refreshAfter(time.Duration(m.params.ttl.Load()))
	}
	m.retryDelay = minTTL
}

func due(at, now time.Time) bool { return !at.IsZero() && !at.After(now) }

// again has the tools listed after d, if it isn't 0, unless that is to be done
// anyway.
func (m *monitor) refreshAfter(d time.Duration) {
	if d > 0 && m.refresh.IsZero() {
		m.refresh = time.Now().Add(d)
	}
}

// wait waits for a change of the list, which it notes, for a time that has
// come, or for the end.
func (m *monitor) wait(ctx context.Context) {
	next := m.refresh
	if next.IsZero() || !m.reopen.IsZero() && m.reopen.Before(next) {
		next = m.reopen
	}
	if !next.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, next)
		defer cancel()
	}
	if m.sub == nil {
		select {
		case <-m.client.Done():
		case <-ctx.Done():
		}
		return
	}
	_, err := m.sub.Next(ctx)
	switch {
	case err == nil:
		if at := time.Now().Add(refreshDelay); m.refresh.IsZero() || m.refresh.After(at) {
			m.refresh = at
		}
	case ctx.Err() == nil && m.client.Err() == nil:
		m.sub.Close() // the server has ended it
		m.sub, m.reopen = nil, time.Now().Add(reopenDelay)
	}
}

// subscribe asks to be told of changes, if the server does that.
func (m *monitor) subscribe(ctx context.Context) {
	info := m.client.Server()
	list := info.Capabilities.Tools
	if info.Modern() && (list == nil || list.ListChanged == nil || !*list.ListChanged) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, subscribeTime)
	defer cancel()
	sub, err := m.client.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true})
	if err != nil {
		m.reopen = time.Now().Add(reopenDelay)
		return
	}
	m.sub = sub
}

// noteTTL has a look at each list of tools that a client gets, for how long it
// stays good, which ListTools doesn't tell.
func (d *DialParams) noteTTL(next func(context.Context, *mcp.OutgoingCall) (mcp.RawMessage, error)) func(context.Context, *mcp.OutgoingCall) (mcp.RawMessage, error) {
	return func(ctx context.Context, call *mcp.OutgoingCall) (raw mcp.RawMessage, err error) {
		if next != nil {
			raw, err = next(ctx, call)
		} else {
			raw, err = call.Send(ctx)
		}
		if err == nil && call.Method == "tools/list" {
			d.ttl.Store(int64(ttlOf(raw)))
		}
		return raw, err
	}
}

// ttlOf returns how long a list stays good, or 0 when it doesn't say.
func ttlOf(raw mcp.RawMessage) time.Duration {
	ms := int64(0)
	r := wire.NewReader(raw)
	for r.Object(); r.More(); {
		if string(r.Key()) == "ttlMs" && r.Kind() == wire.Number {
			ms = r.Int()
		} else {
			r.Skip()
		}
	}
	if r.End() != nil || ms <= 0 {
		return 0
	}
	return min(max(time.Duration(min(ms, int64(maxTTL/time.Millisecond)))*time.Millisecond, minTTL), maxTTL)
}

// RefreshTools asks a server for its tools now, connecting to it if need be.
func (h *Host) RefreshTools(ctx context.Context, name string) error {
	s, err := h.get(name)
	if err != nil {
		return err
	}
	client, _, err := h.client(ctx, s)
	if err != nil {
		return err
	}
	return h.refresh(ctx, s, client)
}

// refresh lists the tools of a server again. After an error that the list is
// known in part it stays as it was.
func (h *Host) refresh(ctx context.Context, s *server, client *mcp.Client) error {
	h.lock()
	s.listing++
	n := s.listing
	h.unlock()
	tools, err := listTools(ctx, client)
	h.lock()
	defer h.unlock()
	if s.client != client {
		return nil // gone meanwhile
	}
	if err != nil {
		e := connectError(s.name, err, s.params)
		e.Message = "failed to list tools"
		if client.Err() == nil && ctx.Err() == nil {
			h.set(s, s.state, e)
		}
		return e
	}
	if n > s.listed {
		h.install(s, tools, n)
		if s.err != nil {
			h.set(s, s.state, nil)
		}
	}
	return nil
}
