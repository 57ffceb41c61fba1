package testserver

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// right has the engine handle the message and returns the answer, if there is
// one. What else the engine says is lost.
func (x *exchange) right() string {
	out := newOutbox("")
	x.handle(out)
	items := x.await(out, all)
	if len(items) == 0 {
		return ""
	}
	return string(items[len(items)-1].msg)
}

// expand fills in $right, the right answer; $id, that of the request; $scheme,
// $host, $path and $query of this one; $foreign, which is another origin, $there,
// which is its host, and $plain, which has no TLS.
func (x *exchange) expand(text string) string {
	if strings.Contains(text, "$right") {
		text = strings.ReplaceAll(text, "$right", x.right())
	}
	scheme := "http"
	if x.r.TLS != nil {
		scheme = "https"
	}
	_, there, _ := strings.Cut(x.h.foreign, "//")
	return strings.NewReplacer("$id", string(x.msg.id), "$foreign", x.h.foreign, "$plain", x.h.plain, "$there", there,
		"$scheme", scheme, "$host", x.r.Host, "$path", x.r.URL.Path, "$query", x.r.URL.RawQuery).Replace(text)
}

// says answers with a status and a body. Headers are lines; an empty content
// type is none.
func respond(status int, contentType, body string, headers ...string) func(*exchange) {
	return func(x *exchange) {
		x.w.Header()["Content-Type"] = nil // or net/http would guess
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

// json answers with 200 and what is said to be JSON.
func json(body string, headers ...string) func(*exchange) {
	return respond(http.StatusOK, "application/json", body, headers...)
}

// status answers with a status and a sentence.
func status(code int, headers ...string) func(*exchange) {
	return respond(code, "text/plain; charset=utf-8", strconv.Itoa(code)+" "+http.StatusText(code)+"\n", headers...)
}

const page = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n"

func html(code int, headers ...string) func(*exchange) {
	return respond(code, "text/html; charset=utf-8", page, headers...)
}

// redirect sends the client somewhere else.
func redirect(code int, to string) func(*exchange) {
	return respond(code, "", "", "Location: "+to)
}

// chain redirects n times within the origin, with 307 and 308 in turn, and
// serves the request then.
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

const (
	sameOrigin = "$path?moved&$query"
	elsewhere  = "$foreign$path"
	withoutTLS = "$plain$path"
)

// serves serves the request after doing something else.
func serves(first func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		first(x)
		x.proceed()
	}
}

// once does something to the first request that is struck.
func once(deed func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if x.h.countInjection() == 0 {
			deed(x)
			return
		}
		x.proceed()
	}
}

// countInjection returns how many requests the fault has affected before.
func (h *Handler) countInjection() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.struck++
	return h.struck - 1
}

// takeOver takes the connection, which is closed when the server is. HTTP/2 does
// not give it; its stream is reset.
func (x *exchange) takeOver() net.Conn {
	conn, _, err := x.ctl.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	context.AfterFunc(x.h.ctx, func() { _ = conn.Close() })
	return conn
}

// endlessHeader sends a header of Size bytes that does not end.
func (x *exchange) endlessHeader() {
	conn := x.takeOver()
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Endless: ")
	piece := bytes.Repeat([]byte("x"), 64<<10)
	for left := x.h.srv.size(); left > 0; left -= len(piece) {
		if _, err := conn.Write(piece[:min(left, len(piece))]); err != nil {
			return
		}
	}
	_, _ = io.Copy(io.Discard, conn) // until the client closes it
}

// dripHeader sends a byte of header every Delay, for ever.
func (x *exchange) dripHeader() {
	conn := x.takeOver()
	defer conn.Close()
	go func() { // ends with the connection
		_, _ = io.Copy(io.Discard, conn)
		x.cancel()
	}()
	const line = "X: 1\r\n"
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
	for i := 0; x.wait(x.h.srv.opts.Delay); i++ {
		_, _ = io.WriteString(conn, line[i%len(line):][:1])
	}
}

// endEarly ends the stream of a GET after Delay, and not before.
func (x *exchange) endEarly() {
	t := time.AfterFunc(x.h.srv.opts.Delay, x.cancel)
	defer t.Stop()
	x.tell()
}

// reset breaks the connection.
func (x *exchange) reset() {
	conn := x.takeOver()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // RST, not FIN
	}
	_ = conn.Close()
}

// bare sends bytes in place of a response, and closes the connection.
func bare(text string) func(*exchange) {
	return func(x *exchange) {
		text := x.expand(text)
		conn := x.takeOver()
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// half sends the first half of the right answer, and does then something else.
func half(then func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		body := x.right()
		x.w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(x.w, body[:len(body)/2])
		_ = x.ctl.Flush()
		then(x)
	}
}

// endless sends begin and then Size bytes.
func (x *exchange) endless(begin, more string) {
	piece := strings.Repeat(more, 64<<10/len(more))
	_, _ = io.WriteString(x.w, begin)
	for left := x.h.srv.size(); left > 0 && x.ctx.Err() == nil; left -= len(piece) {
		_, _ = io.WriteString(x.w, piece[:min(left, len(piece))])
		_ = x.ctl.Flush()
	}
}

func endlessBody(code int, contentType, begin, more string) func(*exchange) {
	return func(x *exchange) {
		x.w.Header().Set("Content-Type", contentType)
		x.w.WriteHeader(code)
		x.endless(x.expand(begin), more)
		x.hold()
	}
}

const textBegin = `{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"`

// bomb answers with much that takes little.
func bomb(contentType, begin, end string) func(*exchange) {
	return func(x *exchange) {
		x.w.Header().Set("Content-Type", contentType)
		x.w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(x.w, gzip.BestSpeed)
		_, _ = io.WriteString(z, x.expand(begin))
		zeros := bytes.Repeat([]byte("0"), 64<<10)
		for left := x.h.srv.size(); left > 0 && x.ctx.Err() == nil; left -= len(zeros) {
			_, _ = z.Write(zeros[:min(left, len(zeros))])
		}
		_, _ = io.WriteString(z, end)
		_ = z.Close()
	}
}

// zip answers rightly, packed if the client accepts that.
func (x *exchange) zip() {
	body := x.right()
	x.w.Header().Set("Content-Type", "application/json")
	if !x.acceptsGzip() {
		_, _ = io.WriteString(x.w, body)
		return
	}
	x.w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(x.w)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
}

func (x *exchange) acceptsGzip() bool {
	return strings.Contains(x.r.Header.Get("Accept-Encoding"), "gzip")
}

// drip sends a byte every Delay.
func (x *exchange) drip(text string) {
	for i := range len(text) {
		if !x.wait(x.h.srv.opts.Delay) {
			return
		}
		_, _ = io.WriteString(x.w, text[i:i+1])
		_ = x.ctl.Flush()
	}
}

func (x *exchange) trickle() {
	body := x.right()
	x.w.Header().Set("Content-Type", "application/json")
	_ = x.ctl.Flush()
	x.drip(body)
}

// swell answers rightly, with a header of Size bytes.
func (x *exchange) swell() {
	x.w.Header().Set("X-Huge", strings.Repeat("x", x.h.srv.size()))
	x.proceed()
}

// crowd answers rightly, with a header of Size lines.
func (x *exchange) crowd() {
	for i := range x.h.srv.size() {
		x.w.Header().Add(fmt.Sprintf("X-Line-%d", i), "x")
	}
	x.serve()
}

// quietly has the engine handle a notification before something is answered.
func quietly(then func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if x.sse {
			x.deliver()
		} else {
			_ = x.right()
		}
		then(x)
	}
}

// loses answers that the session is gone, which it then is.
func loses(code, times int) func(*exchange) {
	return func(x *exchange) {
		if times > 0 && x.h.countInjection() >= times {
			x.serve()
			return
		}
		x.refuse(code, codeNoSession, "Session not found")
		x.h.forget(x.session, lost)
	}
}

// mismatches answers that headers are missing, until the tools have been listed
// again.
func (x *exchange) mismatches() {
	lists := 0
	for _, m := range x.h.srv.Received() {
		if m.Method == "tools/list" {
			lists++
		}
	}
	x.h.mu.Lock()
	if x.h.struck == 0 {
		x.h.struck = lists + 1
	}
	wait := lists < x.h.struck
	x.h.mu.Unlock()
	if !wait {
		x.serve()
		return
	}
	x.refuse(http.StatusBadRequest, codeHeaderMismatch, "Header mismatch: Mcp-Param-New is missing")
}

// storm says on the general stream that the tools have changed, Size times.
func (x *exchange) storm() {
	for range x.h.srv.size() {
		x.session.general.put(item{msg: []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)})
	}
	x.serve()
}
