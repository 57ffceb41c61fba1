package host

import (
	"context"
	"slices"

	"github.com/stdmcp/stdmcp/mcp"
)

// A View is the part of a host that one agent may use: the tools of some
// servers. Views share the host's connections.
type View struct {
	host    *Host
	servers []string // nil: all
	can     Capabilities
	limited bool // apply can
	approve Approver
	own     *ownTools // made from this view: those of another one may reach more servers
}

// View returns a view of the named servers, or of all servers if none is
// named. It may name servers that do not exist yet; see View.Unknown.
func (h *Host) View(servers ...string) *View {
	return &View{host: h, servers: slices.Clone(servers), own: new(ownTools)}
}

// View returns a view for a subagent. It contains the named servers of v, or
// all of v's servers if none is named.
func (v *View) View(servers ...string) *View {
	w := v.clone()
	if len(servers) > 0 {
		w.servers = slices.DeleteFunc(slices.Clone(servers), func(name string) bool { return !v.sees(name) })
		if len(w.servers) == 0 {
			w.servers = []string{""} // no server has that name
		}
	}
	return w
}

// clone returns a copy of the view without its own tools.
func (v *View) clone() *View {
	w := *v
	w.own = new(ownTools)
	return &w
}

// With returns a view whose calls are also approved by approve. A call is made
// if approve does not deny it and Options.Approve, if set, allows it. If
// approve returns Ask and Options.Approve is nil, the call is denied. A nil
// approve has no effect.
func (v *View) With(approve Approver) *View {
	w := v.clone()
	switch before := v.approve; {
	case before == nil:
		w.approve = approve
	case approve != nil:
		w.approve = First(before, approve)
	}
	return w
}

// Can returns a view that contains only the tools that c allows.
func (v *View) Can(c Capabilities) *View {
	w := v.With(c.Approve)
	w.can, w.limited = slices.Clone(c), true
	return w
}

func (v *View) sees(server string) bool {
	return len(v.servers) == 0 || slices.Contains(v.servers, server)
}

// Unknown returns the names in the view for which no server exists.
func (v *View) Unknown() (names []string) {
	v.host.mu.Lock()
	for _, name := range v.servers {
		if v.host.serverLocked(name) == nil && name != "" {
			names = append(names, name)
		}
	}
	v.host.mu.Unlock()
	return names
}

// Version returns the version of the host's snapshot of tools.
func (v *View) Version() uint64 { return v.host.Snapshot().version }

// Tools returns the tools of the view.
func (v *View) Tools() []*Tool {
	var list []*Tool
	for _, t := range v.host.Snapshot().tools {
		if t = v.limit(t); t != nil {
			list = append(list, t)
		}
	}
	return list
}

// Tool is [Host.Tool] for the tools of the view.
func (v *View) Tool(name string) *Tool {
	if t := v.own.get(name); t != nil {
		return t
	}
	return v.limit(v.host.tool(name))
}

// CallTool is [Host.CallTool] for the tools of the view. The error matches
// ErrUnknownServer if the view does not contain the server, and ErrUnknownTool if it
// does not contain the tool.
func (v *View) CallTool(ctx context.Context, server, tool string, args any) (*mcp.CallToolResult, error) {
	if !v.sees(server) {
		return nil, noServer(server)
	}
	t, err := v.host.serverTool(ctx, server, tool)
	if err != nil {
		return nil, err
	}
	if t = v.limit(t); t == nil {
		return nil, noTool(server, tool)
	}
	return t.Call(ctx, args)
}

// limit returns the view's own copy of a tool, or nil if the view does not contain
// it.
func (v *View) limit(t *Tool) *Tool {
	if t == nil || !v.sees(t.Server()) || v.limited && !v.can.Allow(t.server.name, t.def.Name) {
		return nil
	}
	if v.approve == nil {
		return t
	}
	own := *t
	own.approve = v.approve
	return &own
}
