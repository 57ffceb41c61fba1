package mcp

import "context"

// Roots returns the directories and files in which servers may work. As a
// [Handler] it answers roots/list.
//
// Protocol version 2026-07-28 deprecates roots; a version released on or after
// 2027-07-28 may remove them. Programs should pass directories and files as
// arguments of tools, as resource URIs or in the server's configuration
// instead.
type Roots func(context.Context) ([]Root, error)

func (f Roots) method() string { return "roots/list" }

func (f Roots) declare(caps *clientCapabilities, sessions bool) {
	if f == nil {
		return
	}
	caps.Roots = RawMessage("{}")
	if sessions {
		caps.Roots = RawMessage(`{"listChanged":true}`)
	}
}

func (f Roots) answer(ctx context.Context, _ *Client, _ RawMessage) (object, error) {
	if f == nil {
		return nil, errNotDeclared
	}
	roots, err := f(ctx)
	return &listRootsResult{Roots: roots}, err
}

// RootsChanged notifies the server that the result of the [Roots] handler has
// changed. From 2026-07-28 on it does nothing, because servers request the
// roots each time they need them.
func (c *Client) RootsChanged(ctx context.Context) error {
	if !c.era().legacy() {
		return c.ended("notifications/roots/list_changed")
	}
	return c.Notify(ctx, "notifications/roots/list_changed", nil)
}
