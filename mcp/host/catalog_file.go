package host

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

const (
	// catalogVersion is the version of the format.
	catalogVersion = 1

	// maxCatalog limits the length of the file in bytes, and maxEntry that of
	// the entry of one server.
	maxCatalog, maxEntry = 16 << 20, 4 << 20

	// catalogWait limits the time to wait for the lock of the file.
	catalogWait = 2 * time.Second
)

// OpenCatalog returns the Catalog in the file at path, for Options.Catalog. It
// reads nothing yet: SetServers and AddServer do. The file has mode 0600 and is at
// most 16 MiB, with at most 4 MiB for each server; the oldest entries make room
// for new ones. Hosts write it in the background and at Shutdown.
//
// A host never fails because of a file that it cannot read or write: it emits a
// CatalogFailed event, connects to the servers as it would without a Catalog, and
// replaces the file if it is not a catalog of this version or not the user's own.
func OpenCatalog(path string) *Catalog {
	c := &catalogFile{path: path, pending: make(map[string]*catalogEntry)}
	return &Catalog{c.load, c.offer, c.record, c.forget}
}

// A catalogFile implements a Catalog.
type catalogFile struct {
	path string

	mu      lock.Mutex
	pending map[string]*catalogEntry // to write, by key
	writing bool                     // a goroutine writes pending
}

// A catalogEntry is the entry of one server.
type catalogEntry struct {
	key   string // JSON; see catalogKey
	saved int64  // in milliseconds since 1970
	text  []byte // the members of a listing, as a JSON object

	// For an entry that is not encoded yet:
	host    *Host
	client  *mcp.Client // asked for resources and prompts; nil if it is known which
	server  *server
	listing listing
}

// errCatalog is the error for a file that is not a catalog, and errNewer for one
// of a later version.
var (
	errCatalog = errors.New("the file is not a catalog")
	errNewer   = errors.New("the file is a catalog of a later version")
	errEntry   = errors.New("what the server said is larger than 4 MiB")
)

// report emits a CatalogFailed event.
func (c *catalogFile) report(h *Host, server, what string, err error) {
	e := newError(catalogFailed, "catalog "+wire.Quote(c.path)+what, server, err)
	h.bus.emit(&Event{Kind: CatalogFailed, Server: server, Err: e})
}

func (c *catalogFile) load(h *Host, servers map[string]*Server) map[string]any {
	entries, err := c.read()
	if err != nil {
		c.report(h, "", " is ignored", err)
		return nil
	}
	if len(entries) == 0 {
		return nil
	}
	found := make(map[string]any)
	for name, cfg := range servers {
		e := entries[catalogKey(cfg)]
		if e == nil {
			continue
		}
		l, err := readListing(e.text)
		if err != nil {
			c.report(h, name, " has an invalid entry", err)
			continue
		}
		found[name] = l
	}
	return found
}

// read returns the entries of the file by key.
func (c *catalogFile) read() (map[string]*catalogEntry, error) {
	data, err := statefile.Read(c.path, maxCatalog, true)
	if data == nil || err != nil {
		return nil, err
	}
	version := int64(0)
	entries := make(map[string]*catalogEntry)
	r := wire.NewReader(data)
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "version":
			if version = r.Int(); version > catalogVersion {
				return nil, errNewer
			}
		case "servers":
			for r.Array(); r.More(); {
				e := readEntry(&r)
				entries[e.key] = e
			}
		default:
			r.Skip()
		}
	}
	if r.End() != nil || version != catalogVersion {
		return nil, errCatalog
	}
	return entries, nil
}

func readEntry(r *wire.Reader) *catalogEntry {
	e := &catalogEntry{}
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "key":
			e.key = string(r.Raw())
		case "saved":
			e.saved = r.Int()
		case "said":
			e.text = r.Raw()
		default:
			r.Skip()
		}
	}
	return e
}

// readListing decodes the text of an entry.
func readListing(text []byte) (*listing, error) {
	l := &listing{info: &mcp.ServerInfo{}, pins: make(map[string]string)}
	var tools mcp.ListToolsResult
	var resources mcp.ListResourcesResult
	var prompts mcp.ListPromptsResult
	r := wire.NewReader(text)
	for r.Object(); r.More(); {
		var err error
		switch string(r.Key()) {
		case "server":
			err = l.info.UnmarshalJSON(r.Raw())
		case "era":
			l.era = r.String()
		case "tools":
			err = tools.UnmarshalJSON(r.Raw())
		case "resources":
			err = resources.UnmarshalJSON(r.Raw())
		case "prompts":
			err = prompts.UnmarshalJSON(r.Raw())
		case "pins":
			for r.Object(); r.More(); {
				name := string(r.Key())
				l.pins[name] = string(r.Raw())
			}
		default:
			r.Skip()
		}
		if err != nil {
			r.Fail(err)
		}
	}
	l.tools, l.resources, l.prompts = tools.Tools, resources.Resources, prompts.Prompts
	return l, r.End()
}

// appendListing appends the text of an entry.
func appendListing(b []byte, l *listing) ([]byte, error) {
	b = append(b, '{')
	if l.era != "" {
		b = wire.AppendString(wire.AppendKey(b, "era"), l.era)
	}
	for _, part := range [...]struct {
		name string
		v    interface{ MarshalJSON() ([]byte, error) }
	}{
		{"server", l.info},
		{"tools", &mcp.ListToolsResult{Tools: l.tools}},
		{"resources", &mcp.ListResourcesResult{Resources: l.resources}},
		{"prompts", &mcp.ListPromptsResult{Prompts: l.prompts}},
	} {
		text, err := part.v.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = wire.AppendLine(wire.AppendKey(b, part.name), text)
	}
	b = append(wire.AppendKey(b, "pins"), '{')
	for _, name := range wire.SortedKeys(l.pins) {
		b = append(wire.AppendKey(b, name), l.pins[name]...)
	}
	return append(b, "}}"...), nil
}

// catalogKey returns the JSON text that identifies the entry of a server. It
// contains no secrets.
func catalogKey(cfg *Server) string {
	p := cfg.Public()
	b := wire.AppendString(wire.AppendKey([]byte{'{'}, "name"), p.Name)
	for _, part := range [...]struct{ name, value string }{
		{"source", p.Source}, {"cwd", p.Dir}, {"type", p.Type}, {"command", p.Command}, {"url", p.URL}, {"id", p.ID},
	} {
		b = appendText(b, part.name, part.value)
	}
	env := make(map[string]bool, len(p.Env))
	for _, v := range p.Env {
		name, _, _ := strings.Cut(v, "=")
		env[name] = true
	}
	for _, part := range [...]struct {
		name   string
		values []string
	}{{"args", p.Args}, {"env", wire.SortedKeys(env)}} {
		b = append(wire.AppendKey(b, part.name), '[')
		for _, v := range part.values {
			b = wire.AppendString(wire.AppendComma(b), v)
		}
		b = append(b, ']')
	}
	return string(append(b, '}'))
}

func (c *catalogFile) offer(h *Host, s *server, known any) {
	l, _ := known.(*listing)
	s.info, s.known, s.pins = l.info, l, l.pins
	if slices.Contains(mcp.ProtocolVersions(), l.era) {
		s.cached = &mcp.ServerInfo{ProtocolVersion: l.era}
	}
	s.setDefs(l.tools)
	s.lastDefs = make(map[string]*mcp.Tool, len(s.defs))
	for _, t := range s.defs {
		s.lastDefs[t.Name] = t
	}
	s.pinBytes = 0
	for _, text := range s.pins {
		s.pinBytes += len(text)
	}
	for _, t := range s.defs {
		if s.pins[t.Name] == "" && h.opts.Pins != PinReport {
			s.pin(t)
		}
	}
	s.tools = h.selectTools(s)
	s.offered = true
}

func (c *catalogFile) record(h *Host, s *server) {
	if s.info == nil {
		return // a note for a server that was never connected
	}
	e := &catalogEntry{host: h, server: s, listing: listing{
		info: s.info, tools: s.defs, pins: copyPins(s.pins)}}
	if known, ok := s.known.(*listing); ok {
		e.listing.resources, e.listing.prompts = known.resources, known.prompts
	}
	if s.cached != nil {
		e.listing.era = s.cached.ProtocolVersion
	}
	if s.client != nil && s.client != s.catalogued {
		e.client, s.catalogued = s.client, s.client
	}
	e.key = catalogKey(s.cfg)
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.pending[e.key]; old != nil && e.client == nil {
		e.client = old.client
	}
	c.pending[e.key] = e
	if c.writing {
		return
	}
	c.writing = true
	h.running.Add(1)
	go func() { // ends when there is nothing left to write
		defer h.running.Done()
		c.flush()
	}()
}

// flush writes the pending entries.
func (c *catalogFile) flush() {
	for {
		c.mu.Lock()
		batch := c.pending
		c.pending = make(map[string]*catalogEntry)
		c.writing = len(batch) > 0
		c.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		var group sync.WaitGroup
		for _, e := range batch {
			group.Go(func() { _ = e.host.guard(e.complete) })
		}
		group.Wait()
		c.write(batch)
	}
}

// complete lists resources and prompts of the server and encodes the entry.
func (e *catalogEntry) complete() {
	if e.client != nil {
		ctx, cancel := within(e.host.ctx, e.host.timeout(e.server))
		defer cancel()
		resources, err := e.client.ListResources(ctx)
		if err == nil {
			e.listing.resources = resources
		}
		prompts, err := e.client.ListPrompts(ctx)
		if err == nil {
			e.listing.prompts = prompts
		}
		e.host.lock()
		if e.server.client == e.client {
			e.server.known = &e.listing
		}
		e.host.unlock()
	}
	e.text, _ = appendListing(nil, &e.listing)
}

// write adds entries to the file.
func (c *catalogFile) write(batch map[string]*catalogEntry) {
	var h *Host
	for key, e := range batch {
		if h = e.host; len(e.text) > maxEntry {
			c.report(h, e.server.name, " does not contain the server", errEntry)
			delete(batch, key)
		}
	}
	if err := c.update(h, func(entries map[string]*catalogEntry) (changed bool) {
		for key, e := range batch {
			old := entries[key]
			if old != nil && string(old.text) == string(e.text) || e.text == nil {
				continue
			}
			entries[key] = &catalogEntry{key: key, saved: time.Now().UnixMilli(), text: e.text}
			changed = true
		}
		return changed
	}); err != nil {
		c.report(h, "", " is not written", err)
	}
}

// update changes the entries of the file. h receives the event about a file that
// is replaced; it may be nil.
func (c *catalogFile) update(h *Host, change func(map[string]*catalogEntry) (changed bool)) error {
	ctx, cancel := retry.WithTimeout(context.Background(), catalogWait, errLocked)
	defer cancel()
	if err := statefile.MakeDir(c.path); err != nil {
		return err
	}
	unlock, err := statefile.Lock(ctx, c.path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := c.read()
	if err != nil && h != nil {
		c.report(h, "", " is replaced", err)
	}
	if entries == nil {
		entries = make(map[string]*catalogEntry)
	}
	if !change(entries) {
		return nil
	}
	return statefile.Replace(c.path, appendEntries(entries))
}

var errLocked = errors.New("another process has locked it")

// appendEntries returns the text of a file, with the latest entries that it has
// room for.
func appendEntries(entries map[string]*catalogEntry) []byte {
	latest := make(map[string]string, len(entries)) // keys, in this order; slices.SortFunc would add 10 KB
	for key, e := range entries {
		age := strconv.FormatInt(math.MaxInt64-max(e.saved, 0), 10)
		latest["0000000000000000000"[len(age):]+age+key] = key
	}
	b := []byte(`{"version":1,"servers":[`)
	for _, order := range wire.SortedKeys(latest) {
		e := entries[latest[order]]
		if len(b)+len(e.key)+len(e.text)+100 > maxCatalog {
			break
		}
		b = append(wire.AppendComma(b), "\n{"...)
		b = append(wire.AppendKey(b, "key"), e.key...)
		b = wire.AppendInt(wire.AppendKey(b, "saved"), e.saved)
		b = append(append(wire.AppendKey(b, "said"), e.text...), '}')
	}
	return append(b, "\n]}\n"...)
}

func (c *catalogFile) forget(name string) error {
	c.mu.Lock()
	for key := range c.pending {
		if keyName(key) == name {
			delete(c.pending, key)
		}
	}
	c.mu.Unlock()
	return c.update(nil, func(entries map[string]*catalogEntry) (changed bool) {
		for key := range entries {
			if keyName(key) == name {
				delete(entries, key)
				changed = true
			}
		}
		return changed
	})
}

// keyName returns the name of the server in a key.
func keyName(key string) string {
	r := wire.NewReader(wire.Lookup([]byte(key), "name"))
	return r.String()
}

// copyPins returns a copy of pins, which the caller may keep.
func copyPins(pins map[string]string) map[string]string {
	c := make(map[string]string, len(pins))
	for name, text := range pins {
		c[name] = text
	}
	return c
}
