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

	mu   lock.Mutex
	all  []*Subscription
	refs map[string]int // legacy era: the number of subscriptions to each resource
}

func (c *Client) subscriptions() *subscriptions {
	return observerOf(c, func() *subscriptions { return &subscriptions{client: c, refs: make(map[string]int)} })
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

// observe passes a change to the subscriptions whose filter includes it.
func (s *subscriptions) observe(method string, params RawMessage) error {
	acknowledged := method == "notifications/subscriptions/acknowledged" && !s.client.era().legacy()
	switch ChangeKind(method) {
	case ToolsChanged, PromptsChanged, ResourcesChanged, ResourceUpdated:
	default:
		if !acknowledged {
			return nil
		}
	}
	p, honored := &resourceUpdatedParams{}, SubscriptionFilter{}
	if params != nil {
		err := decodeText(params, p)
		if raw := p.Extra["notifications"]; err == nil && acknowledged && raw != nil {
			err = honored.UnmarshalJSON(raw)
		}
		if err != nil {
			return jsonrpc.Malformed(err)
		}
	}
	id, err := s.idOf(p.Meta)
	if err != nil {
		return err
	}
	change := Change{ChangeKind(method), p.URI}
	for _, sub := range s.list() {
		switch {
		case !sub.isFor(id):
		case acknowledged:
			sub.acknowledge(honored)
		case sub.wants(change):
			if err := sub.enqueue(change); err != nil {
				return err
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

// isFor reports whether a notification with the given subscription id belongs to
// the subscription.
func (s *Subscription) isFor(id jsonrpc.ID) bool {
	if s.client.era().legacy() {
		return true
	}
	s.mu.Lock()
	own := s.id
	s.mu.Unlock()
	return !id.IsZero() && own.String() == id.String()
}

// In the legacy era the client subscribes to each resource once for all
// subscriptions.

// subscribe subscribes to the resources of a subscription.
func (s *subscriptions) subscribe(ctx context.Context, sub *Subscription) error {
	for _, uri := range sub.filter.ResourceSubscriptions {
		s.mu.Lock()
		s.refs[uri]++
		first := s.refs[uri] == 1
		s.mu.Unlock()
		sub.mu.Lock()
		sub.honored.ResourceSubscriptions = append(sub.honored.ResourceSubscriptions, uri)
		sub.mu.Unlock()
		if !first {
			continue
		}
		if err := s.send(ctx, "resources/subscribe", uri); err != nil {
			return err
		}
	}
	caps := &s.client.agreed.Load().server.Capabilities
	sub.mu.Lock()
	sub.honored.ToolsListChanged = sub.filter.ToolsListChanged && caps.Tools.notifies()
	sub.honored.PromptsListChanged = sub.filter.PromptsListChanged && caps.Prompts.notifies()
	sub.honored.ResourcesListChanged = sub.filter.ResourcesListChanged && caps.Resources.notifies()
	sub.mu.Unlock()
	return nil
}

// notifies reports whether the server sends a notification when the list changes.
func (t *ResourcesCapability) notifies() bool {
	return t != nil && t.ListChanged != nil && *t.ListChanged
}

// closeTimeout bounds the requests that Subscription.Close sends.
const closeTimeout = 2 * time.Second

// remove removes a subscription and unsubscribes from the resources that only it
// had.
func (s *subscriptions) remove(sub *Subscription) {
	s.mu.Lock()
	var rest []*Subscription
	for _, other := range s.all {
		if other != sub {
			rest = append(rest, other)
		}
	}
	var uris, unused []string
	if len(rest) < len(s.all) && s.client.era().legacy() {
		uris = sub.Honored().ResourceSubscriptions
	}
	s.all = rest
	for _, uri := range uris {
		if s.refs[uri]--; s.refs[uri] <= 0 {
			delete(s.refs, uri)
			unused = append(unused, uri)
		}
	}
	s.mu.Unlock()
	if len(unused) == 0 || s.client.conn.Err() != nil {
		return
	}
	ctx, cancel := retry.WithTimeout(s.client.ctx, closeTimeout, nil)
	defer cancel()
	for _, uri := range unused {
		_ = s.send(ctx, "resources/unsubscribe", uri) // best effort
	}
}

// sessionRenewed subscribes to all resources again, as the server has forgotten
// them.
func (s *subscriptions) sessionRenewed(ctx context.Context) {
	s.mu.Lock()
	uris := wire.SortedKeys(s.refs)
	s.mu.Unlock()
	for _, uri := range uris {
		if err := s.send(ctx, "resources/subscribe", uri); err != nil {
			s.client.discarded(err, nil)
		}
	}
	for _, sub := range s.list() {
		sub.resync()
	}
}

func (s *subscriptions) send(ctx context.Context, method, uri string) error {
	_, err := s.client.intercept(ctx, s.client.era(), newCall(method, uri, (*request).appendURI))
	return err
}
