package host

import (
	"slices"
)

// A View is what one agent may use of a host: the tools of some of its
// servers. Views share the connections, and cost nothing to make.
type View struct {
	host    *Host
	servers []string // nil: all
	can     Capabilities
	limited bool // can counts
	approve Approver
}

// Agent returns a view of some servers, or of all of them if none is named.
// Servers that don't exist are no error, and may come to exist; see Unknown.
func (h *Host) Agent(servers ...string) *View {
	return &View{host: h, servers: slices.Clone(servers)}
}

// Agent returns a view for an agent that is started by the one of v: it has
// those of v's servers that are named, or all of them if none is.
func (v *View) Agent(servers ...string) *View {
	w := *v
	if len(servers) > 0 {
		w.servers = slices.DeleteFunc(slices.Clone(servers), func(name string) bool { return !v.sees(name) })
		if len(w.servers) == 0 {
			w.servers = []string{""} // no server has that name
		}
	}
	return &w
}

// With returns a view whose tools are called only if approve doesn't deny it,
// and Options.Approve, if set, allows it. It says Ask in vain when there is no
// Options.Approve.
func (v *View) With(approve Approver) *View {
	w := *v
	switch before := v.approve; {
	case before == nil:
		w.approve = approve
	case approve != nil:
		w.approve = First(before, approve)
	}
	return &w
}

// Can returns a view that has only the tools that the capabilities allow.
func (v *View) Can(c Capabilities) *View {
	w := v.With(c.Approve)
	w.can, w.limited = slices.Clone(c), true
	return w
}

// sees reports whether the view has the server of that name.
func (v *View) sees(server string) bool {
	return len(v.servers) == 0 || slices.Contains(v.servers, server)
}

// Unknown returns the servers of the view that don't exist, for a warning.
func (v *View) Unknown() (names []string) {
	v.host.lock()
	defer v.host.unlock()
	for _, name := range v.servers {
		if v.host.servers[name] == nil && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Version returns the number of the host's snapshot of tools.
func (v *View) Version() uint64 { return v.host.Snapshot().version }

// Tools returns the tools of the view's servers.
func (v *View) Tools() []*Tool {
	var list []*Tool
	for _, t := range v.host.Snapshot().tools {
		if t = v.of(t); t != nil {
			list = append(list, t)
		}
	}
	return list
}

// Tool returns the tool that models call by name, or nil.
func (v *View) Tool(name string) *Tool { return v.of(v.host.Tool(name)) }

// of returns a tool as the view has it, or nil.
func (v *View) of(t *Tool) *Tool {
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
