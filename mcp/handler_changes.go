package mcp

import (
	"context"
	"errors"
)

// Changes returns a [Handler] that subscribes to the server's lists and calls f
// for each change, one at a time. Connect subscribes before it returns, so a
// program that then lists the tools misses no change. If the server ends the
// subscription, the client opens it again. If the server refuses it, Connect
// succeeds all the same: f receives one Change with the error, and the client
// tries again unless the refusal is permanent. For single resources use
// [Client.Subscribe].
func Changes(f func(Change)) Handler { return changesHandler(f) }

type changesHandler func(Change)

func (f changesHandler) declare(*clientCapabilities, bool) {}

// connected subscribes and starts a goroutine that calls f.
func (f changesHandler) connected(ctx context.Context, c *Client) error {
	if f == nil {
		return nil
	}
	s, err := c.subscribe(ctx, nil, true)
	if errors.Is(err, ErrNoChanges) { // and nothing was sent
		return nil
	} else if err != nil {
		return err
	}
	c.requests.run(c.ctx, func() { // ends with the client or the subscription
		for {
			change, err := s.Next(c.ctx)
			if err != nil {
				return
			}
			c.guard(func() { f(change) })
		}
	})
	return nil
}

// offeredLists returns the filter of all lists whose changes the server reports.
func (c *Client) offeredLists() SubscriptionFilter {
	caps := &c.agreed.Load().server.Capabilities
	return SubscriptionFilter{
		ToolsListChanged:     caps.Tools.notifies(),
		PromptsListChanged:   caps.Prompts.notifies(),
		ResourcesListChanged: caps.Resources.notifies(),
	}
}
