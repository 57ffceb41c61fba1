package mcp

import (
	"context"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// subscriptions holds the subscriptions of a client. It is an observer, so that
// programs without subscriptions do not link it.
type subscriptions struct {
	client *Client

	mu  lock.Mutex
	all []*Subscription
}

func (c *Client) subscriptions() *subscriptions {
	return observerOf(c, func() *subscriptions { return &subscriptions{client: c} })
}

func (s *subscriptions) add(sub *Subscription) {
	s.mu.Lock()
	s.all = append(s.all, sub)
	s.mu.Unlock()
}

func (s *subscriptions) list() []*Subscription {
	s.mu.Lock()
	list := slices.Clone(s.all)
	s.mu.Unlock()
	return list
}

func (s *subscriptions) observe(method string, params RawMessage) error {
	acknowledged := method == "notifications/subscriptions/acknowledged" && !s.client.era().legacy()
	if method == "notifications/cancelled" {
		return s.canceled(params)
	}
	switch ChangeKind(method) {
	case ToolsChanged, PromptsChanged, ResourcesChanged, ResourceUpdated:
	default:
		if !acknowledged {
			return nil
		}
	}
	p := new(changeParams)
	if params != nil {
		if err := decodeText(params, p); err != nil {
			return jsonrpc.Malformed(err)
		}
	}
	id, err := s.idOf(p.meta)
	if err != nil {
		return err
	}
	change := Change{Kind: ChangeKind(method), URI: p.uri}
	for _, sub := range s.list() {
		switch {
		case !sub.isFor(id):
		case acknowledged:
			sub.acknowledge(p.honored)
		default:
			if f := sub.reported(); f.wants(change) {
				if err := sub.enqueue(change); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// idOf returns the subscription id of a notification. The legacy era has none.
func (s *subscriptions) idOf(meta RawMessage) (id jsonrpc.ID, err error) {
	if s.client.era().legacy() {
		return id, nil
	}
	if raw := wire.Lookup(meta, metaSubscription); raw != nil {
		err = id.UnmarshalJSON(raw)
	}
	return id, err
}

// canceled ends the subscription that a server cancels (2026-07-28
// basic/patterns/cancellation).
func (s *subscriptions) canceled(params RawMessage) error {
	var p cancelledRequest
	if err := decodeText(params, &p); err != nil {
		return jsonrpc.Malformed(err)
	}
	for _, sub := range s.list() {
		if sub.isFor(p.id) {
			sub.canceled(p.reason)
		}
	}
	return nil
}

func (s *Subscription) isFor(id jsonrpc.ID) bool {
	if s.client.era().legacy() {
		return true
	}
	s.mu.Lock()
	own := s.id
	s.mu.Unlock()
	return !id.IsZero() && own.String() == id.String()
}

// subscribe subscribes to the resources of a subscription (legacy era). Other
// subscriptions may have done so, too.
func (s *subscriptions) subscribe(ctx context.Context, sub *Subscription) error {
	for _, uri := range sub.filter.ResourceSubscriptions {
		sub.mu.Lock()
		sub.honored.ResourceSubscriptions = append(sub.honored.ResourceSubscriptions, uri)
		sub.mu.Unlock()
		if err := s.send(ctx, "resources/subscribe", uri); err != nil {
			return err
		}
	}
	caps := &s.client.agreed.Load().server.Capabilities
	sub.mu.Lock()
	lists := caps.offersLists()
	sub.honored.ToolsListChanged = sub.filter.ToolsListChanged && lists.ToolsListChanged
	sub.honored.PromptsListChanged = sub.filter.PromptsListChanged && lists.PromptsListChanged
	sub.honored.ResourcesListChanged = sub.filter.ResourcesListChanged && lists.ResourcesListChanged
	sub.mu.Unlock()
	return nil
}

func (t *ServerCapabilities) offersLists() (f SubscriptionFilter) {
	f.ToolsListChanged = t.Tools != nil && hint(t.Tools.ListChanged, false)
	f.PromptsListChanged = t.Prompts != nil && hint(t.Prompts.ListChanged, false)
	f.ResourcesListChanged = t.Resources != nil && hint(t.Resources.ListChanged, false)
	return f
}

// closeTimeout bounds the requests that Subscription.Close sends.
const closeTimeout = 2 * time.Second

func (s *subscriptions) remove(sub *Subscription) {
	s.mu.Lock()
	var unused []string
	if i := slices.Index(s.all, sub); i >= 0 {
		s.all = slices.Delete(s.all, i, i+1)
		unused = s.unusedLocked(sub)
	}
	s.mu.Unlock()
	if len(unused) == 0 || s.client.conn.Err() != nil {
		return
	}
	ctx, cancel := retry.WithTimeout(s.client.ctx, closeTimeout, nil)
	defer cancel()
	for _, uri := range unused {
		_ = s.send(ctx, "resources/unsubscribe", uri) // best effort
		s.mu.Lock()
		again := s.usesLocked(uri) // another subscription has begun, perhaps before the server handled this
		s.mu.Unlock()
		if again {
			_ = s.send(ctx, "resources/subscribe", uri)
		}
	}
}

// unusedLocked returns the resources that only sub has had, which is not in the list any
// more.
func (s *subscriptions) unusedLocked(sub *Subscription) (uris []string) {
	if s.client.era().legacy() {
		for _, uri := range sub.Honored().ResourceSubscriptions {
			if !s.usesLocked(uri) {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}

// usesLocked reports whether a subscription has the resource.
func (s *subscriptions) usesLocked(uri string) bool {
	for _, sub := range s.all {
		if slices.Contains(sub.Honored().ResourceSubscriptions, uri) {
			return true
		}
	}
	return false
}

func (s *subscriptions) sessionRenewed(ctx context.Context) {
	for _, sub := range s.list() {
		for _, uri := range sub.Honored().ResourceSubscriptions {
			if err := s.send(ctx, "resources/subscribe", uri); err != nil {
				s.client.discarded(err, nil)
			}
		}
		sub.resync()
	}
}

func (s *subscriptions) send(ctx context.Context, method, uri string) error {
	q := newRequest(method, uri, (*request).appendURI)
	q.era = s.client.era()
	_, err := s.client.send(ctx, q)
	return err
}
