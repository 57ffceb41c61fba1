package testserver

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxBody bounds the messages that the server takes.
const maxBody = 1 << 30

// An exchange is a request of HTTP and what becomes of it.
type exchange struct {
	h         *Handler
	w         http.ResponseWriter
	r         *http.Request
	ctl       *http.ResponseController
	ctx       context.Context // ends when the client, its session or the server goes away
	cancel    context.CancelFunc
	body      []byte
	msg       webMessage
	modern    bool
	sse       bool     // the transport is HTTP+SSE
	session   *session // nil in the modern era
	fresh     bool     // the session begins with this request
	malformed bool     // what a modern request must say about itself is missing
	what      string   // for reports; guarded by h.mu
	out       *outbox  // the stream that answers a POST, if any; guarded by h.mu
	unnoticed bool     // the server cannot notice when the client goes away
}

func (h *Handler) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{h: h, w: w, r: r, ctl: http.NewResponseController(w)}
	x.ctx, x.cancel = context.WithCancel(r.Context())
	x.endWith(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	x.what = r.Method + " " + r.URL.RequestURI()
	h.open[x] = true
	if len(h.requests) < maxRequests {
		h.requests = append(h.requests, Request{time.Now(), r.Method, r.URL.RequestURI(), r.Proto, r.Header.Clone()})
	}
	return x
}

// endWith makes the exchange end with ctx too.
func (x *exchange) endWith(ctx context.Context) {
	stop, cancel := context.AfterFunc(ctx, x.cancel), x.cancel
	x.cancel = func() { stop(); cancel() }
}

func (x *exchange) close() {
	x.cancel()
	x.h.mu.Lock()
	defer x.h.mu.Unlock()
	delete(x.h.open, x)
	close(x.h.changed)
	x.h.changed = make(chan struct{})
}

func (x *exchange) String() string {
	x.h.mu.Lock()
	defer x.h.mu.Unlock()
	return x.what
}

// wait waits and reports whether the client is still there.
func (x *exchange) wait(d time.Duration) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-x.ctx.Done():
		return false
	}
}

// hold does nothing until the client is gone.
func (x *exchange) hold() { <-x.ctx.Done() }

// read reads the message that was POSTed.
func (x *exchange) read() bool {
	if x.h.fault.unread {
		x.readShort()
	}
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxBody))
	if err != nil {
		return false // the client went away, or sent too much
	}
	x.body, x.msg = body, parse(body)
	if x.msg.method != "" {
		x.h.mu.Lock()
		x.what += " (" + x.msg.method + ")"
		x.h.mu.Unlock()
	}
	return true
}

// maxShort is what is read of bodies by a fault that reads none.
const maxShort = 64 << 10

// readShort waits until the client gives up when the body is longer than what
// buffers of the system take anyway. The server then can't notice that.
func (x *exchange) readShort() {
	var short bytes.Buffer
	_, err := io.CopyN(&short, x.r.Body, maxShort+1)
	if err == nil {
		x.h.mu.Lock()
		x.unnoticed = true
		x.h.mu.Unlock()
		x.hold()
	}
	x.r.Body = io.NopCloser(&short)
}

// refuse answers with a status and, if there is a code, an error in JSON.
// The id is that of the request, if there is one.
func (x *exchange) refuse(status, code int, what string) {
	if code == 0 {
		http.Error(x.w, what, status)
		return
	}
	id := x.msg.id
	if id == nil {
		id = []byte("null")
	}
	b := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"error":{"code":`...)
	b = wire.AppendInt(b, int64(code))
	b = wire.AppendString(append(b, `,"message":`...), what)
	x.write(status, "application/json", append(b, "}}"...))
}

func (x *exchange) notAllowed() {
	x.w.Header().Set("Allow", "GET, POST, DELETE")
	x.refuse(http.StatusMethodNotAllowed, 0, "Method Not Allowed")
}

// write answers at once.
func (x *exchange) write(status int, contentType string, body []byte) {
	header := x.w.Header()
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body) // a client that is gone does not matter
}

// accepts reports whether the request names a content type in Accept.
func (x *exchange) accepts(contentType string) bool {
	for _, line := range x.r.Header.Values("Accept") {
		for item := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(name), contentType) {
				return true
			}
		}
	}
	return false
}
