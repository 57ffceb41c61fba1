package mcp

import (
	"context"
	"errors"
)

// Changes returns a [Handler] that subscribes to the server's lists and calls f
// for each change, one at a time. Connect subscribes before it returns, so a
// program that then lists the tools misses no change. For single resources use
// [Client.Subscribe].
func Changes(f func(Change)) Handler { return changesHandler(f) }

type changesHandler func(Change)

func (f changesHandler) declare(*clientCapabilities, bool) {}

// connected subscribes and starts a goroutine that calls f.
func (f changesHandler) connected(ctx context.Context, c *Client) error {
	if f == nil {
		return nil
	}
	s, err := c.Subscribe(ctx, nil)
	if errors.Is(err, ErrNoChanges) {
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
