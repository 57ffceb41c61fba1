package host

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/retry"
)

// A Follower keeps a registry of a program equal to the tools of a host or a View.
type Follower struct {
	view  *View
	apply func(*ToolsUpdate)
	turn  chan struct{} // a semaphore of one call of apply
	last  *ToolsUpdate  // guarded by turn
}

// Follow calls apply with the current tools, and then with each later change, as
// [Host.Updates] has them: one call after the other, outside of locks. Follow returns
// after the first call. It ends with ctx or when the host is shut down.
//
// A program that waits until its registry has the tools of all servers calls
// [Follower.Sync] after SetServers:
//
//	tools := h.Follow(ctx, func(u *host.ToolsUpdate) { … })
//	h.SetServers(ctx, servers)
//	tools.Sync(ctx)
func (h *Host) Follow(ctx context.Context, apply func(*ToolsUpdate)) *Follower {
	return h.root.Follow(ctx, apply)
}

// Follow is [Host.Follow] for the tools of the view.
func (v *View) Follow(ctx context.Context, apply func(*ToolsUpdate)) *Follower {
	f := &Follower{view: v, apply: apply, turn: make(chan struct{}, 1)}
	snap := v.host.Snapshot()
	_ = f.Sync(ctx)
	v.host.running.Go(func() { // ends with ctx or the host
		for {
			select {
			case <-snap.replaced:
			case <-ctx.Done():
				return
			case <-v.host.ctx.Done():
				return
			}
			snap = v.host.Snapshot()
			_ = f.Sync(ctx)
		}
	})
	return f
}

// Sync returns when apply has returned for all changes that were made before the call
// of Sync. The function apply must not call Sync. The error is the cause of ctx if that
// ends first.
func (f *Follower) Sync(ctx context.Context) error {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return retry.Cause(ctx)
	}
	u := f.view.update(f.view.host.Snapshot(), f.last)
	if f.last != nil && !u.changes() {
		return nil
	}
	f.last = u
	_ = f.view.host.guard("", func() { f.apply(u) })
	return nil
}
