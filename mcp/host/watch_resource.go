package host

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp"
)

// subscribeResource implements SubscribeMcpResource.
func (v *View) subscribeResource(ctx context.Context, r *CallReport) ([]byte, error) {
	in, err := v.permittedResource(ctx, r)
	if err != nil {
		return nil, err
	}
	h := v.host
	client, err := h.Client(ctx, in.server)
	if err != nil {
		return nil, err
	}
	sub, err := subscribe(ctx, client, in.uri)
	if err != nil {
		return nil, h.requestError("resource", in.server, err)
	}
	w := &watch{kind: watchResource, server: in.server, uri: in.uri, reason: in.reason}
	if err := h.watch(w, func(ctx context.Context) { h.follow(ctx, w, client, sub) }); err != nil {
		sub.Close()
		return nil, err
	}
	return subscribed(w), nil
}

// subscribe subscribes to changes of a resource.
func subscribe(ctx context.Context, client *mcp.Client, uri string) (*mcp.Subscription, error) {
	info := client.Server()
	if c := info.Capabilities.Resources; c == nil || c.Subscribe == nil || !*c.Subscribe {
		return nil, errors.New("the server does not support subscriptions to resources; use SubscribePolling")
	}
	sub, err := client.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
	if err != nil {
		return nil, err
	}
	if info.Modern() && len(sub.Honored().ResourceSubscriptions) == 0 {
		sub.Close()
		return nil, errors.New("the server refused to subscribe to this resource; use SubscribePolling")
	}
	return sub, nil
}

// follow emits an event for each change of a resource. It subscribes again when
// the server reconnects.
func (h *Host) follow(ctx context.Context, w *watch, client *mcp.Client, sub *mcp.Subscription) {
	emit := func(uri string) {
		h.bus.emit(&Event{Kind: ResourceChanged, Server: w.server, URI: uri, Subscription: w.id, Reason: w.reason})
	}
	for {
		change, err := sub.Next(ctx)
		if err == nil {
			emit(change.URI)
			continue
		}
		sub.Close()
		for sub = nil; sub == nil; {
			if client.Err() == nil && !retry.Sleep(ctx, reopenDelay) { // the server ended the subscription
				return
			}
			if client = h.nextClient(ctx, w.server); client == nil {
				return
			}
			if sub, err = subscribe(ctx, client, w.uri); err != nil {
				sub = nil
			}
		}
		emit(w.uri) // it may have changed in the meantime
	}
}

// nextClient waits until a server is connected, without connecting to it. It
// returns nil if ctx ends or the server is removed.
func (h *Host) nextClient(ctx context.Context, server string) *mcp.Client {
	for {
		h.lock()
		s := h.server(server)
		if s == nil || h.closed {
			h.unlock()
			return nil
		}
		client, changed := s.client, s.changed
		h.unlock()
		if client != nil && client.Err() == nil {
			return client
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
