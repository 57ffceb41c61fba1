package testserver

import (
	"net/http"
	"strconv"
	"strings"
)

// listen serves a GET: what a legacy server has to say of its own accord, or
// the rest of a stream.
func (x *exchange) listen() {
	if !x.admitOld() {
		return
	}
	if !x.accepts("text/event-stream") {
		x.h.violation("GET: Accept: %q lacks text/event-stream", x.r.Header.Values("Accept"))
		x.refuse(http.StatusNotAcceptable, codeRefused, "Not Acceptable: accept text/event-stream")
		return
	}
	if !x.findSession() || !x.judgeVersion() {
		return
	}
	if x.h.fault.get != nil && x.h.fault.concerns(x) && !x.moved() {
		x.h.fault.get(x)
		return
	}
	x.tell()
}

// tell opens the stream that a GET has asked for.
func (x *exchange) tell() {
	if x.h.opts.NoListening {
		x.notAllowed()
		return
	}
	out, from := x.session.general, -1
	if last := x.r.Header.Get(headerLast); last != "" {
		if out, from = x.session.find(last); out == nil {
			x.h.violation("%s %q, which is no event of this session", headerLast, last)
			x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: no such event")
			return
		}
	}
	x.follow(out, from)
}

// follow sends a stream from an event on; -1 is one that begins.
func (x *exchange) follow(out *outbox, from int) {
	if from < 0 {
		_, _, sent := out.state()
		from = sent
	}
	reader := out.attach(from)
	s := x.open()
	s.prime(out)
	s.drain(out, reader)
}

// find returns the stream of an event and the number of the next.
func (s *session) find(eventID string) (out *outbox, next int) {
	name, number, _ := strings.Cut(eventID, "/")
	next, err := strconv.Atoi(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	if out = s.streams[name]; out == nil || err != nil {
		return nil, 0
	}
	if first, last, _ := out.state(); next < first || next > last {
		return nil, 0
	}
	return out, next
}

// delete serves a DELETE, which ends a session.
func (x *exchange) delete() {
	if !x.admitOld() || !x.findSession() || !x.judgeVersion() {
		return
	}
	if x.h.fault.delete != nil {
		x.h.fault.delete(x)
		return
	}
	if x.h.opts.Stateless {
		x.notAllowed()
		return
	}
	x.w.WriteHeader(http.StatusNoContent)
	x.h.forget(x.session, deleted)
}

// admitOld refuses in the modern era what only the legacy era has.
func (x *exchange) admitOld() bool {
	if x.h.srv.Speaks(false) != nil && !x.h.isModern(x.r.Header.Get(headerVersion)) {
		return true
	}
	x.h.violation("%s in the modern era", x.r.Method)
	x.notAllowed()
	return false
}
