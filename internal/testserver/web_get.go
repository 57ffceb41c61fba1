package testserver

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// get serves a GET of Streamable HTTP: the server's own messages, or the rest of
// a stream.
func (x *exchange) get() {
	if !x.validateEra() {
		return
	}
	if !x.accepts("text/event-stream") {
		x.h.violation("GET: Accept: %q lacks text/event-stream", x.r.Header.Values("Accept"))
		x.refuse(http.StatusNotAcceptable, codeRefused, "Not Acceptable: accept text/event-stream")
		return
	}
	if x.findSession() && x.validateVersion() && !x.injectGet() {
		x.sendGeneral()
	}
}

// injectGet responds to the GET if the fault does so.
func (x *exchange) injectGet() bool {
	f := x.h.fault
	if f.get == nil || !f.concerns(x) || x.moved() {
		return false
	}
	f.get(x)
	return true
}

// sendGeneral sends the messages that belong to no request, or resumes a stream.
func (x *exchange) sendGeneral() {
	q := x.session.general
	_, _, from := q.state()
	if last := x.r.Header.Get(headerLast); last != "" {
		if q, from = x.session.find(last); q == nil {
			x.h.violation("%s %q, which is not an event of this session", headerLast, last)
			x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: no such event")
			return
		}
	}
	reader := q.attach(from)
	s := x.openStream()
	s.prime(q)
	s.drain(q, reader)
}

// find returns the queue of an event and the number of the message after it.
func (s *session) find(eventID string) (q *messageQueue, next int) {
	name, number, _ := strings.Cut(eventID, "/")
	next, err := strconv.Atoi(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	if q = s.streams[name]; q == nil || err != nil {
		return nil, 0
	}
	if first, last, _ := q.state(); next < first || next > last {
		return nil, 0
	}
	return q, next
}

// delete serves a DELETE, which ends a session.
func (x *exchange) delete() {
	switch {
	case !x.validateEra() || !x.findSession() || !x.validateVersion():
	case x.h.fault.delete != nil:
		x.h.fault.delete(x)
	case x.h.opts.Stateless:
		x.notAllowed()
	default:
		x.w.WriteHeader(http.StatusNoContent)
		x.h.forget(x.session, deleted)
	}
}

// validateEra refuses, in the modern era, what only the legacy era has.
func (x *exchange) validateEra() bool {
	if x.h.srv.Speaks(false) != nil && !isModern(x.r.Header.Get(headerVersion)) {
		return true
	}
	x.h.violation("%s in the modern era", x.r.Method)
	x.notAllowed()
	return false
}

// serveSSE serves the event stream of HTTP+SSE (2024-11-05 basic/transports),
// which lasts as long as its session.
func (x *exchange) serveSSE() {
	x.sse = true
	if x.r.Method != http.MethodGet {
		x.refuseMethod(http.MethodGet)
		return
	}
	if x.r.Header.Get("Accept") != "" && !x.accepts("text/event-stream") {
		x.h.violation("GET: Accept: %q lacks text/event-stream", x.r.Header.Values("Accept"))
	}
	if x.injectGet() {
		return
	}
	x.session = x.h.newSession()
	x.h.register(x.session)
	x.endWith(x.session.ctx)
	defer x.h.forget(x.session, lost)
	q := x.session.general
	reader := q.attach(0)
	s := x.openStream()
	endpoint := "/message?session=" + url.QueryEscape(x.session.id)
	if x.h.fault.endpoint != nil {
		x.h.fault.endpoint(s, endpoint)
	} else {
		s.endpoint(endpoint)
	}
	s.prime(q)
	s.drain(q, reader)
}

func (s *eventStream) endpoint(url string) { s.raw("event: endpoint\ndata: " + url + "\n\n") }

// serveMessage accepts a message of HTTP+SSE. The responses go to the stream of
// the session.
func (x *exchange) serveMessage() {
	x.sse = true
	if x.r.Method != http.MethodPost {
		x.h.violation("%s to the endpoint of HTTP+SSE", x.r.Method)
		x.refuseMethod(http.MethodPost)
		return
	}
	id := x.r.URL.Query().Get("session")
	x.h.mu.Lock()
	s, why := x.h.sessions[id], x.h.ended[id]
	x.h.mu.Unlock()
	if s == nil {
		if why == "" {
			x.h.violation("%s, a session id that the server never assigned", x)
		}
		x.refuse(http.StatusNotFound, 0, "Session not found")
		return
	}
	if !x.validateContentType() || !x.read() {
		return
	}
	x.session = s
	x.endWith(s.ctx)
	if x.affected() && x.h.fault.post != nil {
		x.h.fault.post(x)
		return
	}
	x.proceed()
}
