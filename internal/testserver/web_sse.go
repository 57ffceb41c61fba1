package testserver

import (
	"net/http"
	"net/url"
)

// serveSSE serves the event stream of HTTP+SSE (2024-11-05 basic/transports),
// which lasts as long as its session.
func (x *exchange) serveSSE() {
	x.sse = true
	if x.r.Method != http.MethodGet {
		x.w.Header().Set("Allow", http.MethodGet)
		x.refuse(http.StatusMethodNotAllowed, 0, "Method Not Allowed")
		return
	}
	if x.r.Header.Get("Accept") != "" && !x.accepts("text/event-stream") {
		x.h.violation("GET: Accept: %q lacks text/event-stream", x.r.Header.Values("Accept"))
	}
	if x.h.fault.get != nil && x.h.fault.concerns(x) && !x.moved() {
		x.h.fault.get(x)
		return
	}
	x.session = x.h.newSession()
	x.h.register(x.session)
	x.endWith(x.session.ctx)
	defer x.h.forget(x.session, lost)
	out := x.session.general
	reader := out.attach(0)
	s := x.open()
	endpoint := x.h.opts.Prefix + "/message?session=" + url.QueryEscape(x.session.id)
	if x.h.fault.endpoint != nil {
		x.h.fault.endpoint(s, endpoint)
	} else {
		s.endpoint(endpoint)
	}
	s.prime(out)
	s.drain(out, reader)
}

func (s *sink) endpoint(url string) { s.raw("event: endpoint\ndata: " + url + "\n\n") }

// serveMessage takes a message of HTTP+SSE. What comes of it is sent on the
// stream.
func (x *exchange) serveMessage() {
	x.sse = true
	if x.r.Method != http.MethodPost {
		x.h.violation("%s to the endpoint of HTTP+SSE", x.r.Method)
		x.w.Header().Set("Allow", http.MethodPost)
		x.refuse(http.StatusMethodNotAllowed, 0, "Method Not Allowed")
		return
	}
	id := x.r.URL.Query().Get("session")
	x.h.mu.Lock()
	s, why := x.h.sessions[id], x.h.ended[id]
	x.h.mu.Unlock()
	if s == nil {
		if why == "" {
			x.h.violation("%s, a session that this server never gave", x)
		}
		x.refuse(http.StatusNotFound, 0, "Session not found")
		return
	}
	if !x.judgeContentType() || !x.read() {
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

// proceed does what a server does that does nothing wrong.
func (x *exchange) proceed() {
	if !x.sse {
		x.serve()
		return
	}
	x.deliver()
	x.w.WriteHeader(http.StatusAccepted)
}

// deliver gives the message to the engine, whose messages go to the stream of
// the session.
func (x *exchange) deliver() {
	if run := x.session.engine.Handle(x.session.ctx, x.body, x.replyTo(x.session.general)); run != nil {
		x.h.running.Go(run)
	}
}
