package mcp

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A ChangeKind says what has changed.
type ChangeKind string

// What may change.
const (
	ToolsChanged     ChangeKind = "notifications/tools/list_changed"
	PromptsChanged   ChangeKind = "notifications/prompts/list_changed"
	ResourcesChanged ChangeKind = "notifications/resources/list_changed"
	ResourceUpdated  ChangeKind = "notifications/resources/updated"
)

// A Change is something at the server that has changed.
type Change struct {
	Kind ChangeKind
	URI  string // for ResourceUpdated: of the resource, or of a part of it
}

// A Subscription tells of changes at the server. Its methods may be used
// concurrently.
type Subscription struct {
	client *Client
	filter SubscriptionFilter
	cancel context.CancelFunc // ends what Close must end

	mu      sync.Mutex
	pending []Change      // what Next has not returned, each once
	ready   chan struct{} // buffered; something is pending, or err is set
	err     error         // what ended the subscription

	// In the modern era.
	id      jsonrpc.ID         // of the request that keeps it open
	honored SubscriptionFilter // what the server agreed to
	acked   chan struct{}      // closed when the server has agreed for the first time
	opened  bool               // acked is closed
	ended   chan struct{}      // closed when nothing is left of it
}

// Subscribe asks the server to tell of changes. It returns when the server has
// agreed; ctx bounds that only.
//
// Servers before 2026-07-28 tell of changed lists unasked, and are asked for
// each resource. With later ones a subscription is a request that stays open.
// If that breaks off it is opened again, and everything in the filter counts
// as changed, since something may have been missed.
func (c *Client) Subscribe(ctx context.Context, filter *SubscriptionFilter) (*Subscription, error) {
	s := &Subscription{client: c, filter: *filter, ready: make(chan struct{}, 1)}
	s.filter.ResourceSubscriptions = slices.Clone(filter.ResourceSubscriptions)
	s.acked, s.ended = make(chan struct{}), make(chan struct{})
	subs := c.subscriptions()
	subs.add(s)
	var err error
	if c.era.legacy() {
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

// Honored returns what the server agreed to tell of, which may be less than
// it was asked for.
func (s *Subscription) Honored() SubscriptionFilter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.honored
}

// Next waits for the next change. Changes that come faster than Next is called
// are told once. The error is [io.EOF] when the server ended the subscription
// or Close was called, and matches [ErrClosed] when the connection ended.
func (s *Subscription) Next(ctx context.Context) (Change, error) {
	for {
		if change, ok, err := s.take(); ok || err != nil {
			return change, err
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return Change{}, context.Cause(ctx)
		case <-s.client.conn.Done():
			s.end(s.client.conn.Err())
		}
	}
}

// take returns what is pending, or else what ended the subscription.
func (s *Subscription) take() (change Change, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 {
		return Change{}, false, s.err
	}
	change = s.pending[0]
	s.pending = s.pending[1:]
	if len(s.pending) > 0 || s.err != nil {
		s.wake() // others may be waiting
	}
	return change, true, nil
}

// Close ends the subscription. The server is told, as far as that is possible
// in a short time, and what Next has not returned is dropped. It may be called
// more than once.
func (s *Subscription) Close() {
	s.end(io.EOF)
	s.mu.Lock()
	s.pending = nil
	s.mu.Unlock()
	s.client.subscriptions().remove(s)
	if s.cancel != nil {
		s.cancel()
		<-s.ended
	}
}

// end makes err what Next returns when nothing is pending any more.
func (s *Subscription) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.wake()
}

// maxPending bounds the resources that have changed and were not asked for
// since. A server may tell of any number of parts of one.
const maxPending = 1024

// tell adds a change. It never waits.
func (s *Subscription) enqueue(change Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || slices.Contains(s.pending, change) {
		return nil
	}
	if len(s.pending) == maxPending {
		return ErrOverloaded
	}
	s.pending = append(s.pending, change)
	s.wake()
	return nil
}

// wake lets a Next that waits look again.
func (s *Subscription) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// wants reports whether the filter has the change.
func (s *Subscription) wants(change Change) bool {
	switch change.Kind {
	case ToolsChanged:
		return s.filter.ToolsListChanged
	case PromptsChanged:
		return s.filter.PromptsListChanged
	case ResourcesChanged:
		return s.filter.ResourcesListChanged
	}
	for _, uri := range s.filter.ResourceSubscriptions {
		if strings.HasPrefix(change.URI, uri) { // the part of a resource may be named
			return true
		}
	}
	return false
}

// missed tells of everything in the filter.
func (s *Subscription) resync() {
	for _, kind := range [...]ChangeKind{ToolsChanged, PromptsChanged, ResourcesChanged} {
		if s.wants(Change{Kind: kind}) {
			_ = s.enqueue(Change{Kind: kind})
		}
	}
	for _, uri := range s.filter.ResourceSubscriptions {
		_ = s.enqueue(Change{ResourceUpdated, uri})
	}
}
