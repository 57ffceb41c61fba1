package main

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp/host"
)

// followNamed registers the tools of each server when they appear or change, until ctx
// ends. Host.CallTool calls them by the same two names.
func followNamed(ctx context.Context, h *host.Host, registry NamedRegistry) *host.Follower {
	return h.Follow(ctx, func(u *host.ToolsUpdate) {
		changed := make(map[string]bool)
		for _, list := range [...][]*host.Tool{u.Added, u.Removed, u.Changed} {
			for _, t := range list {
				changed[t.Server()] = true
			}
		}
		for server := range changed {
			registry.UnregisterMCPTools(server)
		}
		for _, t := range u.Tools {
			if changed[t.Server()] {
				registry.RegisterMCPTool(t.Server(), t.Definition().Name, t.Description(), t.InputSchema())
			}
		}
	})
}
