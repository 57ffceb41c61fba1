package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// subscriptions are those of one client.
type subscriptions struct {
	client *Client

	mu   sync.Mutex
	all  map[*Subscription]bool
	refs map[string]int // for how many of them each resource was asked for, in the legacy era
}

func (c *Client) subscriptions() (subs *subscriptions) {
	c.addObserver(func(w observer) (ok bool) {
		subs, ok = w.(*subscriptions)
		return ok
	}, func() observer {
		subs = &subscriptions{client: c, all: make(map[*Subscription]bool), refs: make(map[string]int)}
		return subs
	})
	return subs
}

func (s *subscriptions) add(sub *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[sub] = true
}

func (s *subscriptions) list() []*Subscription {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Subscription, 0, len(s.all))
	for sub := range s.all {
		list = append(list, sub)
	}
	return list
}

// note hands a change to the subscriptions that want it.
func (s *subscriptions) observe(method string, params RawMessage) error {
	acknowledged := method == "notifications/subscriptions/acknowledged"
	switch ChangeKind(method) {
	case ToolsChanged, PromptsChanged, ResourcesChanged, ResourceUpdated:
	default:
		if !acknowledged {
			return nil
		}
	}
	p := struct {
		resourceUpdatedParams
		honored SubscriptionFilter
	}{}
	if params != nil {
		r := wire.NewReader(params)
		decodeObject(&r, &p.resourceUpdatedParams)
		if raw := p.Extra["notifications"]; raw != nil && acknowledged {
			r.Fail(p.honored.UnmarshalJSON(raw))
		}
		if err := r.End(); err != nil {
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
			sub.acknowledge(p.honored)
		case sub.wants(change):
			if err := sub.enqueue(change); err != nil {
				return err
			}
		}
	}
	return nil
}

// idOf returns the id of the subscription that a notification is for. In the
// legacy era there are none.
func (s *subscriptions) idOf(meta RawMessage) (id jsonrpc.ID, err error) {
	if s.client.era.legacy() {
		return id, nil
	}
	if raw := member(meta, metaSubscription); raw != nil {
		err = id.UnmarshalJSON(raw)
	}
	return id, err
}

// isFor reports whether a notification with the given subscription id is for
// the subscription.
func (s *Subscription) isFor(id jsonrpc.ID) bool {
	if s.client.era.legacy() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !id.IsZero() && s.id.String() == id.String()
}

// Resources in the legacy era: each is asked for, once for all subscriptions.

// ask asks the server for the resources of a subscription.
func (s *subscriptions) subscribe(ctx context.Context, sub *Subscription) error {
	for _, uri := range sub.filter.ResourceSubscriptions {
		s.mu.Lock()
		s.refs[uri]++
		first := s.refs[uri] == 1
		s.mu.Unlock()
		sub.honored.ResourceSubscriptions = append(sub.honored.ResourceSubscriptions, uri)
		if !first {
			continue
		}
		if err := s.send(ctx, "resources/subscribe", uri); err != nil {
			return err
		}
	}
	caps := &s.client.server.Capabilities
	sub.honored.ToolsListChanged = sub.filter.ToolsListChanged && caps.Tools.tells()
	sub.honored.PromptsListChanged = sub.filter.PromptsListChanged && caps.Prompts.tells()
	sub.honored.ResourcesListChanged = sub.filter.ResourcesListChanged && caps.Resources.tells()
	return nil
}

// tells reports whether the server says when the list changes.
func (t *ResourcesCapability) tells() bool { return t != nil && t.ListChanged != nil && *t.ListChanged }

// goodbyeTime is how long Close lets the server take to hear of it.
const closeTimeout = 2 * time.Second

// remove forgets a subscription, and the resources that only it had.
func (s *subscriptions) remove(sub *Subscription) {
	s.mu.Lock()
	known := s.all[sub]
	delete(s.all, sub)
	var unused []string
	if known && s.client.era.legacy() {
		for _, uri := range sub.honored.ResourceSubscriptions {
			if s.refs[uri]--; s.refs[uri] <= 0 {
				delete(s.refs, uri)
				unused = append(unused, uri)
			}
		}
	}
	s.mu.Unlock()
	if len(unused) == 0 || s.client.conn.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.client.ctx, closeTimeout)
	defer cancel()
	for _, uri := range unused {
		_ = s.send(ctx, "resources/unsubscribe", uri) // a courtesy
	}
}

// renewed asks for everything again, as the server has forgotten it.
func (s *subscriptions) sessionRenewed(ctx context.Context) {
	s.mu.Lock()
	uris := wire.SortedKeys(s.refs)
	s.mu.Unlock()
	for _, uri := range uris {
		if err := s.send(ctx, "resources/subscribe", uri); err != nil {
			s.client.opts.Dropped(err, nil)
		}
	}
	for _, sub := range s.list() {
		sub.resync()
	}
}

func (s *subscriptions) send(ctx context.Context, method, uri string) error {
	_, err := s.client.intercept(ctx, s.client.era, newCall(method, uri, (*request).appendURI))
	return err
}
