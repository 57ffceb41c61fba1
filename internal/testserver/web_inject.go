package testserver

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// correctResponse has the session handle the message and returns the response, or
// "" if there is none. Other messages of the session are dropped.
func (x *exchange) correctResponse() string {
	q := newQueue("")
	x.handle(q)
	items := x.await(q, hasEnded)
	if len(items) == 0 {
		return ""
	}
	return string(items[len(items)-1].msg)
}

// expand replaces $right by the correct response; $id by the id of the request;
// $scheme, $host, $path and $query by those of the request; $foreign by the URL
// of another origin, $there by its host, and $plain by its URL without TLS.
func (x *exchange) expand(text string) string {
	if strings.Contains(text, "$right") {
		text = strings.ReplaceAll(text, "$right", x.correctResponse())
	}
	scheme := "http"
	if x.r.TLS != nil {
		scheme = "https"
	}
	_, there, _ := strings.Cut(x.h.srv.foreign, "//")
	return strings.NewReplacer("$id", string(x.msg.id), "$foreign", x.h.srv.foreign, "$plain", x.h.foreignTCP, "$there", there,
		"$scheme", scheme, "$host", x.r.Host, "$path", x.r.URL.Path, "$query", x.r.URL.RawQuery).Replace(text)
}

// sends responds with a status and a body. If contentType is empty, there is no
// such header. Each of the headers is a line.
func sends(status int, contentType, body string, headers ...string) func(*exchange) {
	return func(x *exchange) {
		x.w.Header()["Content-Type"] = nil // keep net/http from guessing
		for _, line := range headers {
			name, value, _ := strings.Cut(x.expand(line), ": ")
			x.w.Header().Add(name, value)
		}
		body := x.expand(body)
		if contentType != "" {
			x.w.Header().Set("Content-Type", contentType)
		}
		x.w.WriteHeader(status)
		_, _ = io.WriteString(x.w, body)
	}
}

func jsonBody(body string, headers ...string) func(*exchange) {
	return sends(http.StatusOK, typeJSON, body, headers...)
}

func status(code int, headers ...string) func(*exchange) {
	return sends(code, "text/plain; charset=utf-8", strconv.Itoa(code)+" "+http.StatusText(code)+"\n", headers...)
}

const page = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n"

func html(code int) func(*exchange) { return sends(code, "text/html; charset=utf-8", page) }

func refuses(status, code int, what string) func(*exchange) {
	return func(x *exchange) { x.refuse(status, code, what) }
}

const (
	sameOrigin  = "$path?moved&$query"
	otherOrigin = "$foreign$path"
)

func redirect(code int, to string) func(*exchange) { return sends(code, "", "", "Location: "+to) }

// chain redirects n times within the origin, with 307 and 308 in turn, and then
// serves the request.
func chain(n int) func(*exchange) {
	return func(x *exchange) {
		hop, _ := strconv.Atoi(x.r.URL.Query().Get("hop"))
		if hop == n {
			x.proceed()
			return
		}
		redirect(307+hop%2, "$path?hop="+strconv.Itoa(hop+1)+"&$query")(x)
	}
}

// opens opens a stream, sends text and calls then.
func opens(text string, then func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		x.openStream().raw(text)
		then(x)
	}
}

// ends ends a stream, when it is called last.
func ends(*exchange) {}

// serves serves the request after calling first.
func serves(first func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		first(x)
		x.proceed()
	}
}

// acceptsWith has the session handle a notification before it responds.
func acceptsWith(respond func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if x.sse {
			x.deliver()
		} else {
			_ = x.correctResponse()
		}
		respond(x)
	}
}

// once injects the fault into the first affected request only.
func once(inject func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if x.h.countInjection() > 1 {
			x.proceed()
			return
		}
		inject(x)
	}
}

// countInjection counts the affected requests, this one included.
func (h *Handler) countInjection() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.injected++
	return h.injected
}

// losesSession retires the session and refuses the request, times times, or always
// if times is 0.
func losesSession(refuse func(*exchange), times int) func(*exchange) {
	return func(x *exchange) {
		if times > 0 && x.h.countInjection() > times {
			x.serve()
			return
		}
		refuse(x)
		x.retire()
	}
}

// noValidSession is the response of the examples of the TypeScript SDK to a
// request in a session of an earlier process.
var noValidSession = sends(http.StatusBadRequest, typeJSON,
	`{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)

// restarts loses the session as a server does that is restarted: it refuses the
// request, and every other one in that session, with lostSession.
func restarts(times int) func(*exchange) {
	return losesSession(func(x *exchange) { x.h.fault.lostSession(x) }, times)
}

const missingHeader = "Header mismatch: Mcp-Param-New is missing"

// mismatchOnce reports a missing header until tools/list has been called after
// the first affected request.
func (x *exchange) mismatchOnce() {
	lists := 0
	for _, m := range x.h.srv.Received() {
		if m.Method == "tools/list" {
			lists++
		}
	}
	x.h.mu.Lock()
	if x.h.injected == 0 {
		x.h.injected = lists + 1
	}
	mismatch := lists < x.h.injected
	x.h.mu.Unlock()
	if mismatch {
		x.refuse(http.StatusBadRequest, codeHeaderMismatch, missingHeader)
		return
	}
	x.serve()
}

func (x *exchange) hugeHeader() {
	x.w.Header().Set("X-Huge", strings.Repeat("x", x.h.srv.size()))
	x.proceed()
}

func (x *exchange) manyHeaders() {
	for i := range x.h.srv.size() {
		x.w.Header().Add(fmt.Sprintf("X-Line-%d", i), "x")
	}
	x.serve()
}

// repeat writes text until Size bytes are written, and reports whether the client
// is still there.
func (x *exchange) repeat(w io.Writer, text string) bool {
	text = strings.Repeat(text, 64<<10/len(text))
	for left := x.h.srv.size(); left > 0; left -= len(text) {
		if _, err := io.WriteString(w, text[:min(left, len(text))]); err != nil || x.ctx.Err() != nil {
			return false
		}
	}
	return true
}

// endless sends begin and Size bytes of repeated text, and then nothing.
func (x *exchange) endless(begin, text string) {
	_, _ = io.WriteString(x.w, begin)
	x.repeat(flusher{x}, text)
	x.hold()
}

func endlessBody(code int, contentType, begin, text string) func(*exchange) {
	return func(x *exchange) {
		x.w.Header().Set("Content-Type", contentType)
		x.w.WriteHeader(code)
		x.endless(x.expand(begin), text)
	}
}

const textBegin = `{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"`

// bomb responds with Size bytes that compress well.
func bomb(contentType, begin, end string) func(*exchange) {
	return func(x *exchange) {
		x.w.Header().Set("Content-Type", contentType)
		x.w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(x.w, gzip.BestSpeed)
		_, _ = io.WriteString(z, x.expand(begin))
		x.repeat(z, "0")
		_, _ = io.WriteString(z, end)
		_ = z.Close()
	}
}

// zip compresses the response if the client accepts that.
func (x *exchange) zip() {
	body := x.correctResponse()
	x.w.Header().Set("Content-Type", typeJSON)
	if !x.acceptsGzip() {
		_, _ = io.WriteString(x.w, body)
		return
	}
	x.w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(x.w)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
}

// half sends the first half of the correct response and calls then.
func half(then func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		body := x.correctResponse()
		x.w.Header().Set("Content-Type", typeJSON)
		_, _ = io.WriteString(flusher{x}, body[:len(body)/2])
		then(x)
	}
}

func (x *exchange) trickle() {
	body := x.correctResponse()
	x.w.Header().Set("Content-Type", typeJSON)
	_ = x.ctl.Flush()
	x.trickleText(body)
}

// trickleText sends a byte every Delay.
func (x *exchange) trickleText(text string) {
	_, _ = io.WriteString(trickles(flusher{x}, x.pause), text)
}

// buffer opens the stream of a GET with the first message.
func (x *exchange) buffer() {
	x.await(x.session.general, func(items []outgoing, ended bool) bool { return ended || len(items) > 0 })
	x.sendGeneral()
}

// endEarly ends the stream of a GET after Delay.
func (x *exchange) endEarly() {
	t := time.AfterFunc(x.h.srv.opts.Delay, x.cancel)
	defer t.Stop()
	x.sendGeneral()
}

// storm puts Size list changes on the stream of GET.
func (x *exchange) storm() {
	for range x.h.srv.size() {
		x.session.general.put(outgoing{msg: notification("notifications/tools/list_changed", "")})
	}
	x.serve()
}
