package mcp

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A ChangeKind is the kind of a [Change]: the method of its notification.
type ChangeKind string

// The kinds of changes.
const (
	ToolsChanged     ChangeKind = "notifications/tools/list_changed"
	PromptsChanged   ChangeKind = "notifications/prompts/list_changed"
	ResourcesChanged ChangeKind = "notifications/resources/list_changed"
	ResourceUpdated  ChangeKind = "notifications/resources/updated"
)

// A Change is a change on the server.
type Change struct {
	Kind ChangeKind // what has changed
	URI  string     // of the resource or of a part of it; only for ResourceUpdated

	// Err is not nil if the server refuses to report changes, or cannot for now: what
	// a function of [Changes] then receives once, without the other fields.
	Err error
}

// A Subscription receives changes on the server. Its methods may be called
// concurrently.
type Subscription struct {
	client *Client
	filter SubscriptionFilter
	cancel context.CancelFunc // ends keepOpen; nil in the legacy era

	mu      lock.Mutex
	pending []Change      // changes that Next has not returned, without duplicates
	ready   chan struct{} // buffered; something is pending, or err is set
	err     error         // the reason why the subscription has ended

	// Modern era only.
	lasting bool                    // that of Changes, which is opened again whatever ends it
	id      jsonrpc.ID              // of the pending request
	stop    context.CancelCauseFunc // ends the pending request; nil if there is none
	revoked bool                    // the server has canceled the pending request
	honored SubscriptionFilter      // by the server
	acked   chan struct{}           // closed at the first acknowledgment, or when a lasting subscription has failed once
	opened  bool                    // acked is closed
	ended   chan struct{}           // closed when keepOpen has returned
}

// Subscribe subscribes to changes on the server. It returns when the server has
// acknowledged; ctx and [Options].Timeout bound only that. The caller must
// close the subscription.
//
// Before 2026-07-28, servers report changes of lists to every client, and the
// client subscribes to each resource. From 2026-07-28 on a subscription is a
// request that stays open. If it breaks, the client opens it again and, because
// changes may have been missed, reports everything that the server has honored as
// changed.
//
// A nil filter subscribes to all lists whose changes the server declares. If the
// server refuses subscriptions for good, the error matches [ErrNoChanges]. The options
// of [Client.With] do not apply.
//
// If the server does not declare any of the changes, the error matches [ErrNoChanges]
// and nothing is sent, from 2026-07-28 on. A legacy server is asked for each resource.
func (c *Client) Subscribe(ctx context.Context, filter *SubscriptionFilter) (*Subscription, error) {
	return c.self.subscribe(ctx, filter, false)
}

func (c *Client) subscribe(ctx context.Context, filter *SubscriptionFilter, lasting bool) (*Subscription, error) {
	err := c.ended("subscriptions/listen")
	if err == nil {
		err = c.verify(ctx)
	}
	if err != nil {
		return nil, err
	}
	s := &Subscription{client: c, ready: make(chan struct{}, 1), lasting: lasting}
	if filter != nil {
		s.filter = *filter
		s.filter.ResourceSubscriptions = slices.Clone(filter.ResourceSubscriptions)
	} else {
		s.filter = c.agreed.Load().server.Capabilities.offersLists()
	}
	if !c.era().legacy() && !s.filter.narrow(&c.agreed.Load().server.Capabilities) {
		return nil, c.failed(listenRequest(s), ErrNoChanges)
	}
	s.acked, s.ended = make(chan struct{}), make(chan struct{})
	subs := c.subscriptions()
	subs.add(s)
	if c.era().legacy() {
		err = subs.subscribe(ctx, s)
	} else {
		err = s.open(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// ErrNoChanges is matched by the error of [Client.Subscribe] if the server
// reports none of the changes in the filter, or refuses subscriptions for good.
var ErrNoChanges = errors.New("the server reports none of the requested changes")

func (t *SubscriptionFilter) narrow(caps *ServerCapabilities) bool {
	lists := caps.offersLists()
	t.ToolsListChanged = t.ToolsListChanged && lists.ToolsListChanged
	t.PromptsListChanged = t.PromptsListChanged && lists.PromptsListChanged
	t.ResourcesListChanged = t.ResourcesListChanged && lists.ResourcesListChanged
	if r := caps.Resources; r == nil || r.Subscribe == nil || !*r.Subscribe {
		t.ResourceSubscriptions = nil
	}
	return t.ToolsListChanged || t.PromptsListChanged || t.ResourcesListChanged || len(t.ResourceSubscriptions)+len(t.TaskIDs)+len(t.Extra) > 0
}

// Honored returns the part of the filter that the server has acknowledged. A legacy
// server acknowledges each resource, and lists by its capabilities.
func (s *Subscription) Honored() SubscriptionFilter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.honored
}

// Next waits for the next change. Equal changes that arrive between calls to
// Next are coalesced. The error matches the cause of ctx if ctx ends, [io.EOF] if
// the server has ended the subscription or Close was called, and matches
// [ErrClosed] if the connection has ended. If the server has canceled the
// subscription, the error has the server's reason and matches io.EOF.
func (s *Subscription) Next(ctx context.Context) (Change, error) { return s.next(ctx, true) }

// Peek is Next, but the change stays: the next call of Next or Peek returns it, too.
// If ctx has ended, Peek reports whether a change is pending without waiting. A change
// that the server sent before a response on the same stream is pending when the call
// with that response returns.
func (s *Subscription) Peek(ctx context.Context) (Change, error) { return s.next(ctx, false) }

func (s *Subscription) next(ctx context.Context, take bool) (Change, error) {
	for {
		if change, ok, err := s.first(take); ok || err != nil {
			return change, err
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return Change{}, retry.Cause(ctx)
		case <-s.client.conn.Done():
			s.end(s.client.conn.Err())
		}
	}
}

func (s *Subscription) first(take bool) (change Change, ok bool, err error) {
	s.mu.Lock()
	if ok = len(s.pending) > 0; !ok {
		err = s.err
	} else {
		change = s.pending[0]
		if take {
			s.client.budget.Return(len(change.URI))
			s.pending = s.pending[1:]
		}
		if len(s.pending) > 0 || s.err != nil {
			s.wake() // another Next may be waiting
		}
	}
	s.mu.Unlock()
	return change, ok, err
}

// Close ends the subscription and discards pending changes. It notifies the
// server and waits at most 2 seconds for that. It may be called more than once.
func (s *Subscription) Close() {
	s.end(io.EOF)
	s.mu.Lock()
	for _, change := range s.pending {
		s.client.budget.Return(len(change.URI))
	}
	s.pending = nil
	s.mu.Unlock()
	s.client.subscriptions().remove(s)
	if s.cancel != nil {
		s.cancel()
		<-s.ended
	}
}

func (s *Subscription) end(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.wake()
	s.mu.Unlock()
}

// maxPending is how many changes may be pending. A server can report any number
// of parts of a resource.
const maxPending = 1024

// enqueue adds a change. It never blocks.
func (s *Subscription) enqueue(change Change) error {
	s.mu.Lock()
	var err error
	switch {
	case s.err != nil || slices.Contains(s.pending, change):
	case len(s.pending) == maxPending || !s.client.budget.Take(len(change.URI)):
		err = ErrOverloaded
	default:
		change.URI = strings.Clone(change.URI) // not the message
		s.pending = append(s.pending, change)
		s.wake()
	}
	s.mu.Unlock()
	return err
}

func (s *Subscription) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// reported returns the changes that the subscription reports: from 2026-07-28 on
// those that the server has acknowledged.
func (s *Subscription) reported() SubscriptionFilter {
	if s.client.era().legacy() {
		return s.filter
	}
	return s.Honored()
}

func (f *SubscriptionFilter) wants(change Change) bool {
	switch change.Kind {
	case ToolsChanged:
		return f.ToolsListChanged
	case PromptsChanged:
		return f.PromptsListChanged
	case ResourcesChanged:
		return f.ResourcesListChanged
	}
	for _, uri := range f.ResourceSubscriptions {
		if strings.HasPrefix(change.URI, uri) { // the URI may be that of a part
			return true
		}
	}
	return false
}

func (s *Subscription) resync() {
	f := s.reported()
	for _, kind := range [...]ChangeKind{ToolsChanged, PromptsChanged, ResourcesChanged} {
		if f.wants(Change{Kind: kind}) {
			_ = s.enqueue(Change{Kind: kind})
		}
	}
	for _, uri := range f.ResourceSubscriptions {
		_ = s.enqueue(Change{Kind: ResourceUpdated, URI: uri})
	}
}
