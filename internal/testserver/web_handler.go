package testserver

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// Answers selects the form in which requests are answered.
type Answers int

const (
	Auto   Answers = iota // an event stream if there is more to send than the response
	JSON                  // JSON, except for subscriptions/listen; notifications are dropped, server requests go to the stream of GET
	Stream                // always an event stream, except for refusals
)

// HTTPOptions describe how a server is reached over HTTP. The zero value serves
// both transports.
type HTTPOptions struct {
	Answers        Answers
	StreamableOnly bool // no /sse
	SSEOnly        bool // no /mcp, and no POST to /sse

	// Stateless omits the ids of legacy sessions. There is then one session,
	// which each initialize replaces.
	Stateless bool

	KeepAlive time.Duration // after which a silent stream sends a comment; 0 is never
	Latency   time.Duration // before each request is looked at

	TLS      bool // for StartHTTP: TLS with HTTP/2
	InMemory bool // for StartHTTP: connections are pipes in this process

	// Wrap, if not nil, is for StartHTTP: the handler that serves instead of h.
	Wrap func(h *Handler) http.Handler
}

// A Request is one that a server has received.
type Request struct {
	At     time.Time
	Method string
	URL    string // the path and query
	Proto  string
	Header http.Header
}

// A Handler serves MCP over HTTP. Create one with [NewHandler].
type Handler struct {
	srv        *Server
	opts       HTTPOptions
	fault      *Fault // that of srv
	foreignTCP string // the URL of the other origin without TLS
	down       func() // ends the server, if it is an HTTPServer
	ctx        context.Context
	stop       context.CancelFunc
	running    sync.WaitGroup // requests that sessions still serve

	mu        lock.Mutex          // guards what follows
	sessions  map[string]*session // by id
	ended     map[string]string   // why the other sessions ended, by id
	stateless *session            // that of a stateless server
	numbered  int                 // counts the sessions
	open      map[*exchange]bool
	changed   chan struct{} // closed when an exchange has ended
	requests  []Request
	injected  int // how often the fault was injected, if it counts that
}

// maxRequests limits what Requests and Elsewhere return.
const maxRequests = 10_000

// NewHandler returns a handler that serves server. Nil options mean the zero
// value.
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
	return h
}

// Close ends all sessions and streams and returns when every request has ended.
// No request may begin after it.
func (h *Handler) Close() {
	h.stop()
	h.await(func(*exchange) bool { return true }, nil)
	h.mu.Lock()
	sessions := h.sessions
	h.sessions = map[string]*session{}
	if h.stateless != nil {
		sessions[""], h.stateless = h.stateless, nil
	}
	h.mu.Unlock()
	for _, s := range sessions {
		s.end()
	}
	h.running.Wait()
}

// Sessions returns the number of legacy sessions.
func (h *Handler) Sessions() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// LoseSessions ends all legacy sessions, as a server does that restarts.
func (h *Handler) LoseSessions() {
	h.mu.Lock()
	all := maps.Clone(h.sessions)
	h.mu.Unlock()
	for _, s := range all {
		h.forget(s, lost)
	}
}

// Requests returns the first 10,000 requests received.
func (h *Handler) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

// Forget drops the requests that the handler and its server have received so far,
// for tests that run for long.
func (h *Handler) Forget() {
	h.mu.Lock()
	h.requests = nil
	h.mu.Unlock()
	h.srv.Forget()
}

// Leaks waits up to 50 s for all requests to end, as a busy machine may take long.
// It returns those that have not, such as streams that the client has not closed,
// or nil.
func (h *Handler) Leaks() []string {
	timeout := time.NewTimer(50 * time.Second)
	defer timeout.Stop()
	return h.await(func(x *exchange) bool { return !x.unnoticed }, timeout.C)
}

// await waits for requests to end and returns those that remain at the timeout.
func (h *Handler) await(counts func(*exchange) bool, timeout <-chan time.Time) (remaining []string) {
	for {
		h.mu.Lock()
		remaining = nil
		for x := range h.open {
			if counts(x) {
				remaining = append(remaining, x.what)
			}
		}
		changed := h.changed
		h.mu.Unlock()
		if remaining == nil {
			return nil
		}
		select {
		case <-changed:
		case <-timeout:
			slices.Sort(remaining)
			return remaining
		}
	}
}

// record appends a request to those that a server has received.
func record(list []Request, r *http.Request) []Request {
	if len(list) == maxRequests {
		return list
	}
	return append(list, Request{time.Now(), r.Method, r.URL.RequestURI(), r.Proto, r.Header.Clone()})
}

func (h *Handler) violation(format string, args ...any) {
	h.srv.addViolation(fmt.Sprintf("HTTP: "+format, args...), nil)
}

// ServeHTTP serves the paths of the transports.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := h.begin(w, r)
	defer x.close()
	if !x.wait(h.opts.Latency) || !x.validateOrigin() {
		return
	}
	if h.fault.replacesServer() && !x.moved() {
		if x.read() {
			h.fault.post(x)
		}
		return
	}
	hasSSE := !h.opts.StreamableOnly && h.srv.Speaks(false) != nil
	switch path := r.URL.Path; {
	case path == "/mcp" && !h.opts.SSEOnly:
		x.serveStreamable()
	case path == "/sse" && hasSSE:
		x.serveSSE()
	case path == "/message" && hasSSE:
		x.serveMessage()
	case h.fault.pages:
		html(http.StatusOK)(x)
	default:
		x.refuse(http.StatusNotFound, 0, "Not Found")
	}
}

func (x *exchange) serveStreamable() {
	if x.moved() && x.r.Method == http.MethodGet && x.h.fault.post != nil && !x.h.fault.replacesServer() {
		x.h.violation("a redirect has turned a POST into a GET")
	}
	switch x.r.Method {
	case http.MethodPost:
		x.post()
	case http.MethodGet:
		x.get()
	case http.MethodDelete:
		x.delete()
	default:
		x.h.violation("%s, a method that MCP does not use", x.r.Method)
		x.notAllowed()
	}
}

// validateOrigin protects a loopback server from DNS rebinding, in which a page
// of an attacker reaches it under the attacker's host name: Host must be local,
// and Origin, which not every request has, must name this server.
func (x *exchange) validateOrigin() bool {
	host, origin := x.r.Host, x.r.Header.Get("Origin")
	at, _ := x.r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if at != nil && at.IP.IsLoopback() && !isLocal(&url.URL{Host: host}) {
		x.refuse(http.StatusForbidden, codeRefused, "Forbidden: Host "+host)
		return false
	}
	if u, err := url.Parse(origin); origin == "" || err == nil && u.Host == host && isLocal(u) {
		return true
	}
	x.refuse(http.StatusForbidden, codeRefused, "Forbidden: Origin "+origin)
	return false
}

// isLocal reports whether the host of u is localhost or a loopback address.
func isLocal(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
