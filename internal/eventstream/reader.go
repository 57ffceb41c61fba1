package eventstream

import (
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// lineSlack is how much longer than the data one line may be: it starts
	// with a name, and the first line may start with a byte-order mark.
	lineSlack = 16

	// maxField is the longest type or id of an event.
	maxField = 8 << 10

	// The reconnection time that a server asks for is clamped to these.
	minRetry, maxRetry = 100 * time.Millisecond, time.Minute
)

// An Event is one event of a stream.
type Event struct {
	// Type is "message" unless the server names another type.
	Type string

	// Data is the payload, its lines joined with line feeds. The caller may
	// keep it.
	Data []byte
}

// HasMessage reports whether the event has a message: some servers send an error as an
// event of the type error.
func (e *Event) HasMessage() bool {
	return len(e.Data) > 0 && (e.Type == "message" || e.Type == "error")
}

// A Reader reads the events of a stream. It must not be used by several
// goroutines at once.
type Reader struct {
	window
	max int // limit of the data of an event
	err error

	started bool // the first line has been read
	afterCR bool // the last line ended in CR; a line feed belongs to it

	// The event that is being read. The window holds its data.
	hasData bool
	typ     []byte
	id      []byte // applies to later events too
	newID   bool   // id has been set since lastID was

	lastID []byte // id of the last event
	retry  time.Duration
}

// NewReader returns a Reader of the stream r. A line, or the data of an event,
// of more than max bytes ends the stream with an error that matches
// [jsonrpc.ErrTooLarge]. Zero means 64 MiB.
func NewReader(r io.Reader, max int) *Reader {
	max = buffers.MessageLimit(max)
	return &Reader{window: window{r: r, max: max + lineSlack}, max: max}
}

const errGzip = diag.Message("the server compresses the stream without Content-Encoding: gzip")

// LastID returns the id to send in Last-Event-ID: the id of the last event or,
// if that has none, of an earlier one. Events without data, which Next skips,
// count. LastID is empty until the server sends an id, and after the server
// resets it.
func (r *Reader) LastID() string { return string(r.lastID) }

// Retry returns how long the server asks clients to wait before they reconnect,
// clamped to between 100 ms and a minute, or 0 if the server sets no time.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next returns the next event that has a data field, which may be empty. At the
// end of the stream it returns the stream's error, usually [io.EOF], and drops
// an incomplete event. All later calls return the same error.
func (r *Reader) Next() (Event, error) {
	for r.err == nil {
		if r.afterCR && r.from < r.to {
			if r.buf[r.from] == '\n' {
				r.from++
			}
			r.afterCR = false
		}
		end, ok := r.lineEnd()
		if !ok {
			if r.err = r.more(); !r.started && bytes.HasPrefix(r.buf[r.from:r.to], []byte("\x1f\x8b")) {
				r.err = errGzip
			}
			continue
		}
		line := r.buf[r.from:end]
		r.afterCR = r.buf[end] == '\r'
		r.from, r.searched = end+1, 0
		if !r.started {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
			r.started = true
		}
		if len(line) > 0 {
			r.err = r.field(line, end)
		} else if ev, ok := r.dispatch(); ok {
			return ev, nil
		}
	}
	return Event{}, r.err
}

// field handles a line that is not blank and ends at end in the buffer.
func (r *Reader) field(line []byte, end int) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		r.addData(end-len(value), end)
		if r.dataTo-r.dataFrom > r.max {
			return tooLarge("event data", r.max)
		}
	case "event":
		r.typ = append(r.typ[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id, r.newID = append(r.id[:0], value...), true
		}
	case "retry":
		r.setRetry(value)
	}
	if len(r.typ) > maxField || len(r.id) > maxField {
		return tooLarge("event type or id", maxField)
	}
	return nil
}

// addData appends buf[from:to], the value of a data field, to the event's data.
// It always fits in front of from: the field's name and the previous line's end
// were there.
func (r *Reader) addData(from, to int) {
	if !r.hasData {
		r.hasData, r.dataFrom, r.dataTo = true, from, to
		return
	}
	r.buf[r.dataTo] = '\n'
	r.dataTo += 1 + copy(r.buf[r.dataTo+1:], r.buf[from:to])
}

func (r *Reader) setRetry(value []byte) {
	if len(value) == 0 {
		return
	}
	d := time.Duration(0)
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
		d = min(d*10+time.Duration(c-'0')*time.Millisecond, maxRetry)
	}
	r.retry = max(d, minRetry)
}

// dispatch ends an event, and reports whether the event has data.
func (r *Reader) dispatch() (Event, bool) {
	if r.newID {
		r.lastID, r.newID = append(r.lastID[:0], r.id...), false
	}
	ev := Event{Type: "message"}
	switch string(r.typ) {
	case "", "message":
	case "endpoint":
		ev.Type = "endpoint" // without an allocation
	default:
		ev.Type = string(r.typ)
	}
	ok := r.hasData
	if ok {
		ev.Data = make([]byte, r.dataTo-r.dataFrom)
		copy(ev.Data, r.buf[r.dataFrom:r.dataTo])
	}
	r.hasData, r.dataFrom, r.dataTo, r.typ = false, 0, 0, r.typ[:0]
	r.shrink()
	return ev, ok
}

func tooLarge(what string, limit int) error {
	return diag.Op(what+" of more than "+strconv.Itoa(limit)+" bytes", jsonrpc.ErrTooLarge)
}
