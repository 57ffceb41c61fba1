package proxy

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	typeJSON, eventStream = "application/json", "text/event-stream"

	// keepAlive is the time between two comments on a stream, which fail if the client
	// has gone.
	keepAlive = 15 * time.Second

	// chunk is how much of a message the client has to read within stallTime.
	chunk = 64 << 10
)

// readAll reads the body of a request. A client that sends nothing for stallTime is
// disconnected.
func readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	var body bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= chunk {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	from := http.MaxBytesReader(w, r.Body, maxMessage)
	for {
		_ = control.SetReadDeadline(time.Now().Add(stallTime))
		if _, err := io.CopyN(&body, from, chunk); err == io.EOF {
			return body.Bytes(), nil
		} else if err != nil {
			return nil, err
		}
	}
}

// write sends a part of a response. It fails if the client does not read it in time.
func write(w http.ResponseWriter, parts ...[]byte) error {
	control := http.NewResponseController(w)
	for _, p := range parts {
		for len(p) > 0 {
			n := min(len(p), chunk)
			_ = control.SetWriteDeadline(time.Now().Add(stallTime))
			if _, err := w.Write(p[:n]); err != nil {
				return err
			}
			p = p[n:]
		}
	}
	if err := control.Flush(); err != nil {
		return err
	}
	return control.SetWriteDeadline(time.Time{})
}

// writeJSON sends a response that is one message.
func writeJSON(w http.ResponseWriter, status int, message []byte) {
	w.Header().Set("Content-Type", typeJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(message)))
	w.WriteHeader(status)
	if t, ok := w.(*tappedWriter); ok {
		t.tap.message(false, message)
	}
	_ = write(w, message) // otherwise the client is gone
}

// refuse responds with an error of the proxy.
func refuse(w http.ResponseWriter, status int, id jsonrpc.ID, code int64, reason string) {
	writeJSON(w, status, refusal(id, code, reason))
}

// refuseMessage is refuse for a message that does not reach the server.
func refuseMessage(w http.ResponseWriter, line []byte, status int, id jsonrpc.ID, code int64, reason string) {
	if t, ok := w.(*tappedWriter); ok {
		t.tap.message(true, line)
	}
	refuse(w, status, id, code, reason)
}

// notAccepted says which content type the client does not accept although it has to, or
// returns "". A client that says nothing accepts everything. The other messages of the
// server could not reach one that reads no events, and the server would wait for it.
func notAccepted(r *http.Request, types ...string) string {
	for _, t := range types {
		if r.Header["Accept"] != nil && !recording.Accepts(r.Header, t) {
			return "the header Accept of a " + r.Method + " must include " + strings.Join(types, " and ") + ", and is " + wire.Quote(strings.Join(r.Header["Accept"], ", "))
		}
	}
	return ""
}

// An outbox holds the messages that wait for the clients of a connection.
type outbox struct {
	mu     lock.Mutex    // guards what follows, and the queues of all replies
	queued int           // bytes in the queues
	room   chan struct{} // closed when a queue has become shorter; nil if nothing waits for it
	over   bool          // the connection ends: no message waits for room

	patience time.Duration // after which a client that makes push wait is disconnected; 0 means stallTime
}

// An item is a message for a reply.
type item struct {
	message []byte
	last    bool         // nothing follows
	ids     []jsonrpc.ID // of the requests that the message responds to
	code    int64        // of an error, if the message is one
}

// A reply is the response to an HTTP request: one message, or a stream of them.
type reply struct {
	box   *outbox
	queue []item        // guarded by box.mu
	wake  chan struct{} // signaled when the queue has become longer

	control atomic.Pointer[http.ResponseController] // nil before serve

	tap    *Tap
	ids    []jsonrpc.ID // of the requests without a response; guarded by box.mu
	tokens []string     // their progress tokens
	events bool         // begun as a stream of events

	all   []jsonrpc.ID // of the requests
	late  [][]byte     // what the client cannot receive, until the end; guarded by box.mu
	size  int          // of late, in bytes; guarded by box.mu
	ended bool         // guarded by box.mu
}

func newReply(box *outbox, tap *Tap) *reply {
	return &reply{box: box, tap: tap, wake: make(chan struct{}, 1)}
}

// push adds a message to the reply that find returns, when there is room for it: a
// message of any length alone, or maxQueued bytes. find is called with mu held, again
// after each wait; nil means that no reply takes the message. push waits for as long
// as the reply's client needs, but not longer than stallTime, after which that client
// is disconnected.
func (b *outbox) push(message []byte, find func() (*reply, item)) {
	for {
		b.mu.Lock()
		out, it := find()
		if out == nil {
			b.mu.Unlock()
			return
		}
		if b.queued == 0 || b.queued+len(message) <= maxQueued || b.over {
			it.message = message
			for _, id := range it.ids {
				if i := slices.Index(out.ids, id); i >= 0 {
					out.ids = slices.Delete(out.ids, i, i+1)
				}
			}
			it.last = it.last || it.ids != nil && len(out.ids) == 0
			out.queue = append(out.queue, it)
			b.queued += len(message)
			b.mu.Unlock()
			out.signal()
			return
		}
		if b.room == nil {
			b.room = make(chan struct{})
		}
		room := b.room
		b.mu.Unlock()
		if b.patience == 0 {
			<-room
			continue
		}
		select {
		case <-room:
		case <-time.After(b.patience):
			out.disconnect()
		}
	}
}

// disconnect makes writing to the client fail.
func (out *reply) disconnect() {
	if c := out.control.Load(); c != nil {
		_ = c.SetWriteDeadline(time.Now())
	}
}

// releasedLocked notes that n bytes have left a queue.
func (b *outbox) releasedLocked(n int) {
	b.queued -= n
	if b.room != nil {
		close(b.room)
		b.room = nil
	}
}

// end makes push wait for nothing.
func (b *outbox) end() {
	b.mu.Lock()
	b.over = true
	b.releasedLocked(0)
	b.mu.Unlock()
}

func (out *reply) signal() {
	select {
	case out.wake <- struct{}{}:
	default:
	}
}

// pop returns the next message. Its bytes count until done is called with it.
func (out *reply) pop() (it item, ok bool) {
	out.box.mu.Lock()
	defer out.box.mu.Unlock()
	if len(out.queue) == 0 {
		return it, false
	}
	it = out.queue[0]
	out.queue = out.queue[1:]
	return it, true
}

func (out *reply) done(it item) {
	out.box.mu.Lock()
	out.box.releasedLocked(len(it.message))
	out.box.mu.Unlock()
}

// emptyLocked removes and returns what is left in the queue.
func (out *reply) emptyLocked() (rest []item) {
	rest, out.queue = out.queue, nil
	for _, it := range rest {
		out.box.releasedLocked(len(it.message))
	}
	return rest
}

// lost notes a message that the client cannot receive, after those that it receives.
func (out *reply) lost(message []byte) {
	out.box.mu.Lock()
	waits := !out.ended && out.size+len(message) <= maxQueued
	if waits {
		out.late, out.size = append(out.late, message), out.size+len(message)
	}
	out.box.mu.Unlock()
	if !waits {
		out.tap.message(false, message)
	}
}

// end notes what the client has not received.
func (out *reply) end() {
	out.box.mu.Lock()
	out.ended = true
	rest, late := out.emptyLocked(), out.late
	out.box.mu.Unlock()
	for _, it := range rest {
		if it.message != nil {
			out.tap.message(false, it.message)
		}
	}
	for _, message := range late {
		out.tap.message(false, message)
	}
}

// serve sends the messages to the client until the last one, until the client leaves,
// or until over is closed and the queue is empty. status returns the HTTP status of a
// response that is one message, and may set headers. serve returns the message that the
// client may not have received, if it has left, and reports whether there was a last
// message.
func (out *reply) serve(w http.ResponseWriter, r *http.Request, over <-chan struct{}, status func(item) int) (lost *item, complete bool) {
	ticker := time.NewTicker(keepAlive)
	defer ticker.Stop()
	out.control.Store(http.NewResponseController(w))
	for {
		ended := false
		var comment []byte
		select {
		case <-out.wake:
		case <-ticker.C:
			comment = []byte(":\n\n")
		case <-r.Context().Done():
			return nil, false
		case <-over:
			ended = true
		}
		for {
			it, ok := out.pop()
			if !ok {
				break
			}
			if it.message == nil { // only the end of a request
				if it.last && !out.events {
					w.WriteHeader(http.StatusAccepted)
				}
				if it.last {
					return nil, true
				}
				continue
			}
			if it.last && !out.events {
				code := status(it)
				writeJSON(w, code, it.message)
				out.done(it)
				return nil, true
			}
			out.begin(w)
			out.tap.message(false, it.message)
			err := write(w, []byte("event: message\ndata: "), it.message, []byte("\n\n"))
			out.done(it)
			if err != nil {
				return &it, false
			}
			if it.last {
				return nil, true
			}
		}
		if ended {
			return nil, false
		}
		if comment != nil {
			out.begin(w)
			if write(w, comment) != nil {
				return nil, false
			}
		}
	}
}

// begin begins a stream of events, unless it has begun.
func (out *reply) begin(w http.ResponseWriter) {
	if !out.events {
		out.events = true
		w.Header().Set("Content-Type", eventStream)
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
	}
}
