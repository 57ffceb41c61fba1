package testserver

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// The headers of Streamable HTTP.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
	headerLast    = "Last-Event-Id"
)

const (
	maxBody      = 1 << 30  // bytes of a request
	maxUnnoticed = 64 << 10 // bytes read of a body by the fault that does not read it
)

// An exchange is an HTTP request and its response.
type exchange struct {
	h         *Handler
	w         http.ResponseWriter
	r         *http.Request
	ctl       *http.ResponseController
	ctx       context.Context // ends when the client, its session or the server goes away
	cancel    context.CancelFunc
	body      []byte
	msg       httpMessage
	modern    bool
	sse       bool          // the transport is HTTP+SSE
	session   *session      // nil in the modern era
	fresh     bool          // the session begins with this request
	counted   *session      // whose posts count the exchange, or nil
	malformed bool          // a modern request lacks its required _meta
	what      string        // for reports; guarded by h.mu
	queue     *messageQueue // what the stream of a POST sends, if any; guarded by h.mu
	unnoticed bool          // the server cannot notice when the client goes away
}

// An httpMessage is what HTTP needs to know of a message.
type httpMessage struct {
	id       []byte // as JSON, or nil
	method   string
	params   *fields
	meta     *fields
	batch    bool
	request  bool // it is a request, or a batch with one
	response bool // it is a response, or a batch of nothing else
	mixed    bool // a batch of responses and other messages
}

func parseHTTP(body []byte) (m httpMessage) {
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
		return parseHTTPBatch(body)
	}
	f := newFields("message", body)
	if *f.err != "" {
		f = newFields("message", nil)
	}
	if id := f.raw["id"]; kindOf(id) == wire.String || kindOf(id) == wire.Number {
		m.id = id
	}
	m.method, m.params = f.optText("method"), f.optObject("params")
	m.meta = m.params.optObject("_meta")
	m.response = !f.has("method") && (f.has("result") || f.has("error"))
	m.request = !m.response && f.has("id")
	return m
}

func parseHTTPBatch(body []byte) httpMessage {
	m := parseHTTP(nil)
	m.batch = true
	responses, others := false, false
	r := wire.NewReader(body)
	for r.Array(); r.More(); {
		item := parseHTTP(r.Raw())
		m.request = m.request || item.request
		responses = responses || item.response
		others = others || !item.response
	}
	m.response, m.mixed = responses && !others, responses && others
	return m
}

func (h *Handler) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{h: h, w: w, r: r, ctl: http.NewResponseController(w), msg: parseHTTP(nil)}
	x.ctx, x.cancel = context.WithCancel(r.Context())
	x.endWith(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	x.what = r.Method + " " + r.URL.RequestURI()
	h.open[x] = true
	h.requests = record(h.requests, r)
	return x
}

// endWith makes the exchange end with ctx too.
func (x *exchange) endWith(ctx context.Context) {
	stop, cancel := context.AfterFunc(ctx, x.cancel), x.cancel
	x.cancel = func() { stop(); cancel() }
}

func (x *exchange) close() {
	x.cancel()
	if x.counted != nil {
		x.counted.posts.Done()
	}
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

// wait reports whether the client is still there after d.
func (x *exchange) wait(d time.Duration) bool { return wait(x.ctx, d) }

// pause waits for Delay, and reports whether the client is still there.
func (x *exchange) pause() bool { return x.wait(x.h.srv.opts.Delay) }

// hold does nothing until the client is gone.
func (x *exchange) hold() { <-x.ctx.Done() }

// read reads the message of a POST.
func (x *exchange) read() bool {
	if x.h.fault.unread {
		x.readLittle()
	}
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxBody))
	if err != nil {
		return false // the client went away, or sent too much
	}
	x.body, x.msg = body, parseHTTP(body)
	if x.msg.method != "" {
		x.h.mu.Lock()
		x.what += " (" + x.msg.method + ")"
		x.h.mu.Unlock()
	}
	return true
}

// readLittle waits until the client gives up if the body is longer than what the
// buffers of the system take anyway. net/http then does not notice the end of
// the connection.
func (x *exchange) readLittle() {
	var short bytes.Buffer
	if _, err := io.CopyN(&short, x.r.Body, maxUnnoticed+1); err == nil {
		x.h.mu.Lock()
		x.unnoticed = true
		x.h.mu.Unlock()
		x.hold()
	}
	x.r.Body = io.NopCloser(&short)
}

// refuse responds with a status and a JSON-RPC error, or with text if code is 0.
func (x *exchange) refuse(status, code int, what string) {
	if code == 0 {
		http.Error(x.w, what, status)
		return
	}
	x.write(status, errorResponse(x.msg.id, code, what, ""))
}

func (x *exchange) refuseMethod(allowed string) {
	x.w.Header().Set("Allow", allowed)
	x.refuse(http.StatusMethodNotAllowed, 0, "Method Not Allowed")
}

func (x *exchange) notAllowed() { x.refuseMethod("GET, POST, DELETE") }

// write responds with JSON.
func (x *exchange) write(status int, body []byte) {
	header := x.w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body) // an error means that the client is gone
}

// accepts reports whether the request names a media type in Accept.
func (x *exchange) accepts(mediaType string) bool {
	for _, line := range x.r.Header.Values("Accept") {
		for item := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(name), mediaType) {
				return true
			}
		}
	}
	return false
}

func (x *exchange) acceptsGzip() bool {
	return strings.Contains(x.r.Header.Get("Accept-Encoding"), "gzip")
}

// validateTypes checks the media types that a POST must name.
func (x *exchange) validateTypes() bool {
	if !x.accepts("application/json") || !x.accepts("text/event-stream") {
		x.h.violation("Accept: %q lacks application/json or text/event-stream", x.r.Header.Values("Accept"))
		x.refuse(http.StatusNotAcceptable, codeRefused, "Not Acceptable: accept both application/json and text/event-stream")
		return false
	}
	return x.validateContentType()
}

func (x *exchange) validateContentType() bool {
	given := x.r.Header.Get("Content-Type")
	if name, _, err := mime.ParseMediaType(given); err != nil || name != "application/json" {
		x.h.violation("Content-Type: %q is not application/json", given)
		x.refuse(http.StatusUnsupportedMediaType, codeRefused, "Unsupported Media Type: want application/json")
		return false
	}
	return true
}
