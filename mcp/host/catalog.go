package host

import (
	"context"
	"slices"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Catalog keeps what servers said about themselves in a file, so that a host
// can show their tools before it has connected to them. OpenCatalog returns it
// for Options.Catalog. Several hosts and processes may use the same file at
// once.
//
// A host with a Catalog connects to a server that the Catalog contains when the
// server is first used, unless the server is required. The host connects to
// other servers as it would without a Catalog, and adds them.
//
// An entry belongs to the settings of one server: its file, name, directory,
// command, arguments and URL without secrets, and the names of its environment
// variables. If these change, the entry no longer applies.
type Catalog struct {
	// The functions are linked only if the program opens a Catalog. They are not
	// an interface, which would link String and MarshalJSON of all types in a Host.

	// load returns a *listing for each server that it contains, or else nil.
	load func(h *Host, servers []*Server) []any

	// offer makes the host show the tools of a server that is not connected. The
	// caller holds the host's mu.
	offer func(h *Host, s *server, listing any)

	// record saves what a connected server said, in the background. The caller
	// holds the host's mu.
	record func(h *Host, s *server)

	forget func(name string) error
}

// A listing is what a server has said about itself. The host's own structs have
// an any for it, because its types would add 3 KB to each program.
type listing struct {
	info      *mcp.ServerInfo
	era       string // ServerInfo.ProtocolVersion for the next connection; empty if unknown
	tools     []*mcp.Tool
	resources []*mcp.Resource
	prompts   []*mcp.Prompt
	pins      map[string]string // see server.pins
}

// Forget removes the entries of the server with the given name, with its pins.
// Call it after a logout, or after a login with another account, which may have
// different tools. A host that is connected to the server keeps its tools.
//
// The error is from reading or writing the file.
func (c *Catalog) Forget(name string) error {
	if c == nil || c.forget == nil {
		return nil
	}
	return c.forget(name)
}

// catalogued returns what the catalog contains about each server, or nil.
func (h *Host) catalogued(servers []*Server) []any {
	if c := h.opts.Catalog; c != nil && c.load != nil {
		return c.load(h, servers)
	}
	return make([]any, len(servers))
}

// record saves what a server said in the catalog. The caller holds mu.
func (h *Host) record(s *server) {
	if c := h.opts.Catalog; c != nil && c.record != nil && !h.closed {
		c.record(h, s)
	}
}

// offer shows the tools that the catalog contains for a server that is not
// connected. The caller holds mu.
func (h *Host) offer(s *server, listing any) {
	if listing != nil {
		h.opts.Catalog.offer(h, s, listing)
	}
}

// eager reports whether the host connects to a server without being asked. The
// caller holds mu.
func (h *Host) eager(s *server) bool {
	return !s.cfg.Lazy && (s.cfg.Required || !s.offered)
}

// Refresh connects to the named servers, or to all if none is named, and lists
// their tools again. Changes are reported as events, and in the Diff: Changed
// lists the servers whose tools are different now, and Errors those that could
// not be asked. Disabled servers are left out. With Options.Catalog, the result is
// saved. Refresh asks Options.Parallel servers at a time.
func (h *Host) Refresh(ctx context.Context, names ...string) *Diff {
	d := &Diff{Errors: make(map[string]error)}
	h.lock()
	for _, s := range h.servers {
		if len(names) == 0 && s.enabled {
			d.Changed = append(d.Changed, s.name)
		}
	}
	h.unlock()
	if len(names) > 0 {
		d.Changed = slices.Compact(slices.Sorted(slices.Values(names)))
	}
	changed, errs := make([]bool, len(d.Changed)), make([]error, len(d.Changed))
	slots := make(chan struct{}, h.opts.Parallel)
	var group lock.Group
	for i, name := range d.Changed {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			changed[i], errs[i] = h.refreshNamed(ctx, name)
		})
	}
	group.Wait()
	all := d.Changed
	d.Changed = nil
	for i, name := range all {
		if errs[i] != nil {
			d.Errors[name] = errs[i]
		} else if changed[i] {
			d.Changed = append(d.Changed, name)
		}
	}
	if len(all) > 0 && len(d.Errors) == len(all) {
		d.err = &startError{"all MCP servers failed", errs}
	}
	return d
}

// refreshNamed lists the tools of a server, and reports whether they differ from
// those that were known before.
func (h *Host) refreshNamed(ctx context.Context, name string) (changed bool, err error) {
	s, err := h.get(name)
	if err != nil {
		return false, err
	}
	h.lock()
	before, connected := s.defs, s.client
	h.unlock()
	client, _, err := h.client(ctx, s)
	if err == nil && client == connected { // connecting lists the tools
		err = h.refresh(ctx, s, client)
	}
	h.lock()
	defer h.unlock()
	return !slices.Equal(before, s.defs), err
}

// setDefs stores the definitions of a server's tools without those whose names are
// duplicates: the first tool counts.
func (s *server) setDefs(tools []*mcp.Tool) {
	s.defs, s.lastDefs = make([]*mcp.Tool, 0, len(tools)), make(map[string]*mcp.Tool, len(tools))
	for _, t := range tools {
		if s.lastDefs[t.Name] == nil {
			s.lastDefs[t.Name] = t
			s.defs = append(s.defs, t)
		}
	}
}
