package host

import (
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/internal/notes"
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
// command, arguments and URL without secrets, a hash of the query of the URL, and
// the names of its environment variables. If these change, the entry no longer applies.
type Catalog struct {
	// The functions are linked only if the program opens a Catalog. They are not
	// an interface, which would link String and MarshalJSON of all types in a Host.

	// load returns a listing for each server that it contains, or else nil.
	load func(h *Host, servers []*Server) []*listing

	// offer makes the host show the tools of a server that is not connected. The
	// caller holds the host's mu.
	offer func(h *Host, s *server, l *listing)

	// record saves what a connected server said, in the background. The caller
	// holds the host's mu.
	record func(h *Host, s *server)

	forget func(name string) error
}

// A listing is what a server has said about itself.
type listing struct {
	info      *mcp.ServerInfo
	era       string // ServerInfo.ProtocolVersion for the next connection; empty if unknown
	probed    int64  // ServerInfo.Probed of a legacy server in seconds since 1970; 0 for never
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
func (h *Host) catalogued(servers []*Server) []*listing {
	if c := h.opts.Catalog; c != nil && c.load != nil {
		return c.load(h, servers)
	}
	return make([]*listing, len(servers))
}

// recordLocked saves what a server said in the catalog.
func (h *Host) recordLocked(s *server) {
	if c := h.opts.Catalog; c != nil && c.record != nil && !h.closed {
		c.record(h, s)
	}
}

// offerLocked shows the tools that the catalog contains for a server that is not
// connected.
func (h *Host) offerLocked(s *server, l *listing) {
	if l != nil {
		h.opts.Catalog.offer(h, s, l)
	}
}

// eagerLocked reports whether the host connects to a server without being asked.
func (h *Host) eagerLocked(s *server) bool {
	return !s.cfg.Lazy && (s.cfg.Required || !s.offered)
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

// OpenCatalog returns the Catalog in the file at path, for Options.Catalog. It
// reads nothing yet: SetServers and AddServer do. The file has mode 0600 and is at
// most 16 MiB, with at most 4 MiB for each server. If the listing of a server is longer,
// the catalog keeps only its pins. To make room for new entries, it first keeps only the
// pins of the oldest ones. If that is not enough, the longest entries lose their pins, and
// each tool of their servers counts as changed until Host.Pin or an approval pins it. Hosts
// write the file in the background and at Shutdown.
//
// A host never fails because of a file that it cannot read or write: it emits a
// CatalogFailed event, connects to the servers as it would without a Catalog, and
// replaces the file if it is not a catalog of this version or not the user's own.
func OpenCatalog(path string) *Catalog {
	c := &catalogFile{path: path, pending: make(map[string]*catalogRecord)}
	return &Catalog{c.load, offerListing, c.record, c.forget}
}

// offerListing implements Catalog.offer.
func offerListing(h *Host, s *server, l *listing) {
	s.pins = notes.Set{}
	for name, text := range l.pins {
		s.pins.Store(name, text)
	}
	if l.info == nil {
		return // only the pins could be saved
	}
	s.info, s.known = l.info, l
	if slices.Contains(mcp.ProtocolVersions(), l.era) {
		s.cached = &mcp.ServerInfo{ProtocolVersion: l.era, Implementation: mcp.Implementation{Name: l.info.Name, Version: l.info.Version}}
		if l.probed != 0 {
			s.cached.Probed = time.Unix(l.probed, 0)
		}
	}
	s.setDefs(l.tools)
	for _, t := range s.defs {
		if h.opts.Pins != PinReport {
			s.pinFirstLocked(t)
		}
	}
	s.tools = h.selectTools(s)
	s.offered = true
}
