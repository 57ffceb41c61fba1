package testserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// abandonTime is how long a client may take to close the connection of a request that it gives
// up. It may have sent that request before it deleted the session.
const abandonTime = 100 * time.Millisecond

// Why sessions end.
const (
	lost    = "the server has lost it"
	deleted = "the client has deleted it"
)

// A session is a legacy session over HTTP.
type session struct {
	h       *Handler
	id      string // empty on a stateless server
	engine  *Session
	ctx     context.Context
	cancel  context.CancelFunc
	general *messageQueue  // of the stream of GET; in HTTP+SSE, of every message
	lasting bool           // the session outlives the request that it began with
	posts   sync.WaitGroup // requests that are being served

	mu      lock.Mutex               // guards what follows
	streams map[string]*messageQueue // those that can be resumed, by name
}

func (h *Handler) newSession() *session {
	s := &session{h: h, streams: map[string]*messageQueue{}}
	s.ctx, s.cancel = context.WithCancel(h.ctx)
	s.general = s.newQueue()
	s.engine = h.srv.NewSession(func(msg []byte) { s.general.put(outgoing{msg: msg}) })
	s.engine.overHTTP = true
	return s
}

// newQueue returns a queue, which has a name if its stream can be resumed.
func (s *session) newQueue() *messageQueue {
	if !s.h.fault.resumable {
		return newQueue("")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := newQueue("stream-" + strconv.Itoa(len(s.streams)))
	s.streams[q.name] = q
	return q
}

func (x *exchange) newQueue() *messageQueue {
	if x.session == nil || !x.msg.request {
		return newQueue("")
	}
	return x.session.newQueue()
}

// end ends the calls and streams of the session.
func (s *session) end() {
	s.cancel()
	s.engine.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.general.drop()
	for _, q := range s.streams {
		q.drop()
	}
}

// register gives a session an id.
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

// retire forgets the session of x as a server does that is replaced by another
// one: it refuses further requests, and those that it is serving end as usual.
func (x *exchange) retire() {
	h, s := x.h, x.session
	h.mu.Lock()
	delete(h.sessions, s.id)
	if len(h.ended) < maxRequests {
		h.ended[s.id] = lost
	}
	h.mu.Unlock()
	h.running.Go(func() { // ends with the requests
		s.posts.Wait()
		s.end()
	})
}

// startSession makes the session last if initialize succeeded.
func (x *exchange) startSession() {
	s, h := x.session, x.h
	if s.engine.protocolVersion() == "" {
		return
	}
	s.lasting = true
	if !h.opts.Stateless {
		h.register(s)
		id := s.id
		if h.fault.id != nil {
			id = h.fault.id(id)
		}
		x.w.Header().Set(headerSession, id)
		if h.fault.sticky {
			x.w.Header().Set("Set-Cookie", "process="+s.id+"; Path=/; HttpOnly")
		}
		return
	}
	h.mu.Lock()
	last := h.stateless
	h.stateless = s
	h.mu.Unlock()
	if last != nil {
		last.end()
	}
}

// endUnusedSession ends a session that does not outlive its first request.
func (x *exchange) endUnusedSession() {
	if x.fresh && !x.session.lasting {
		x.session.end()
	}
}

// admitLegacy validates a POST of 2025-03-26 to 2025-11-25 and finds its session.
func (x *exchange) admitLegacy() bool {
	if x.msg.mixed {
		x.h.violation("a batch of responses and other messages")
	}
	if x.msg.method == "initialize" {
		return x.admitInitialize()
	}
	version := x.r.Header.Get(headerVersion)
	switch noSession := x.r.Header.Get(headerSession) == ""; {
	case noSession && (x.msg.method == "ping" && version == "" || x.h.fault.affectsAll(x.msg.method)):
		x.session, x.fresh = x.h.newSession(), true // for this request only
		return true
	case noSession && x.msg.meta.has(metaVersion) && isModern(version): // the probe of a modern client
		x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: Unsupported protocol version: "+version+
			" (supported versions: "+strings.Join(x.h.srv.Speaks(false), ", ")+")")
		return false
	}
	return x.findSession() && x.validateVersion()
}

func (x *exchange) admitInitialize() bool {
	if id := x.r.Header.Get(headerSession); id != "" {
		x.h.violation("initialize with a session id")
	}
	version, wanted := x.r.Header.Get(headerVersion), x.msg.params.optText("protocolVersion")
	if version != "" && version != wanted {
		x.h.violation("initialize: %s: %q does not match %q in the body", headerVersion, version, wanted)
	}
	x.session, x.fresh = x.h.newSession(), true
	return true
}

// findSession finds the session of a request. The exchange ends with it.
func (x *exchange) findSession() bool {
	h, ids := x.h, x.r.Header.Values(headerSession)
	if len(ids) > 1 {
		h.violation("%s is sent %d times", headerSession, len(ids))
	}
	id := x.r.Header.Get(headerSession)
	h.mu.Lock()
	s, why := h.sessions[id], h.ended[id]
	if h.opts.Stateless {
		s = h.stateless
	}
	if s != nil && h.fault.sticky && x.r.Header.Get("Cookie") != "process="+s.id {
		s, why = nil, lost
	}
	if s != nil && x.r.Method == http.MethodPost {
		s.posts.Add(1)
		x.counted = s
	}
	h.mu.Unlock()
	switch {
	case h.opts.Stateless && id != "":
		h.violation("%s %q, which the server never assigned", headerSession, id)
	case h.opts.Stateless:
	case id == "":
		h.violation("%s without %s", x, headerSession)
		x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: "+headerSession+" is required")
		return false
	case s == nil && why == "":
		h.violation("%s with a session id that the server never assigned", x)
	case s == nil && why == deleted && x.msg.request && x.wait(abandonTime):
		h.violation("%s in a session that the client has deleted", x)
	}
	switch {
	case s == nil && id == "":
		h.violation("%s before initialize", x)
		x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: Server not initialized")
	case s == nil && h.fault.lostSession != nil:
		h.fault.lostSession(x)
	case s == nil:
		x.refuse(http.StatusNotFound, codeNoSession, "Session not found")
	default:
		x.session = s
		x.endWith(s.ctx)
		return true
	}
	return false
}

// validateVersion checks the header of the protocol version, which exists since
// 2025-06-18.
func (x *exchange) validateVersion() bool {
	negotiated := x.session.engine.protocolVersion()
	version := x.r.Header.Get(headerVersion)
	switch {
	case version == negotiated, version == "" && negotiated < "2025-06-18":
		return true
	case version == "":
		x.h.violation("%s without %s", x, headerVersion)
		return true
	}
	x.h.violation("%s: %s: %q, but %s was negotiated", x, headerVersion, version, negotiated)
	if slices.Contains(x.h.srv.Speaks(false), version) {
		return true
	}
	x.refuse(http.StatusBadRequest, codeRefused, "Bad Request: Unsupported protocol version: "+version)
	return false
}
