package testserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Answers say in which form requests are answered.
type Answers int

// The forms of answers. In JSON there is no room for anything but the answer:
// notifications are left out, and what a legacy server asks the client travels
// on the stream that GET opens.
const (
	Auto   Answers = iota // an event stream where there is more to say than the answer
	JSON                  // one JSON value, except for subscriptions/listen
	Stream                // always an event stream, except for refusals
)

// Options say how a server is on the web. The zero value serves both
// transports without faults.
type HTTPOptions struct {
	Answers        Answers
	StreamableOnly bool // no /sse
	SSEOnly        bool // no /mcp; messages may not be POSTed to /sse either

	// Stateless leaves out the ids of legacy sessions. There is then one
	// session, and initialize begins it anew.
	Stateless bool

	// NoListening refuses GET with 405, as legacy servers may.
	NoListening bool

	// Resumable gives the events of legacy streams ids, primes the streams with
	// an empty event, and continues them for those who send Last-Event-ID.
	Resumable bool

	// Retry is what legacy streams say in a retry field, or nothing.
	Retry string

	// KeepAlive is how long a stream may be silent before a comment is sent.
	KeepAlive time.Duration

	// Chunk is how many bytes of a stream are sent at once; 0 is whole events.
	Chunk int

	// Latency is how long every request waits before it is looked at.
	Latency time.Duration

	// Prefix is what the paths begin with, such as "/api".
	Prefix string

	// Origins are the values of the header Origin that are welcome beside that
	// of the server itself on this machine.
	Origins []string

	TLS      bool // for Start: with TLS, and so with HTTP/2
	InMemory bool // for Start: the connections are pipes of this process
}

// A Request is one that a server has seen.
type Request struct {
	At     time.Time
	Method string
	URL    string // the path and what follows it
	Proto  string
	Header http.Header
}

// A Handler serves MCP on HTTP. Create one with [New].
type Handler struct {
	srv     *Server
	opts    HTTPOptions
	fault   *Fault // that of srv
	foreign string // where faults lead that lead elsewhere
	plain   string // the same server without TLS
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup // what the engine still does

	mu        sync.Mutex          // guards what follows
	sessions  map[string]*session // those that go on, by id
	ended     map[string]string   // why the others don't, by id
	anonymous *session            // that of a server without ids
	numbered  int                 // the sessions so far
	open      map[*exchange]bool
	changed   chan struct{} // closed when an exchange has ended
	requests  []Request
	struck    int // how often the fault has struck, if it counts that
}

// maxRequests bounds what Requests remembers.
const maxRequests = 10_000

// New returns a handler that serves server. Nil options mean the zero value.
func NewHandler(server *Server, o *HTTPOptions) *Handler {
	h := &Handler{
		srv:      server,
		fault:    server.fault,
		sessions: map[string]*session{},
		ended:    map[string]string{},
		open:     map[*exchange]bool{},
		changed:  make(chan struct{}),
	}
	if o != nil {
		h.opts = *o
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	if h.fault.options != nil {
		h.fault.options(&h.opts)
	}
	return h
}

// Close ends all sessions and streams, and returns when nothing runs any more.
// No request may begin after it.
func (h *Handler) Close() {
	h.stop()
	h.await(func(*exchange) bool { return true }, nil)
	h.mu.Lock()
	sessions := h.sessions
	h.sessions = map[string]*session{}
	if h.anonymous != nil {
		sessions[""], h.anonymous = h.anonymous, nil
	}
	h.mu.Unlock()
	for _, s := range sessions {
		s.end()
	}
	h.running.Wait()
}

// Sessions returns how many legacy sessions go on.
func (h *Handler) Sessions() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// ForgetSessions ends all sessions, as a server does that starts anew: what is
// sent in them is answered with 404.
func (h *Handler) ForgetSessions() {
	h.mu.Lock()
	var all []*session
	for _, s := range h.sessions {
		all = append(all, s)
	}
	h.mu.Unlock()
	for _, s := range all {
		h.forget(s, lost)
	}
}

// Requests returns the requests that came, up to the first 10,000.
func (h *Handler) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

// Leaks waits up to 2 s for all requests to end and returns what is left:
// streams that the client has not closed. Nil means none.
func (h *Handler) Leaks() []string {
	timeout := time.NewTimer(2 * time.Second)
	defer timeout.Stop()
	return h.await(func(x *exchange) bool { return !x.unnoticed }, timeout.C)
}

// await waits for requests to end and returns those that are left at the end of
// the time.
func (h *Handler) await(counts func(*exchange) bool, timeout <-chan time.Time) (left []string) {
	for {
		h.mu.Lock()
		left = nil
		for x := range h.open {
			if counts(x) {
				left = append(left, x.what)
			}
		}
		changed := h.changed
		h.mu.Unlock()
		if left == nil {
			return nil
		}
		select {
		case <-changed:
		case <-timeout:
			slices.Sort(left)
			return left
		}
	}
}

func (h *Handler) violation(format string, args ...any) {
	h.srv.Violation(fmt.Sprintf("HTTP: "+format, args...))
}

// ServeHTTP serves what belongs to a transport, and 404 elsewhere.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := h.begin(w, r)
	defer x.close()
	if !x.wait(h.opts.Latency) || !x.welcome() {
		return
	}
	if h.fault.replacesServer() && !x.moved() {
		if x.read() {
			h.fault.post(x)
		}
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, h.opts.Prefix)
	if x.moved() && x.r.Method == http.MethodGet && path == "/mcp" && h.fault.post != nil && !h.fault.replacesServer() {
		h.violation("a redirect has turned a POST into a GET")
	}
	switch {
	case !ok:
		x.refuse(http.StatusNotFound, 0, "Not Found")
	case path == "/mcp" && !h.opts.SSEOnly:
		x.serveStreamable()
	case path == "/sse" && h.hasSSE():
		x.serveSSE()
	case path == "/message" && h.hasSSE():
		x.serveMessage()
	default:
		x.refuse(http.StatusNotFound, 0, "Not Found")
	}
}

func (h *Handler) hasSSE() bool { return !h.opts.StreamableOnly && h.srv.Speaks(false) != nil }

func (x *exchange) serveStreamable() {
	switch x.r.Method {
	case http.MethodPost:
		x.post()
	case http.MethodGet:
		x.listen()
	case http.MethodDelete:
		x.delete()
	default:
		x.h.violation("%s, a method that MCP does not use", x.r.Method)
		x.notAllowed()
	}
}

// welcome looks at what browsers send, for which any page may have the name of
// this machine (DNS rebinding): Host, as not every request has more, and Origin.
// That the two agree says nothing, as both name the attacker then.
func (x *exchange) welcome() bool {
	at, _ := x.r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if at != nil && at.IP.IsLoopback() && !isLocal(&url.URL{Host: x.r.Host}) {
		x.refuse(http.StatusForbidden, codeRefused, "Forbidden: Host "+x.r.Host)
		return false
	}
	origin := x.r.Header.Get("Origin")
	if origin == "" || slices.Contains(x.h.opts.Origins, origin) {
		return true
	}
	if u, err := url.Parse(origin); err == nil && u.Host == x.r.Host && isLocal(u) {
		return true
	}
	x.refuse(http.StatusForbidden, codeRefused, "Forbidden: Origin "+origin)
	return false
}

// isLocal reports whether the host of u is this machine, whoever is asked.
func isLocal(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
