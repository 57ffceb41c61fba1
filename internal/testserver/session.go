package testserver

import (
	"context"
	"strconv"
	"strings"
	"sync"
)

// A Session is the conversation with one client, whatever carries it: a
// process, a connection, or all requests with one session id.
type Session struct {
	srv    *Server
	push   func([]byte) // sends a message that belongs to no request
	stream *stream      // nil unless the messages travel on a byte stream
	web    bool         // see OverHTTP

	mu         sync.Mutex // guards what follows
	version    string     // of a legacy session; empty until initialize was answered
	ready      bool       // notifications/initialized has come
	discovered bool       // server/discover was answered with a result
	initID     string     // the key of the initialize request
	caps       *fields    // what a legacy client said it can do
	level      int        // the least level a legacy client wants logged
	upto       int        // all integers from 1 to it have been used as ids
	used       map[string]bool
	calls      map[string]*call // those in flight
	tokens     map[string]bool  // the progress tokens of the calls in flight
	requests   map[string]func(*message)
	subscribed map[string]bool // URIs of resources, legacy
}

// NewSession begins a conversation. push sends a message that answers no
// request, such as a change of a list, and may be nil when there is no way.
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
	s.mu.Lock()
	s.sessions[n] = true
	s.mu.Unlock()
	return n
}

// OverHTTP makes the session one of the legacy era whose messages come in
// requests of HTTP: the modern era has no sessions there, and a cancellation
// may overtake what it cancels. It must be called before Handle.
func (s *Session) OverHTTP() { s.web = true }

// ProtocolVersion returns the version that initialize has settled, or "".
func (s *Session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Close ends the conversation and what is still running for it.
func (s *Session) Close() {
	s.srv.mu.Lock()
	delete(s.srv.sessions, s)
	s.srv.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		c.cancel()
	}
}

// Handle takes a message from the client. reply sends what belongs to a request
// in it: notifications, and the answer last. What can be done at once is done
// when Handle returns; run, unless nil, does the rest and returns when the
// request has been answered or ended otherwise. The end of ctx cancels requests.
func (s *Session) Handle(ctx context.Context, msg []byte, reply func(msg []byte)) (run func()) {
	if len(msg) > 0 && msg[0] == '[' {
		return s.batch(ctx, msg, reply)
	}
	m, code, what := parseMessage(msg)
	s.srv.record(m.method, msg)
	switch {
	case code != 0:
		s.srv.Violation(what)
		if m.method != "" || m.result == nil && m.err == nil {
			reply(errorResponse(m.id, code, what, ""))
		}
	case m.isResponse():
		s.receiveResponse(&m)
	case m.id == nil:
		s.receiveNotification(&m)
	default:
		return s.serveRequest(ctx, &m, reply)
	}
	return nil
}

// requested handles a request.
func (s *Session) serveRequest(ctx context.Context, m *message, reply func([]byte)) (run func()) {
	c := &call{s: s, id: m.id, key: m.key(), method: m.method, reply: reply}
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

// refuse answers a request that is not served. Its id counts as used: a
// cancellation may meet the answer.
func (s *Session) refuse(c *call, r *refusal) {
	c.cancel()
	s.mu.Lock()
	s.use(c.key)
	s.mu.Unlock()
	if !r.permitted {
		s.srv.Violation(c.method + ": " + r.what)
	}
	c.reply(errorResponse(c.id, r.code, r.what, r.data))
}

// answered handles the answer to something the server asked.
func (s *Session) receiveResponse(m *message) {
	s.mu.Lock()
	take, ok := s.requests[m.key()]
	delete(s.requests, m.key())
	s.mu.Unlock()
	if !ok {
		s.srv.Violation("a response with the id " + string(m.id) + " to no request of the server")
		return
	}
	take(m)
}

// notified handles a notification.
func (s *Session) receiveNotification(m *message) {
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
		s.mu.Unlock()
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
		s.srv.Violation(m.method + ": " + *f.err)
	}
}

// cancelled ends a call. One that has been answered already is no fault of the
// client's: the messages met.
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
	c, used, isInit := s.calls[key], s.isUsed(key), key == s.initID
	s.mu.Unlock()
	switch {
	case isInit:
		f.fail("requestId", "initialize can't be cancelled")
	case c != nil:
		s.end(c)
	case !used && !s.web:
		f.fail("requestId", "no request had the id "+string(id))
	}
}

// isUsed reports whether a request had that id. The caller holds mu.
func (s *Session) isUsed(key string) bool {
	if n, err := strconv.Atoi(key); err == nil && 0 < n && n <= s.upto {
		return true
	}
	return s.used[key]
}

// use notes that a request has that id. The caller holds mu.
func (s *Session) use(key string) {
	if key == itoa(s.upto+1) {
		s.upto++
	} else {
		s.used[key] = true
	}
}

// finish ends a call and takes it off the table. It reports false when the call
// has been answered or cancelled before.
func (s *Session) end(c *call) bool {
	defer c.cancel() // last, or what it ends would still answer
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

// ask sends the client a request and waits for the answer. It serves legacy
// sessions; the text that comes back with ok false says what went wrong.
func (c *call) request(method, params string) (result []byte, ok bool, problem string) {
	answers := make(chan *message, 1)
	id := c.s.newRequest(func(m *message) { answers <- m })
	c.reply(request(id, method, params))
	select {
	case m := <-answers:
		if m.err != nil {
			return nil, false, string(m.err)
		}
		return m.result, true, ""
	case <-c.ctx.Done():
		c.reply(notification("notifications/cancelled", `{"requestId":`+id+`}`))
		return nil, false, "cancelled"
	}
}

// expect makes up an id and has take called with its answer.
func (s *Session) newRequest(take func(*message)) (id string) {
	id = quote("server/" + itoa(s.srv.count()))
	s.mu.Lock()
	s.requests[idKey([]byte(id))] = take
	s.mu.Unlock()
	return id
}

func request(id, method, params string) []byte {
	b := notification(method, params)
	return []byte(strings.Replace(string(b), `,"method"`, `,"id":`+id+`,"method"`, 1))
}
