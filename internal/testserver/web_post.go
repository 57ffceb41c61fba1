package testserver

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// post serves a POST to the endpoint of Streamable HTTP.
func (x *exchange) post() {
	if !x.validateTypes() || !x.read() {
		return
	}
	x.modern = x.isModern()
	affected := x.affected()
	if affected && x.h.fault.Method == "server/discover" {
		x.h.fault.post(x)
		return
	}
	defer x.endUnusedSession()
	if x.modern && !x.admitModern() || !x.modern && !x.admitLegacy() {
		return
	}
	if affected && x.h.fault.post != nil {
		x.h.fault.post(x)
		return
	}
	x.serve()
}

// isModern decides in which era a message is served (2026-07-28
// basic/versioning, dual-era servers).
func (x *exchange) isModern() bool {
	h := x.h
	if h.srv.Speaks(true) == nil || h.srv.Speaks(false) == nil {
		return h.srv.Speaks(true) != nil
	}
	return x.msg.meta.has(metaVersion) || isModern(x.r.Header.Get(headerVersion))
}

// isModern reports whether a protocol version, known or not, is a modern one.
func isModern(version string) bool { return version >= Modern }

// proceed does what a server without faults does.
func (x *exchange) proceed() {
	if !x.sse {
		x.serve()
		return
	}
	x.deliver()
	x.w.WriteHeader(http.StatusAccepted)
}

// serve passes the message to the session and responds.
func (x *exchange) serve() {
	q := x.newQueue()
	reader := q.attach(0)
	if q.name == "" {
		defer q.drop()
	}
	x.handle(q)
	if x.msg.request {
		x.respond(q, reader)
	} else if items := x.await(q, hasEnded); len(items) > 0 {
		x.write(http.StatusBadRequest, items[0].msg)
	} else {
		x.w.WriteHeader(http.StatusAccepted)
	}
}

// handle passes the message to the session, whose messages go to q.
func (x *exchange) handle(q *messageQueue) {
	end := q.end
	var run func()
	if s := x.session; s != nil {
		run = s.engine.Handle(s.ctx, x.body, x.replyTo(q))
	} else {
		single := x.h.srv.NewSession(nil) // the modern era has no sessions
		end = func() { single.Close(); q.end() }
		run = single.Handle(x.ctx, x.body, x.replyTo(q))
	}
	if x.fresh {
		x.startSession()
	}
	if run == nil {
		end()
		return
	}
	x.h.running.Go(func() {
		run()
		end()
	})
}

// deliver passes the message to the session of HTTP+SSE.
func (x *exchange) deliver() {
	if run := x.session.engine.Handle(x.session.ctx, x.body, x.replyTo(x.session.general)); run != nil {
		x.h.running.Go(run)
	}
}

// replyTo returns a function that puts the messages of the session into q.
func (x *exchange) replyTo(q *messageQueue) func(msg []byte) {
	onlyResponse := x.form() == JSON && !x.sse
	affected := x.affected() && x.h.fault.event != nil
	return func(msg []byte) {
		out := outgoing{msg: msg}
		if !isResponse(msg) && onlyResponse {
			x.putAside(out)
			return
		}
		if isResponse(msg) && affected {
			out.answer = x
		}
		q.put(out)
	}
}

// putAside sends requests of the server and their cancellations on the stream of
// GET, and drops other notifications.
func (x *exchange) putAside(out outgoing) {
	isRequest := bytes.HasPrefix(out.msg, []byte(`{"jsonrpc":"2.0","id":`))
	if x.session != nil && (isRequest || bytes.Contains(out.msg, []byte(`"notifications/cancelled"`))) {
		x.session.general.put(out)
	}
}

// form returns the form in which the request is answered.
func (x *exchange) form() Answers {
	if x.h.fault.streams || x.msg.method == "subscriptions/listen" || x.affected() && x.h.fault.event != nil {
		return Stream
	}
	return x.h.opts.Answers
}

// respond sends the response as JSON or on a stream.
func (x *exchange) respond(q *messageQueue, reader int) {
	form := x.form()
	items := x.await(q, func(items []outgoing, ended bool) bool {
		needsStream := len(items) > 1 || len(items) == 1 && !isResponse(items[0].msg)
		return ended || form == Stream || form == Auto && needsStream
	})
	_, ended, _ := q.peek()
	single := ended && len(items) == 1 && isResponse(items[0].msg)
	switch {
	case x.r.Context().Err() != nil: // the client is gone
	case x.h.ctx.Err() != nil, x.session != nil && x.session.ctx.Err() != nil:
		panic(http.ErrAbortHandler) // breaks the connection, as the end of a process does
	case form == JSON && len(items) > 0, form == Auto && single, single && x.statusOf(items[0].msg) != http.StatusOK:
		x.write(x.statusOf(items[0].msg), items[0].msg)
	case form != Stream && len(items) == 0: // the call was canceled
	default:
		x.h.mu.Lock()
		x.queue = q
		x.h.mu.Unlock()
		s := x.openStream()
		s.prime(q)
		s.drain(q, reader)
	}
}

func hasEnded(_ []outgoing, ended bool) bool { return ended }

// await waits for enough messages. If the client goes away first, it returns
// those that there are.
func (x *exchange) await(q *messageQueue, enough func(items []outgoing, ended bool) bool) []outgoing {
	for {
		items, ended, changed := q.peek()
		if enough(items, ended) {
			return items
		}
		select {
		case <-changed:
		case <-x.ctx.Done():
			return items
		}
	}
}

// statusOf returns the status of a response. Legacy errors have the status 200,
// unless the request could not be read.
func (x *exchange) statusOf(msg []byte) int {
	code := errorCode(msg)
	badRequest := []int{codeHeaderMismatch, codeMissingCapability, codeVersion, codeParse, codeInvalidRequest}
	switch {
	case code != 0 && bytes.HasPrefix(msg, []byte(`{"jsonrpc":"2.0","id":null`)):
		return http.StatusBadRequest
	case !x.modern || code == 0:
		return http.StatusOK
	case code == codeMethodNotFound:
		return http.StatusNotFound
	case slices.Contains(badRequest, code), code == codeInvalidParams && x.malformed:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// isResponse reports whether a message of the server is a response. It looks at
// the beginning only, because what a fault sends need not be JSON.
func isResponse(msg []byte) bool {
	head := msg[:min(len(msg), 200)]
	i := bytes.Index(head, []byte(`"method":`))
	return i < 0 || head[0] != '{' || bytes.Contains(head[:i], []byte(`"result"`)) || bytes.Contains(head[:i], []byte(`"error"`))
}

// errorCode returns the code of an error response, or 0.
func errorCode(msg []byte) int {
	if !isResponse(msg) || !bytes.Contains(msg[:min(len(msg), 200)], []byte(`"error":{`)) {
		return 0
	}
	r := wire.NewReader(newFields("", msg).optObject("error").raw["code"])
	if code := r.Int(); r.End() == nil {
		return int(code)
	}
	return 0
}
