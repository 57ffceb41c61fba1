package host

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// An attendant sees to it that the tools of a connection are those that the
// server has.
type attendant struct {
	h      *Host
	s      *server
	client *mcp.Client
	dial   *DialParams
	sub    *mcp.Subscription // nil while there is none

	reopen  time.Time // when to subscribe again; zero: never
	refresh time.Time // when to list the tools again; zero: never

	patience time.Duration // before the list is asked for again if it can't be had
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
func (a *attendant) attend(ctx context.Context) {
	for ctx.Err() == nil && a.client.Err() == nil {
		a.wait(ctx)
		now := time.Now()
		if due(a.reopen, now) {
			a.reopen = time.Time{}
			if a.subscribe(ctx); a.sub != nil {
				a.refresh = now // something may have been missed
			}
		}
		if due(a.refresh, now) {
			a.refresh = time.Time{}
			a.listed(a.h.refresh(ctx, a.s, a.client))
		}
	}
}

// end ends the connection.
func (a *attendant) end() {
	if a.sub != nil {
		a.sub.Close()
	}
	_ = a.client.Close() // says only that something of a dead server is stuck
}

// listed has the tools listed again: after an error, each time after a longer
// while, or when the list doesn't stay good any longer and the server doesn't
// tell of changes.
func (a *attendant) listed(err error) {
	switch {
	case err != nil:
		a.again(a.patience)
		a.patience = min(2*a.patience, maxTTL)
		return
	case a.sub == nil:
		a.again(time.Duration(a.dial.ttl.Load()))
	}
	a.patience = minTTL
}

func due(at, now time.Time) bool { return !at.IsZero() && !at.After(now) }

// again has the tools listed after d, if it isn't 0, unless that is to be done
// anyway.
func (a *attendant) again(d time.Duration) {
	if d > 0 && a.refresh.IsZero() {
		a.refresh = time.Now().Add(d)
	}
}

// wait waits for a change of the list, which it notes, for a time that has
// come, or for the end.
func (a *attendant) wait(ctx context.Context) {
	next := a.refresh
	if next.IsZero() || !a.reopen.IsZero() && a.reopen.Before(next) {
		next = a.reopen
	}
	if !next.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, next)
		defer cancel()
	}
	if a.sub == nil {
		select {
		case <-a.client.Done():
		case <-ctx.Done():
		}
		return
	}
	_, err := a.sub.Next(ctx)
	switch {
	case err == nil:
		if soon := time.Now().Add(refreshDelay); a.refresh.IsZero() || a.refresh.After(soon) {
			a.refresh = soon
		}
	case ctx.Err() == nil && a.client.Err() == nil:
		a.sub.Close() // the server has ended it
		a.sub, a.reopen = nil, time.Now().Add(reopenDelay)
	}
}

// subscribe asks to be told of changes, if the server does that.
func (a *attendant) subscribe(ctx context.Context) {
	info := a.client.Server()
	list := info.Capabilities.Tools
	if info.Modern() && (list == nil || list.ListChanged == nil || !*list.ListChanged) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, subscribeTime)
	defer cancel()
	sub, err := a.client.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true})
	if err != nil {
		a.reopen = time.Now().Add(reopenDelay)
		return
	}
	a.sub = sub
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
		e := connectError(s.name, err, s.dial)
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
