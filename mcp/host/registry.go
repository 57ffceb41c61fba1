package host

import (
	"context"
	"iter"
)

// A ToolsUpdate is the difference between two Snapshots, for a program that keeps
// its own registry of tools. The tools are ordered as in Tools, those in Removed as
// they were.
type ToolsUpdate struct {
	Version uint64  // of the Snapshot
	Tools   []*Tool // all tools now; must not be modified

	Added, Removed []*Tool
	Changed        []*Tool // the same names with other definitions or descriptions
}

// Updates returns an iterator over the tools and their changes. The first update
// adds the current tools, even if there are none; each later update is the
// difference from the one before. No change is lost: the next update contains all
// changes that happen while the body of the loop runs. The loop ends with ctx or
// when the host is shut down.
//
//	for u := range h.Updates(ctx) {
//		for _, t := range u.Removed {
//			registry.Remove(t.Name())
//		}
//		for _, t := range append(u.Added, u.Changed...) {
//			registry.Set(t.Name(), t)
//		}
//	}
func (h *Host) Updates(ctx context.Context) iter.Seq[*ToolsUpdate] { return h.Agent().Updates(ctx) }

// Updates is [Host.Updates] for the tools of the view.
func (v *View) Updates(ctx context.Context) iter.Seq[*ToolsUpdate] {
	return func(yield func(*ToolsUpdate) bool) {
		var last *ToolsUpdate
		for {
			snap := v.host.Snapshot()
			u := v.update(snap, last)
			if last == nil || len(u.Added)+len(u.Removed)+len(u.Changed) > 0 {
				if !yield(u) {
					return
				}
				last = u
			}
			select {
			case <-snap.replaced:
			case <-ctx.Done():
				return
			case <-v.host.ctx.Done():
				return
			}
			if ctx.Err() != nil || v.host.ctx.Err() != nil {
				return
			}
		}
	}
}

// update returns the difference of a snapshot to the last update, which may be
// nil.
func (v *View) update(snap *Snapshot, last *ToolsUpdate) *ToolsUpdate {
	u := &ToolsUpdate{Version: snap.version}
	before := make(map[string]*Tool)
	if last != nil {
		for _, t := range last.Tools {
			before[t.name] = t
		}
	}
	for _, t := range snap.tools {
		if t = v.limit(t); t == nil {
			continue
		}
		u.Tools = append(u.Tools, t)
		switch old := before[t.name]; {
		case old == nil:
			u.Added = append(u.Added, t)
		case old.def != t.def || old.description != t.description:
			u.Changed = append(u.Changed, t)
		}
		delete(before, t.name)
	}
	if last != nil {
		for _, t := range last.Tools {
			if before[t.name] != nil {
				u.Removed = append(u.Removed, t)
			}
		}
	}
	return u
}
