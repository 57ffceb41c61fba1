package sse

import (
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// defaultMaxMessage is the longest event that is taken unless set.
	defaultMaxMessage = 64 << 20

	// lineSlack is how much longer than an event one line may be: it has a
	// name in front, and the first one may have a byte-order mark.
	lineSlack = 16

	// maxField is the longest type or id of an event.
	maxField = 8 << 10

	// The reconnection time that a server asks for is kept within these.
	minRetry, maxRetry = 100 * time.Millisecond, time.Minute
)

// An Event is one event of a stream.
type Event struct {
	// Type is "message" unless the server named another.
	Type string

	// Data is the payload, whose lines are joined with line feeds. It is the
	// caller's to keep.
	Data []byte
}

// A Reader reads the events of a stream, as section 9.2.6 of the HTML standard
// says. It must not be used by several goroutines at once.
type Reader struct {
	window
	max int // longest payload
	err error

	inside  bool // the stream has begun: what comes is not its first line
	afterCR bool // a line feed belongs to the line that was read last

	// The event that is being read. Its data is window.data.
	hasData bool
	typ     []byte
	id      []byte // outlives the event
	newID   bool   // id was set since last was

	last  []byte // id of the last event
	retry time.Duration
}

// NewReader returns a Reader of the stream r. A line or the data of an event
// of more than max bytes ends it with an error that matches
// [jsonrpc.ErrTooLarge]. Zero means 64 MiB.
func NewReader(r io.Reader, max int) *Reader {
	if max <= 0 {
		max = defaultMaxMessage
	}
	return &Reader{window: window{r: r, max: max + lineSlack}, max: max}
}

// LastID returns the id of the last event, as Last-Event-ID is to repeat it:
// that of an earlier event if the last one had none of its own, and that of an
// event without data, which Next doesn't return, too. It is empty at first,
// and again when the server says so.
func (r *Reader) LastID() string { return string(r.last) }

// Retry returns how long the server wants clients to wait before they connect
// again, made to be between 100 ms and a minute, or 0 if it said nothing.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next returns the next event that has data, which may be empty. At the end of
// the stream the error is that of the stream, mostly [io.EOF]; an event that
// the end cuts off is dropped. All later calls return the same error.
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
			r.err = r.more()
			continue
		}
		line := r.buf[r.from:end]
		r.afterCR = r.buf[end] == '\r'
		r.from, r.seen = end+1, 0
		if !r.inside {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
			r.inside = true
		}
		if len(line) > 0 {
			r.err = r.field(line, end)
		} else if ev, ok := r.dispatch(); ok {
			return ev, nil
		}
	}
	return Event{}, r.err
}

// field takes a line that is not blank. end is where it ends in the buffer.
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

// addData adds buf[from:to], the value of a data field, to the event's data.
// There is room for it below: where the line's name and the last line's end
// have been.
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

// dispatch ends an event. It reports false if the event has no data.
func (r *Reader) dispatch() (Event, bool) {
	if r.newID {
		r.last, r.newID = append(r.last[:0], r.id...), false
	}
	ev := Event{Type: "message"}
	switch string(r.typ) {
	case "", "message":
	case "endpoint":
		ev.Type = "endpoint" // costs no memory
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
	return &about{what + " of more than " + strconv.Itoa(limit) + " bytes", jsonrpc.ErrTooLarge}
}

// about is an error with what it concerns in front of it.
type about struct {
	what string
	err  error
}

func (e *about) Error() string { return e.what + ": " + e.err.Error() }
func (e *about) Unwrap() error { return e.err }
