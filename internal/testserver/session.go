package testserver

import (
	"context"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// A Session is the exchange of messages with one client over one process, one
// connection, or all HTTP requests with one session id.
type Session struct {
	srv      *Server
	push     func([]byte)    // sends a message outside any request
	stream   *stream         // nil unless the transport is a byte stream
	overHTTP bool            // legacy over HTTP: a cancellation may arrive before its request
	ctx      context.Context // ends with the session
	complete context.CancelFunc

	mu         lock.Mutex // guards what follows
	version    string     // of a legacy session; empty before initialize
	ready      bool       // notifications/initialized was received
	changed    []string   // changes of lists to report when the client is ready
	discovered bool       // server/discover succeeded
	initID     string     // the key of the initialize request
	caps       *fields    // the capabilities of a legacy client
	level      int        // the minimum level to log for a legacy client
	upto       int        // all ids from 1 to upto have been used
	used       map[string]bool
	calls      map[string]*call // in flight, by key of the id
	tokens     map[string]bool  // their progress tokens
	requests   map[string]func(*message)
	subscribed map[string]bool // URIs of resources, legacy
	started    string          // the method of the first request, with the fault starts-once
	owed       []string        // responses to notifications that are not sent yet; see Fault.answers
}

// NewSession begins a session. push sends a message that belongs to no request,
// such as a change of a list. If push is nil, such messages are dropped.
func (s *Server) NewSession(push func(msg []byte)) *Session {
	if push == nil {
		push = func([]byte) {}
	}
	n := &Session{
		srv:        s,
		push:       push,
		used:       map[string]bool{},
		calls:      map[string]*call{},
		tokens:     map[string]bool{},
		requests:   map[string]func(*message){},
		subscribed: map[string]bool{},
	}
	n.ctx, n.complete = context.WithCancel(context.Background())
	s.mu.Lock()
	s.sessions[n] = true
	s.mu.Unlock()
	return n
}

// protocolVersion returns the version that initialize has negotiated, or "".
func (s *Session) protocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Close ends the session and its calls.
func (s *Session) Close() {
	s.complete()
	s.srv.mu.Lock()
	delete(s.srv.sessions, s)
	s.srv.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		c.cancel()
	}
}

// Handle serves a message of the client. It calls reply with the messages that
// belong to a request, the response last. If a request takes time, Handle
// returns a function that serves the rest and returns when the request has ended.
// The end of ctx cancels requests.
func (s *Session) Handle(ctx context.Context, msg []byte, reply func(msg []byte)) (run func()) {
	if len(msg) > 0 && msg[0] == '[' {
		return s.batch(ctx, msg, reply)
	}
	m, code, what := parseMessage(msg)
	s.srv.record(m.method, msg)
	switch {
	case code != 0:
		s.srv.addViolation(what, msg)
		if m.method != "" || m.result == nil && m.err == nil {
			reply(errorResponse(m.id, code, what, ""))
		}
	case m.isResponse():
		s.receiveResponse(&m, msg)
	case m.id == nil:
		s.receiveNotification(&m, msg)
		s.owe(s.srv.fault.answers)
	default:
		for _, answer := range s.owe(nil) {
			reply([]byte(answer))
		}
		return s.serveRequest(ctx, &m, msg, reply)
	}
	return nil
}

func (s *Session) serveRequest(ctx context.Context, m *message, msg []byte, reply func([]byte)) (run func()) {
	c := &call{s: s, msg: msg, id: m.id, key: m.key(), method: m.method, reply: reply}
	c.params = newFields("params", m.params)
	c.meta = c.params.optObject("_meta")
	c.ctx, c.cancel = context.WithCancel(ctx)
	r, struck := s.validate(c), s.srv.fault.affects(c)
	if r != nil && r.permitted && struck {
		r = s.register(c)
	}
	switch {
	case r != nil:
		s.refuse(c, r)
	case struck:
		s.srv.fault.call(c)
	default:
		c.serve()
	}
	return c.later
}

// owe adds responses to notifications, and returns and removes all if there are
// none to add.
func (s *Session) owe(answers []string) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answers == nil {
		all, s.owed = s.owed, nil
	}
	s.owed = append(s.owed, answers...)
	return all
}

// refuse responds to a request that is not served. Its id counts as used, because
// the client may cancel the request before it receives the response.
func (s *Session) refuse(c *call, r *refusal) {
	c.cancel()
	s.mu.Lock()
	s.useLocked(c.key)
	s.mu.Unlock()
	if !r.permitted {
		c.violation(r.what)
	}
	c.reply(errorResponse(c.id, r.code, r.what, r.data))
}

// receiveResponse handles the response to a request of the server.
func (s *Session) receiveResponse(m *message, msg []byte) {
	s.mu.Lock()
	take, ok := s.requests[m.key()]
	delete(s.requests, m.key())
	s.mu.Unlock()
	if !ok {
		s.srv.addViolation("a response with the id "+string(m.id)+" to no request of the server", msg)
		return
	}
	take(m)
}

func (s *Session) receiveNotification(m *message, msg []byte) {
	f := newFields("params", m.params)
	s.mu.Lock()
	known, initialized, caps := s.version != "", s.ready, s.caps
	s.mu.Unlock()
	switch {
	case m.method == "notifications/cancelled":
		s.receiveCancellation(f)
	case !known:
		f.fail("", "no notification for a client to send here")
	case m.method == "notifications/initialized":
		if initialized {
			f.fail("", "sent twice")
		}
		s.mu.Lock()
		s.ready = true
		changed := s.changed
		s.changed = nil
		s.mu.Unlock()
		for _, method := range changed {
			s.push(notification(method, ""))
		}
	case m.method == "notifications/roots/list_changed":
		if !caps.optObject("roots").optBool("listChanged") {
			f.fail("", "a capability that the client does not have")
		}
	case m.method == "notifications/progress":
		f.fail("progressToken", "the server gave none")
	default:
		f.fail("", "no such notification")
	}
	if *f.err != "" {
		s.srv.addViolation(m.method+": "+*f.err, msg)
	}
}

// receiveCancellation ends a call. A client may cancel a call whose response is
// on its way.
func (s *Session) receiveCancellation(f *fields) {
	f.optText("reason")
	f.need("requestId")
	id := f.raw["requestId"]
	if id != nil && !isID(id) {
		f.fail("requestId", "neither a string nor an integer")
	}
	if *f.err != "" {
		return
	}
	key := idKey(id)
	s.mu.Lock()
	c, used, isInit := s.calls[key], s.isUsedLocked(key), key == s.initID
	s.mu.Unlock()
	switch {
	case isInit:
		f.fail("requestId", "initialize can't be cancelled")
	case c != nil:
		s.end(c)
	case !used && !s.overHTTP:
		f.fail("requestId", "no request had the id "+string(id))
	}
}

// isUsedLocked reports whether a request had the id of key.
func (s *Session) isUsedLocked(key string) bool {
	if n, err := strconv.Atoi(key); err == nil && 0 < n && n <= s.upto {
		return true
	}
	return s.used[key]
}

// useLocked records the id of a request.
func (s *Session) useLocked(key string) {
	if key == itoa(s.upto+1) {
		s.upto++
	} else {
		s.used[key] = true
	}
}

// end removes a call from the session. It reports false if the call had already
// ended.
func (s *Session) end(c *call) bool {
	defer c.cancel() // after the removal, so that what it ends no longer responds
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[c.key] != c {
		return false
	}
	delete(s.calls, c.key)
	if c.token != nil {
		delete(s.tokens, idKey(c.token))
	}
	return true
}

// request sends a request of the server to a legacy client and waits for the
// response. If ok is false, problem describes the error.
func (c *call) request(method, params string) (result []byte, ok bool, problem string) {
	return c.requestWith(c.ctx, method, params)
}

// requestWith waits until ctx ends.
func (c *call) requestWith(ctx context.Context, method, params string) (result []byte, ok bool, problem string) {
	answers := make(chan *message, 1)
	id := c.s.newRequest(func(m *message) { answers <- m })
	c.reply(request(id, method, params))
	select {
	case m := <-answers:
		if m.err != nil {
			return nil, false, string(m.err)
		}
		return m.result, true, ""
	case <-ctx.Done():
		c.reply(notification("notifications/cancelled", `{"requestId":`+id+`}`))
		return nil, false, "cancelled"
	}
}

// newRequest returns a new id. The session calls take with the response.
func (s *Session) newRequest(take func(*message)) (id string) {
	id = quote("server/" + itoa(s.srv.count()))
	s.mu.Lock()
	s.requests[idKey([]byte(id))] = take
	s.mu.Unlock()
	return id
}
