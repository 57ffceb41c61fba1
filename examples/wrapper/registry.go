package main

import (
	"context"
	"sync"

	"github.com/stdmcp/stdmcp/mcp/host"
)

// A Registry is that of an agent which has tools of its own, too.
type Registry struct {
	mu    sync.RWMutex // guards tools
	tools map[string]RawTool
}

// Follow keeps the tools of a host in the registry until ctx ends. After SetServers,
// Sync of the follower waits until the registry has the tools of all servers.
func (r *Registry) Follow(ctx context.Context, h *host.Host) *host.Follower {
	return h.Follow(ctx, func(u *host.ToolsUpdate) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, t := range u.Removed {
			delete(r.tools, t.Name())
		}
		for _, t := range append(u.Added, u.Changed...) {
			r.tools[t.Name()] = t
		}
	})
}

// Get returns a tool, or nil.
func (r *Registry) Get(name string) RawTool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.tools[name]
}
