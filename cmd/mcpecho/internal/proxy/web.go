package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	sessionHeader, versionHeader = "Mcp-Session-Id", "Mcp-Protocol-Version"

	// maxSessions is how many sessions there may be at a time. Each may be a process.
	maxSessions = 16

	// codeNoSession is the code of the error for an unknown session, as in the servers
	// of the official SDKs.
	codeNoSession = -32001
)

// A Web serves clients over Streamable HTTP: each session with a connection to the
// server of its own, and requests without a session with a common one.
type Web struct {
	o      *Options
	life   context.Context // ends with Close
	end    context.CancelFunc
	shared *shared

	mu       lock.Mutex // guards what follows
	sessions map[string]*session
	opening  int // sessions without a connection yet
	closed   bool
	running  sync.WaitGroup // connections to the server
}

// NewWeb returns a Web. The caller must call Close.
func NewWeb(o *Options) *Web {
	w := &Web{o: o, sessions: make(map[string]*session)}
	w.life, w.end = context.WithCancel(context.Background())
	w.shared = &shared{web: w}
	return w
}

// Close ends all sessions, and waits until their servers have ended.
func (h *Web) Close() {
	h.end()
	h.mu.Lock()
	h.closed = true
	for _, s := range h.sessions {
		go s.close() // ends with the stream of the server
	}
	h.mu.Unlock()
	h.shared.close()
	h.running.Wait()
}

func (h *Web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	h.mu.Lock()
	s := h.sessions[id]
	h.mu.Unlock()
	var tap *Tap
	if s != nil {
		tap = s.tap
	} else {
		tap = h.o.tap()
	}
	w = tap.exchange(w, r)
	switch {
	case r.Method == http.MethodPost && (s != nil || id == ""):
		h.post(w, r, s, tap)
	case id != "" && s == nil:
		refuse(w, http.StatusNotFound, jsonrpc.ID{}, codeNoSession, "there is no such session (any more)")
	case s != nil && r.Method == http.MethodGet:
		if reason := notAccepted(r, eventStream); reason != "" {
			refuse(w, http.StatusNotAcceptable, jsonrpc.ID{}, codeProxy, reason)
			return
		}
		s.serveGeneral(w, r)
	case s != nil && r.Method == http.MethodDelete:
		s.close()
		<-s.over
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, jsonrpc.ID{}, codeProxy, "method not allowed")
	}
}

// post serves a message of a client.
func (h *Web) post(w http.ResponseWriter, r *http.Request, s *session, tap *Tap) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	messages := parse(body)
	asks := slices.IndexFunc(messages, func(m jsonrpc.Message) bool { return m.IsRequest() })
	if wire.Valid(body) != nil || len(messages) == 0 {
		refuseMessage(w, body, http.StatusBadRequest, jsonrpc.ID{}, jsonrpc.CodeParseError, "the body is not a message of JSON-RPC")
		return
	}
	line, first := flat(body), &messages[0]
	if reason := notAccepted(r, typeJSON, eventStream); reason != "" && asks >= 0 {
		refuseMessage(w, line, http.StatusNotAcceptable, messages[asks].ID, codeProxy, reason)
		return
	}
	switch {
	case s != nil:
		s.post(w, r, line, messages)
	case version(first) != "" || first.Method != "initialize" && r.Header.Get(versionHeader) >= modernVersion:
		h.postModern(w, r, line, first, tap)
	case first.Method == "initialize" && first.IsRequest():
		h.initialize(w, r, line, first, tap)
	default:
		refuseMessage(w, line, http.StatusBadRequest, first.ID, jsonrpc.CodeInvalidRequest, "there is no session: the first request must be initialize")
	}
}

// postModern serves a message of the modern era.
func (h *Web) postModern(w http.ResponseWriter, r *http.Request, line []byte, m *jsonrpc.Message, tap *Tap) {
	switch {
	case !h.o.Modern && m.IsRequest():
		refuseMessage(w, line, http.StatusNotFound, m.ID, jsonrpc.CodeMethodNotFound, "the server speaks HTTP+SSE, which has only versions before "+modernVersion)
	case m.IsRequest():
		if what := headerMismatch(r.Header, m); what != "" {
			refuseMessage(w, line, http.StatusBadRequest, m.ID, mcp.CodeHeaderMismatch, what)
			return
		}
		h.shared.post(w, r, line, m, tap)
	default: // the era has no notifications of clients over HTTP
		tap.message(true, line)
		w.WriteHeader(http.StatusAccepted)
	}
}

// initialize opens a session.
func (h *Web) initialize(w http.ResponseWriter, r *http.Request, line []byte, m *jsonrpc.Message, tap *Tap) {
	h.mu.Lock()
	full := len(h.sessions)+h.opening >= maxSessions
	if !full && !h.closed {
		h.opening++
		h.running.Add(1)
	}
	closed := h.closed
	h.mu.Unlock()
	if full || closed {
		reason := "16 sessions are open; end one of them first"
		if closed {
			reason = errEnding.Error()
		}
		w.Header().Set("Retry-After", "10")
		refuseMessage(w, line, http.StatusServiceUnavailable, m.ID, codeProxy, reason)
		return
	}
	s := &session{web: h, id: rand.Text(), over: make(chan struct{})}
	var err error
	s.relay, err = h.o.newRelay(h.life, tap, s.toClient)
	h.mu.Lock()
	h.opening--
	if err == nil && h.closed {
		err = errEnding
		defer s.close()
	}
	if err == nil {
		h.sessions[s.id] = s
	}
	h.mu.Unlock()
	if err != nil {
		h.running.Done()
		h.o.Note(err.Error())
		refuseMessage(w, line, http.StatusBadGateway, m.ID, codeProxy, err.Error())
		return
	}
	go s.run() // ends with the stream of the server
	w.Header().Set(sessionHeader, s.id)
	s.post(w, r, line, []jsonrpc.Message{*m})
}

var errEnding = errors.New("it is ending")

// remove forgets a session whose server has ended.
func (h *Web) remove(s *session) {
	h.mu.Lock()
	delete(h.sessions, s.id)
	h.mu.Unlock()
}
