package host

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Snapshot is the set of tools at one point in time. It is immutable.
type Snapshot struct {
	version uint64
	tools   []*Tool

	naming sync.Once
	byName map[string]*Tool // written by naming

	replaced chan struct{} // closed when there is a later snapshot

	indexing sync.Once
	index    *searchIndex // written by indexing
}

// Version returns the version of the snapshot. It increases with each change.
func (s *Snapshot) Version() uint64 { return s.version }

// Tools returns the tools, ordered by server, then as the server lists them. The
// slice must not be modified.
func (s *Snapshot) Tools() []*Tool { return slices.Clip(s.tools) }

// Tool returns the tool with the given name, or nil if there is none. Calling a
// nil Tool returns an error.
func (s *Snapshot) Tool(name string) *Tool {
	s.naming.Do(func() { s.byName = toolNames(s.tools) })
	return s.byName[name]
}

func toolNames(tools []*Tool) map[string]*Tool {
	names := make(map[string]*Tool, len(tools))
	for _, t := range tools {
		names[t.name] = t
	}
	return names
}

// Snapshot returns the tools of all enabled servers that are connected or that
// the catalog contains.
func (h *Host) Snapshot() *Snapshot { return h.snap.Load() }

// Tools returns the tools of all enabled servers that are connected or that the
// catalog contains. The slice must not be modified.
func (h *Host) Tools() []*Tool { return h.Snapshot().Tools() }

// Tool returns the tool with the given name, or nil if there is none. It also
// returns a tool of an enabled server that is not connected at the moment: a call
// waits until the server is connected again. Calling a nil Tool returns an error.
// Tool also returns the tools of [Host.ToolSearch] and [Host.ResourceTools] that the
// program has made.
func (h *Host) Tool(name string) *Tool { return h.root.Tool(name) }

// tool returns the tool of a server with the given name, or nil.
func (h *Host) tool(name string) *Tool {
	if t := h.Snapshot().Tool(name); t != nil {
		return t
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.serverLocked(h.names.origins[name].server); s != nil && s.enabled {
		for _, t := range s.tools {
			if t.name == name && !t.app {
				return t
			}
		}
	}
	return nil
}

// updateToolsLocked stores the tools of a server and returns the changes since the last
// list, which the caller publishes. n is the number of the list request.
func (h *Host) updateToolsLocked(s *server, tools []*mcp.Tool, n int) (changed []ToolChange) {
	last := s.lastDefs
	s.listedBy = n
	s.setDefs(tools)
	for i, t := range s.defs {
		old := last[t.Name]
		before, what := h.compareLocked(s, old, t)
		switch {
		case what == nil && old != nil && sameJSON(old.Meta, t.Meta): // keep one copy of equal definitions
			t = old
		case len(last) > 0 || what != nil: // it would keep the memory of its whole list
			t = copyOf(t)
		}
		if s.defs[i], s.lastDefs[t.Name] = t, t; what != nil {
			changed = append(changed, ToolChange{h.names.name(origin{s.name, t.Name}), what, copyOf(before), t})
		}
	}
	for name, def := range last { // tools that have left the list
		if s.lastDefs[name] == nil {
			s.pinFirstLocked(def)
		}
	}
	h.names.release(s.name, func(tool string) bool { return s.lastDefs[tool] != nil })
	s.tools = h.selectTools(s)
	h.reportUnmatched(s)
	return changed
}

// copyOf returns a copy with memory of its own: what a server sent shares that of its message.
func copyOf[T any, P interface {
	*T
	MarshalJSON() ([]byte, error)
	UnmarshalJSON([]byte) error
}](v P) P {
	own := P(new(T))
	if text, err := v.MarshalJSON(); err != nil || own.UnmarshalJSON(text) != nil {
		return v
	}
	return own
}

// reportUnmatched emits an event if settings of the server name none of its tools, once for
// the same settings. The caller holds mu.
func (h *Host) reportUnmatched(s *server) {
	var names []string
	for _, def := range s.defs {
		names = append(names, def.Name)
	}
	errs := s.cfg.Unmatched(names)
	if len(errs) == 0 {
		s.unmatched = ""
		return
	}
	err := &startError{"settings that match no tool", errs}
	if text := err.Error(); text != s.unmatched {
		s.unmatched = text
		h.bus.emit(&Event{Kind: SettingUnmatched, Server: s.name, Err: err})
	}
}

// selectTools returns the tools of a server that are not filtered out.
func (h *Host) selectTools(s *server) []*Tool {
	before := make(map[string]*Tool, len(s.tools))
	for _, t := range s.tools {
		before[t.def.Name] = t
	}
	list := make([]*Tool, 0, len(s.defs))
	for _, def := range s.defs {
		if !s.cfg.Tools.Allows(def.Name) || !h.allows(s.name, def) || h.opts.Pins == PinBlock && h.changeLocked(s, def) != nil {
			continue
		}
		t := before[def.Name]
		over := s.cfg.Overrides[def.Name]
		if t == nil || t.def != def || !t.over.Equal(over) {
			o := origin{s.name, def.Name}
			if t != nil && !t.over.Equal(over) {
				h.names.forget(o)
			}
			t = &Tool{host: h, server: s, def: def, description: h.describe(s.name, def), app: !forModels(def)}
			t.overrideLocked(over)
			t.name = h.names.nameAs(o, t.nameInServer())
		}
		list = append(list, t)
	}
	return list
}

// allows calls Options.Filter. A panic hides the tool.
func (h *Host) allows(server string, def *mcp.Tool) (ok bool) {
	if h.opts.Filter == nil {
		return true
	}
	_ = h.guard(server, func() { ok = h.opts.Filter(server, def) })
	return ok
}

// describe calls Options.Describe, or Describe after a panic.
func (h *Host) describe(server string, def *mcp.Tool) (text string) {
	if h.guard(server, func() { text = h.opts.Describe(server, def) }) != nil {
		return Describe(server, def)
	}
	return text
}

// publishLocked stores a new snapshot if the tools differ from the current one, and
// emits an event about the server that caused the change. It compares only the tools
// between the first and the last that differ, usually those of one server out of a
// thousand.
func (h *Host) publishLocked(changed []ToolChange, server string) {
	if h.updating {
		return
	}
	old := h.snap.Load()
	most := 0 // tools
	for _, srv := range h.servers {
		if srv.listedLocked() {
			most += len(srv.tools)
		}
	}
	s := &Snapshot{version: old.version + 1, tools: make([]*Tool, 0, most), replaced: make(chan struct{})}
	for _, srv := range h.servers {
		if srv.listedLocked() {
			for _, t := range srv.tools {
				if !t.app {
					s.tools = append(s.tools, t)
				}
			}
		}
	}
	if slices.Equal(s.tools, old.tools) {
		return
	}
	before, now := old.tools, s.tools
	for len(before) > 0 && len(now) > 0 && before[0] == now[0] {
		before, now = before[1:], now[1:]
	}
	for len(before) > 0 && len(now) > 0 && before[len(before)-1] == now[len(now)-1] {
		before, now = before[:len(before)-1], now[:len(now)-1]
	}
	e := Event{Kind: ToolsChanged, Server: server, Version: s.version, Changed: changed}
	had, has := toolNames(before), toolNames(now)
	for _, t := range now {
		if had[t.name] == nil {
			e.Added = append(e.Added, t.name)
		}
	}
	for _, t := range before {
		if has[t.name] == nil {
			e.Removed = append(e.Removed, t.name)
		}
	}
	h.snap.Store(s)
	close(old.replaced)
	h.bus.emit(&e)
}

// changedFields returns the fields in which two definitions differ.
func changedFields(a, b *mcp.Tool) (what []string) {
	if a.Description != b.Description {
		what = append(what, "description")
	}
	if !sameJSON(a.InputSchema, b.InputSchema) {
		what = append(what, "inputSchema")
	}
	if !sameJSON(a.OutputSchema, b.OutputSchema) {
		what = append(what, "outputSchema")
	}
	if hints(a.Annotations) != hints(b.Annotations) {
		what = append(what, "annotations")
	}
	if a.DisplayName() != b.DisplayName() {
		what = append(what, "title")
	}
	return what
}

// hints returns the values of all annotations, with defaults.
func hints(a *mcp.ToolAnnotations) [4]bool {
	return [...]bool{a.ReadOnly(), a.Destructive(), a.Idempotent(), a.OpenWorld()}
}

// forModels reports whether models may see a tool: unless its _meta.ui.visibility
// (MCP Apps, SEP-1865) lacks "model".
func forModels(def *mcp.Tool) (visible bool) {
	list := wire.Lookup(def.Meta, "ui", "visibility")
	r := wire.NewReader(list)
	if r.Kind() != wire.Array {
		return true
	}
	for r.Array(); r.More(); {
		visible = string(r.Raw()) == `"model"` || visible
	}
	return visible
}

// AppTools returns the tools that are not for models, but for the user interface
// of their server in the program (MCP Apps): those whose _meta.ui.visibility lacks
// "model". Tools and the other methods for models leave them out; the program
// calls them like other tools, or with Host.CallTool.
func (h *Host) AppTools() []*Tool {
	h.mu.Lock()
	var list []*Tool
	for _, s := range h.servers {
		if s.listedLocked() {
			list = append(list, s.tools...)
		}
	}
	h.mu.Unlock()
	return slices.DeleteFunc(list, func(t *Tool) bool { return !t.app })
}

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
func (h *Host) Updates(ctx context.Context) iter.Seq[*ToolsUpdate] { return h.root.Updates(ctx) }

// Updates is [Host.Updates] for the tools of the view.
func (v *View) Updates(ctx context.Context) iter.Seq[*ToolsUpdate] {
	return func(yield func(*ToolsUpdate) bool) {
		var last *ToolsUpdate
		for {
			snap := v.host.Snapshot()
			u := v.update(snap, last)
			if last == nil || u.changes() {
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

func (u *ToolsUpdate) changes() bool { return len(u.Added)+len(u.Removed)+len(u.Changed) > 0 }

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
