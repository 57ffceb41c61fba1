package ui

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	ringBytes    = 64 << 20 // of messages and of what the ring adds to each
	entryBytes   = 512      // what an entry costs beside its data and its texts
	maxPending   = 10_000   // requests whose responses are recognized
	maxEntryText = 500      // bytes of text in the metadata of an entry
	maxName      = 200      // bytes of a method or a name in the metadata of an entry
)

// Kinds of entries.
const (
	kindRequest      = "request"
	kindNotification = "notification"
	kindResponse     = "response"
	kindError        = "error"
	kindInvalid      = "invalid" // not a JSON-RPC message
	kindStderr       = "stderr"  // a line that the server wrote to standard error
	kindTrace        = "trace"   // an observation of the client
)

// An entry describes a message or an observation. The page receives it without the
// data.
type entry struct {
	Seq    int64   // counted from 1
	At     float64 // milliseconds since 1970
	Conn   int
	Kind   string
	Sent   bool // by the client
	Method string
	Name   string // of the tool, the prompt or the resource
	ID     string
	Took   *float64 // milliseconds between a request and this response
	Of     int64    // the Seq of the request
	Size   int
	Text   string // a line, an observation, or the message of an error
	Failed bool

	data []byte // nil if it is larger than the ring
	when time.Time
}

// bytes returns what the entry costs.
func (e *entry) bytes() int {
	return entryBytes + len(e.data) + len(e.Method) + len(e.Name) + len(e.ID) + len(e.Text)
}

// A requestKey identifies a request.
type requestKey struct {
	conn int
	sent bool
	id   string
}

// A pendingRequest is what a response needs to know of its request. The entry of a request
// would keep its data.
type pendingRequest struct {
	seq          int64
	when         time.Time
	method, name string
}

// A ring keeps the latest entries.
type ring struct {
	limit   int // bytes
	entries []*entry
	size    int
	last    int64 // the Seq of the latest entry
	cleared int64 // the page does not show entries up to this Seq; a recording needs them
	dropped int64 // the number of entries that are no longer kept
	pending map[requestKey]pendingRequest
}

// add appends an entry and removes the oldest ones if there is no room.
func (r *ring) add(e *entry, data []byte) *entry {
	r.last++
	e.Seq, e.Size = r.last, len(data)
	if e.when.IsZero() {
		e.when = time.Now()
	}
	e.At = float64(e.when.UnixMicro()) / 1000
	if e.bytes()+len(data) <= r.limit {
		e.data = bytes.Clone(data)
	}
	r.entries = append(r.entries, e)
	r.size += e.bytes()
	n := 0
	for ; r.size > r.limit && n < len(r.entries)-1; n++ {
		r.size -= r.entries[n].bytes()
		r.entries[n] = nil
	}
	r.entries, r.dropped = r.entries[n:], r.dropped+int64(n)
	return e
}

// message adds a message of a connection.
func (r *ring) message(conn int, sent bool, data []byte) *entry {
	e := &entry{Conn: conn, Sent: sent, when: time.Now()}
	data = bytes.TrimSpace(data)
	m, err := jsonrpc.Parse(data)
	pending := false
	switch {
	case err != nil:
		e.Kind, e.Text = kindInvalid, cut(err.Error(), maxEntryText)
	case m.Method != "":
		e.Kind, e.Method, e.Name = kindNotification, cut(m.Method, maxName), cut(nameOf(m.Params), maxName)
		if m.IsRequest() {
			e.Kind, e.ID = kindRequest, cut(m.ID.String(), maxName)
			pending = true
		}
	default:
		e.Kind, e.ID = kindResponse, cut(m.ID.String(), maxName)
		key := requestKey{conn, !sent, e.ID}
		if request, ok := r.pending[key]; ok {
			delete(r.pending, key)
			took := float64(e.when.Sub(request.when).Microseconds()) / 1000
			e.Method, e.Name, e.Took, e.Of = request.method, request.name, &took, request.seq
		}
		if m.Error != nil {
			e.Kind, e.Text = kindError, cut(fmt.Sprintf("%d %s", m.Error.Code, m.Error.Message), maxEntryText)
		} else {
			e.Failed = string(wire.Lookup(m.Result, "isError")) == "true"
		}
	}
	r.add(e, data)
	if pending {
		if r.pending == nil || len(r.pending) >= maxPending {
			r.pending = make(map[requestKey]pendingRequest)
		}
		r.pending[requestKey{conn, sent, e.ID}] = pendingRequest{e.Seq, e.when, e.Method, e.Name}
	}
	return e
}

// nameOf returns what the params of a request are about, or "".
func nameOf(params []byte) string {
	for _, key := range [...]string{"name", "uri", "message", "data"} {
		if text := wire.TextOf(params, key); text != "" {
			return text
		}
	}
	return ""
}

// text adds a line of standard error or an observation.
func (r *ring) text(kind, name, text string) *entry {
	return r.add(&entry{Kind: kind, Name: name, Text: cut(text, maxEntryText)}, []byte(text))
}

// since returns up to n entries after seq.
func (r *ring) since(seq int64, n int) []*entry {
	first := max(0, int(max(seq, r.cleared)-r.last)+len(r.entries)) // the index of seq+1
	return r.entries[min(first, len(r.entries)):min(first+n, len(r.entries))]
}

// get returns an entry, or nil if it is no longer kept.
func (r *ring) get(seq int64) *entry {
	if found := r.since(seq-1, 1); len(found) == 1 && found[0].Seq == seq {
		return found[0]
	}
	return nil
}

// clear hides all entries.
func (r *ring) clear() { r.cleared = r.last }

// cut returns a copy of the first bytes of a text, as valid UTF-8. The text may share
// memory with a message.
func cut(s string, n int) string {
	if len(s) <= n {
		return strings.Clone(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
