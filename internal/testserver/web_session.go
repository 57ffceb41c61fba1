package testserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Why sessions end.
const (
	lost    = "the server has lost it"
	deleted = "the client has deleted it"
)

// A session is a conversation of the legacy era.
type session struct {
	h       *Handler
	id      string // empty when there is but one
	engine  *Session
	ctx     context.Context
	cancel  context.CancelFunc
	general *outbox // what answers nothing; in HTTP+SSE, everything
	lasting bool    // it goes on after the request that it began with

	mu      sync.Mutex         // guards what follows
	streams map[string]*outbox // those that can be resumed, by name
}

func (h *Handler) newSession() *session {
	s := &session{h: h, streams: map[string]*outbox{}}
	s.ctx, s.cancel = context.WithCancel(h.ctx)
	s.general = s.newStream()
	s.engine = h.srv.NewSession(func(msg []byte) { s.general.put(item{msg: msg}) })
	s.engine.OverHTTP()
	return s
}

// newStream returns an outbox, which has a name if it can be resumed.
func (s *session) newStream() *outbox {
	if !s.h.opts.Resumable {
		return newOutbox("")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := newOutbox("stream-" + strconv.Itoa(len(s.streams)))
	s.streams[out.name] = out
	return out
}

func (x *exchange) newStream() *outbox {
	if x.session == nil || !x.msg.request {
		return newOutbox("")
	}
	return x.session.newStream()
}

// end ends the calls and streams of the session.
func (s *session) end() {
	s.cancel()
	s.engine.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.general.drop()
	for _, out := range s.streams {
		out.drop()
	}
}

// register gives a session an id and makes it known.
func (h *Handler) register(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.numbered++
	s.id = strconv.Itoa(h.numbered) + "~" + rand.Text()
	h.sessions[s.id] = s
}

// forget ends a session that has an id.
func (h *Handler) forget(s *session, why string) {
	h.mu.Lock()
	delete(h.sessions, s.id)
	if len(h.ended) < maxRequests {
		h.ended[s.id] = why
	}
	h.mu.Unlock()
	s.end()
}

// begun makes a session known whose initialize was answered.
func (x *exchange) begun() {
	s, h := x.session, x.h
	if s.engine.ProtocolVersion() == "" {
		return
	}
	s.lasting = true
	if !h.opts.Stateless {
		h.register(s)
		x.w.Header().Set(headerSession, s.id)
		if h.fault.id != nil {
			x.w.Header().Set(headerSession, h.fault.id(s.id))
		}
		return
	}
	h.mu.Lock()
	last := h.anonymous
	h.anonymous = s
	h.mu.Unlock()
	if last != nil {
		last.end()
	}
}

// leave ends a session that began with this request and does not go on.
func (x *exchange) leave() {
	if x.fresh && !x.session.lasting {
		x.session.end()
	}
}

// admitLegacy judges a POST of the revisions 2025-03-26 to 2025-11-25, and
// finds its session.
func (x *exchange) admitLegacy() bool {
	if x.msg.mixed {
		x.h.violation("a batch of answers and other messages")
	}
	if x.msg.method == "initialize" {
		return x.admitInitialize()
	}
	version := x.r.Header.Get(headerVersion)
	switch {
	case x.msg.method == "ping" && x.r.Header.Get(headerSession) == "" && version == "", x.h.fault.affectsAll(x.msg.method):
		if x.r.Header.Get(headerSession) != "" {
			break
		}
		x.session, x.fresh = x.h.newSession(), true // for this request alone
		return true
	case x.msg.meta[metaVersion] != nil && x.r.Header.Get(headerSession) == "" && x.h.isModern(version):
		// A client tries whether the server is modern.
		x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: Unsupported protocol version: "+version+
			" (supported versions: "+strings.Join(x.h.srv.Speaks(false), ", ")+")")
		return false
	}
	return x.findSession() && x.judgeVersion()
}

func (x *exchange) admitInitialize() bool {
	if id := x.r.Header.Get(headerSession); id != "" {
		x.h.violation("initialize with a session id")
	}
	version, wanted := x.r.Header.Get(headerVersion), text(x.msg.params["protocolVersion"])
	if version != "" && version != wanted {
		x.h.violation("initialize: %s: %q does not match %q in the body", headerVersion, version, wanted)
	}
	x.session, x.fresh = x.h.newSession(), true
	return true
}

// findSession finds the session that a request belongs to. The exchange ends
// with it.
func (x *exchange) findSession() bool {
	ids := x.r.Header.Values(headerSession)
	h := x.h
	if len(ids) > 1 {
		h.violation("%s is there %d times", headerSession, len(ids))
	}
	id := x.r.Header.Get(headerSession)
	h.mu.Lock()
	s, why, stateless := h.sessions[id], h.ended[id], h.anonymous
	h.mu.Unlock()
	switch {
	case h.opts.Stateless && id != "":
		h.violation("%s %q, which nobody gave", headerSession, id)
		s = stateless
	case h.opts.Stateless:
		s = stateless
	case id == "":
		h.violation("%s without %s", x, headerSession)
		x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: "+headerSession+" is required")
		return false
	case s == nil && why == "":
		h.violation("%s with a session id that this server never gave", x)
	case s == nil && why == deleted && x.msg.request:
		h.violation("%s in a session that the client has deleted", x)
	}
	switch {
	case s == nil && id == "":
		h.violation("%s before initialize", x)
		x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: Server not initialized")
	case s == nil:
		x.refuse(http.StatusNotFound, codeNoSession, "Session not found")
	default:
		x.session = s
		x.endWith(s.ctx)
		return true
	}
	return false
}

// judgeVersion looks at the header that says the revision, which came with
// 2025-06-18.
func (x *exchange) judgeVersion() bool {
	settled := x.session.engine.ProtocolVersion()
	version := x.r.Header.Get(headerVersion)
	switch {
	case version == settled, version == "" && settled < "2025-06-18":
		return true
	case version == "":
		x.h.violation("%s without %s", x, headerVersion)
		return true
	}
	x.h.violation("%s: %s: %q, though %s was settled", x, headerVersion, version, settled)
	if slices.Contains(x.h.srv.Speaks(false), version) {
		return true
	}
	x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: Unsupported protocol version: "+version)
	return false
}
