package host

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/internal/notes"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
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

// A catalogFile implements a Catalog.
type catalogFile struct {
	path string

	mu      lock.Mutex
	pending map[string]*catalogRecord // to write, by key
	batch   map[string]*catalogRecord // what flush writes now
	writing bool                      // a goroutine writes pending
}

// A catalogEntry is the entry of one server in the file. The file begins with those
// that were saved last.
type catalogEntry struct {
	key   string // what identity returns
	saved int64  // in milliseconds since 1970
	said  []byte // a listing as JSON
}

// A catalogRecord is what a server said, for its entry.
type catalogRecord struct {
	host    *Host
	server  *server
	client  *mcp.Client // asked for resources and prompts; nil if it is known which
	listing listing
	text    []byte // the listing as JSON; nil if it cannot be saved
}

var (
	errCatalog = errors.New("the file is not a catalog")
	errNewer   = errors.New("the file is a catalog of a later version")
	errEntry   = errors.New("what the server said is larger than 4 MiB or nests too deep")
	errLocked  = errors.New("another process has locked it")
)

// report emits a CatalogFailed event.
func (c *catalogFile) report(h *Host, server, what string, err error) {
	e := newError(catalogFailed, "catalog "+wire.Quote(c.path)+what, server, err)
	h.bus.emit(&Event{Kind: CatalogFailed, Server: server, Err: e})
}

func (c *catalogFile) load(h *Host, servers []*Server) []*listing {
	_, entries, err := c.read()
	if err != nil {
		c.report(h, "", " is ignored", err)
	}
	found := make([]*listing, len(servers))
	for i, cfg := range servers {
		at := entryOf(entries, identity(cfg))
		if at < 0 {
			continue
		}
		l, err := readListing(entries[at].said)
		if err != nil {
			c.report(h, cfg.Name, " has an invalid entry", err)
			continue
		}
		found[i] = l
	}
	return found
}

// identity returns JSON text that tells servers apart: what reaches the server, and
// the file that says so. It has no secrets, and of Env only names.
func identity(s *Server) string {
	b := wire.AppendString([]byte(`{"name":`), s.Name)
	for _, part := range [...]struct{ key, value string }{
		{"source", s.Source}, {"cwd", s.Dir}, {"type", s.Type}, {"command", s.Command}, {"url", settings.PublicURL(s.URL)}, {"id", s.ID}, {"query", hashOfQuery(s.URL)},
	} {
		if part.value != "" {
			b = wire.AppendString(wire.AppendKey(b, part.key), part.value)
		}
	}
	b = append(wire.AppendKey(b, "args"), '[')
	for _, arg := range settings.PublicArgs(s.Args) {
		b = wire.AppendString(wire.AppendComma(b), arg)
	}
	b = append(wire.AppendKey(append(b, ']'), "env"), '[')
	names := make(map[string]string, len(s.Env))
	for _, v := range s.Env {
		name, _, _ := strings.Cut(v, "=")
		names[name] = name
	}
	for _, name := range wire.SortedKeys(names) {
		b = wire.AppendString(wire.AppendComma(b), name)
	}
	return string(append(b, "]}"...))
}

// hashOfQuery returns a hash of the parts of a URL's query without the names of secrets:
// gateways have several servers at one path.
func hashOfQuery(url string) string {
	_, query, _ := strings.Cut(url, "?")
	public := ""
	for part := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(part, "="); name != "" && !diag.IsSecretName(name) {
			public += part + "&"
		}
	}
	if public == "" {
		return ""
	}
	return strconv.FormatUint(uint64(hash(public, 0)), 16)
}

// entryOf returns the index of the entry with a key, or -1.
func entryOf(entries []catalogEntry, key string) int {
	for i := range entries {
		if entries[i].key == key {
			return i
		}
	}
	return -1
}

func (c *catalogFile) read() (data []byte, entries []catalogEntry, err error) {
	if data, err = statefile.Read(c.path, maxCatalog, true); data == nil || err != nil {
		return nil, nil, err
	}
	entries, err = readCatalog(data)
	return data, entries, err
}

// readCatalog reads the text of a file.
func readCatalog(data []byte) (entries []catalogEntry, err error) {
	version := int64(0)
	r := wire.NewReader(data)
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "version":
			if version = r.Int(); version > catalogVersion {
				return nil, errNewer
			}
		case "servers":
			for r.Array(); r.More(); {
				if e := readEntry(&r); e.key != "" && e.said != nil {
					entries = append(entries, e)
				}
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

// readable reports whether load could read a listing, which nests deeper in the file than
// in a message. An unreadable listing would cost the entries of all servers.
func readable(said []byte) bool {
	entries, err := readCatalog(slices.Concat([]byte(`{"version":1,"servers":[{"key":"","said":`), said, []byte(`}]}`)))
	if err == nil {
		_, err = readListing(entries[0].said)
	}
	return err == nil
}

func readEntry(r *wire.Reader) (e catalogEntry) {
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "key":
			e.key = string(r.Raw())
		case "saved":
			e.saved = r.Int()
		case "said":
			e.said = r.Raw()
		default:
			r.Skip()
		}
	}
	return e
}

func (c *catalogFile) record(h *Host, s *server) {
	if s.info == nil {
		return // a note for a server that was never connected
	}
	n := &catalogRecord{host: h, server: s, listing: listing{info: s.info, tools: s.defs, pins: maps.Clone(s.pins.Texts)}}
	if s.known != nil {
		n.listing.resources, n.listing.prompts = s.known.resources, s.known.prompts
	}
	if s.cached != nil {
		n.listing.era = s.cached.ProtocolVersion
		if !s.cached.Probed.IsZero() {
			n.listing.probed = s.cached.Probed.Unix()
		}
	}
	if client := s.state.client; client != nil && client != s.catalogued {
		n.client, s.catalogued = client, client
	}
	key := identity(s.cfg)
	c.mu.Lock()
	if old := c.pending[key]; old != nil && n.client == nil {
		n.client = old.client
	}
	c.pending[key] = n
	if !c.writing {
		c.writing = true
		h.running.Go(c.flush) // ends when there is nothing left to write
	}
	c.mu.Unlock()
}

// flush writes the pending records.
func (c *catalogFile) flush() {
	for {
		var h *Host
		var group lock.Group
		c.mu.Lock()
		c.batch, c.pending = c.pending, make(map[string]*catalogRecord)
		for _, n := range c.batch {
			h = n.host
			group.Go(func() { _ = n.host.guard(n.server.name, func() { c.complete(n) }) })
		}
		c.writing = h != nil
		c.mu.Unlock()
		if h == nil {
			return
		}
		group.Wait()
		if err := c.update(h, c.batch, ""); err != nil {
			c.report(h, "", " is not written", err)
		}
	}
}

// complete lists resources and prompts of the server and encodes the listing.
func (c *catalogFile) complete(n *catalogRecord) {
	h, s, l := n.host, n.server, &n.listing
	if n.client != nil {
		ctx, cancel := within(h.ctx, h.timeout(s))
		defer cancel()
		if resources, err := n.client.ListResources(ctx); err == nil {
			l.resources = resources
		}
		if prompts, err := n.client.ListPrompts(ctx); err == nil {
			l.prompts = prompts
		}
		h.mu.Lock()
		if s.state.client == n.client {
			s.known = l
		}
		h.mu.Unlock()
	}
	var err error
	if n.text, err = appendListing(nil, l); err != nil || len(n.text) > maxEntry || !readable(n.text) {
		c.report(h, s.name, " contains only the pins of the server", errEntry)
		for name, pin := range l.pins {
			if !readable(slices.Concat([]byte(`{"pinned":["",`), []byte(pin), []byte(`]}`))) {
				l.pins[name] = "0" // each definition differs from this pin
			}
		}
		n.text = append(appendPins([]byte{'{'}, l.pins), '}') // within the limit, see notes.Set
	}
}

// update puts records at the beginning of the file, in place of earlier entries of
// the servers, and removes the entries of the server with the name gone. h receives
// the event about a file that is replaced; it may be nil.
func (c *catalogFile) update(h *Host, records map[string]*catalogRecord, gone string) error {
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
	data, entries, err := c.read()
	if err != nil && h != nil {
		c.report(h, "", " is replaced", err)
	}
	var list []catalogEntry
	c.mu.Lock() // forget changes records
	for key, n := range records {
		if i := entryOf(entries, key); n.text == nil || i >= 0 && string(entries[i].said) == string(n.text) {
			delete(records, key) // as it was
			continue
		}
		list = append(list, catalogEntry{key, time.Now().UnixMilli(), n.text})
	}
	for _, e := range entries {
		if records[e.key] == nil && !isNamed(e.key, gone) {
			list = append(list, e)
		}
	}
	c.mu.Unlock()
	if data == nil && list == nil {
		return nil
	}
	makeRoom(list, maxCatalog)
	b := []byte(`{"version":1,"servers":[`)
	for _, e := range list {
		if len(b)+len(e.key)+len(e.said)+perEntry > maxCatalog {
			break
		}
		b = append(append(wire.AppendComma(b), "\n{\"key\":"...), e.key...)
		b = wire.AppendInt(wire.AppendKey(b, "saved"), e.saved)
		b = append(append(wire.AppendKey(b, "said"), e.said...), '}')
	}
	if b = append(b, "\n]}\n"...); string(b) == string(data) {
		return nil
	}
	return statefile.Replace(c.path, b)
}

// perEntry is more than the bytes of an entry beside its key and what the server said.
const perEntry = 200

// makeRoom shortens entries that are longer than most bytes together. It first reduces the
// oldest ones to their pins, because servers say the rest again. Then it removes the pins of
// the longest ones, so that a server with many pins loses its own and not another server's.
func makeRoom(list []catalogEntry, most int) {
	over := 2*perEntry - most
	for _, e := range list {
		over += len(e.key) + len(e.said) + perEntry
	}
	shorten := func(e *catalogEntry, pins map[string]string) {
		said := append(appendPins([]byte{'{'}, pins), '}')
		over += len(said) - len(e.said)
		e.said = said
	}
	for i := len(list) - 1; i >= 0 && over > 0; i-- {
		if l, err := readListing(list[i].said); err == nil {
			shorten(&list[i], l.pins)
		}
	}
	for limit := maxEntry / 2; limit > perEntry; limit /= 2 {
		for i := len(list) - 1; i >= 0 && over > 0; i-- {
			if len(list[i].said) > limit {
				shorten(&list[i], map[string]string{notes.Lost: "0"})
			}
		}
	}
}

func (c *catalogFile) forget(name string) error {
	c.mu.Lock()
	for _, records := range [...]map[string]*catalogRecord{c.pending, c.batch} {
		for key := range records {
			if isNamed(key, name) {
				delete(records, key)
			}
		}
	}
	c.mu.Unlock()
	return c.update(nil, nil, name)
}

// isNamed reports whether a key is that of a server with the given name.
func isNamed(key, name string) bool {
	return string(wire.Lookup([]byte(key), "name")) == string(wire.AppendString(nil, name))
}
