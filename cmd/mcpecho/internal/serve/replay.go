package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	maxReplaySessions = 1000 // further ones are refused
	maxReplayHeld     = 1000 // messages until the client opens a stream for them; further ones are lost
)

// A Replay is the server of a recording: Streamable HTTP at /mcp, HTTP+SSE
// at /sse.
type Replay struct {
	replay *recording.Replay

	mu       lock.Mutex
	sessions map[string]*replaySession // by ID, which is "" for requests without one; guarded by mu
}

func NewReplay(r *recording.Replay) *Replay {
	h := &Replay{replay: r, sessions: make(map[string]*replaySession)}
	h.open("", false)
	return h
}

// open begins a session. It returns nil if there are too many.
func (h *Replay) open(id string, sse bool) *replaySession {
	s := &replaySession{id: id, sse: sse, in: make(chan []byte), done: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) > maxReplaySessions {
		return nil
	}
	h.sessions[id] = s
	go h.replay.Serve(s) // ends with close
	return s
}

func (h *Replay) find(id string) *replaySession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

func (h *Replay) close(s *replaySession) {
	h.mu.Lock()
	delete(h.sessions, s.id)
	h.mu.Unlock()
	_ = s.Close()
}

// Close ends all sessions.
func (h *Replay) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		_ = s.Close()
	}
	clear(h.sessions)
}

func (h *Replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isOwnPage(r) {
		http.Error(w, "Forbidden", http.StatusForbidden)
		return
	}
	id := r.Header.Get("Mcp-Session-Id")
	if r.URL.Path == "/message" {
		id = r.URL.Query().Get("session")
	}
	s := h.find(id)
	switch route := r.Method + " " + r.URL.Path; {
	case route == "GET /sse":
		if s = h.open(rand.Text(), true); s != nil {
			defer h.close(s)
			s.serveGeneral(w, r, "event: endpoint\ndata: /message?session="+s.id+"\n\n")
			return
		}
		http.Error(w, "too many sessions", http.StatusServiceUnavailable)
	case r.URL.Path != "/mcp" && route != "POST /message":
		http.NotFound(w, r)
	case s == nil:
		http.Error(w, "session not found", http.StatusNotFound)
	case r.Method == http.MethodPost:
		h.post(w, r, s)
	case r.Method == http.MethodGet && id != "":
		s.serveGeneral(w, r, "")
	case r.Method == http.MethodDelete && id != "":
		h.close(s)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

// isOwnPage reports whether the request does not come from a page of another
// server, which may have given its own name to a loopback address.
func isOwnPage(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	host := (&url.URL{Host: r.Host}).Hostname()
	ip := net.ParseIP(host)
	if at != nil && at.IP.IsLoopback() && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return false
	}
	origin := r.Header.Get("Origin")
	u, err := url.Parse(origin)
	return origin == "" || err == nil && u.Host == r.Host
}

// post gives a message of the client to the session, and responds with what the
// session writes for it.
func (h *Replay) post(w http.ResponseWriter, r *http.Request, s *replaySession) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReplayLine))
	m, parseErr := jsonrpc.Parse(data)
	switch {
	case err != nil || parseErr != nil:
		http.Error(w, "want a message of JSON-RPC", http.StatusBadRequest)
		return
	case s.sse, m.Method == "" || m.ID.IsZero():
		s.give(r.Context(), data)
		var recorded *recording.HTTP
		if m.Method != "" && m.ID.IsZero() {
			recorded = h.replay.Status(m)
		}
		begin(w, recorded, http.StatusAccepted, "")
		return
	case s.id == "" && m.Method == "initialize":
		if s = h.open(rand.Text(), false); s == nil {
			http.Error(w, "too many sessions", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Mcp-Session-Id", s.id)
	}
	out := &replayStream{ctx: r.Context(), id: m.ID.String(), progress: string(wire.Lookup(m.Params, "_meta", "progressToken")), messages: make(chan part)}
	s.add(out)
	defer s.remove(out)
	go s.give(r.Context(), data) // the replay may write to out before it reads; ends with the HTTP request
	out.copyTo(w, s.done)
}

// A replaySession is the stream of messages between a client and a replay. What
// the replay writes goes to the response of the request that it is for, or to the
// client's general stream.
type replaySession struct {
	id   string
	sse  bool // everything goes to the general stream
	in   chan []byte
	done chan struct{} // closed by Close

	mu      lock.Mutex      // guards what follows
	streams []*replayStream // of requests without a response
	general *replayStream   // nil if the client has none
	held    [][]byte        // for the next general stream
	closed  bool
}

// A replayStream is the response of an HTTP request.
type replayStream struct {
	ctx      context.Context // of the HTTP request
	id       string          // of the request; "" for a general stream
	progress string          // its progress token
	messages chan part
}

// A part is a message of an HTTP response, or its end.
type part struct {
	http *recording.HTTP // the recorded response, or nil
	text []byte          // nil for none
	last bool            // nothing follows
}

// give passes a message of the client to the replay.
func (s *replaySession) give(ctx context.Context, data []byte) {
	select {
	case s.in <- data:
	case <-s.done:
	case <-ctx.Done():
	}
}

func (s *replaySession) Read() ([]byte, error) {
	select {
	case data := <-s.in:
		return data, nil
	case <-s.done:
		return nil, io.EOF
	}
}

// Write sends a message of the replay to the client. Another stream takes it when
// the one that it is for ends.
func (s *replaySession) Write(data []byte) (int, error) {
	message := slices.Clone(bytes.TrimSpace(data))
	m, err := jsonrpc.Parse(message)
	if err == nil {
		s.send(part{text: message, last: m.Method == ""}, func() *replayStream { return s.route(message, &m) })
	}
	return len(data), nil
}

// Respond implements [recording.WebStream].
func (s *replaySession) Respond(id jsonrpc.ID, h *recording.HTTP, text []byte, last bool) {
	text = slices.Clone(text)
	s.send(part{h, text, last}, func() *replayStream {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sse {
			return s.holdLocked(text)
		}
		for _, out := range slices.Backward(s.streams) { // the newest comes first
			if out.id == id.String() {
				return out
			}
		}
		return nil // the client has left
	})
}

// send sends a part to the stream that find returns, and to another one when that ends.
func (s *replaySession) send(p part, find func() *replayStream) {
	for out := find(); out != nil; out = find() {
		select {
		case out.messages <- p:
			return
		case <-s.done:
			return
		case <-out.ctx.Done():
			s.remove(out)
		}
	}
}

func (s *replaySession) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		close(s.done)
	}
	s.closed = true
	return nil
}

// route returns the stream for a message. If there is none yet, it holds the
// message back.
func (s *replaySession) route(message []byte, m *jsonrpc.Message) *replayStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	subscription := string(wire.Lookup(m.Params, "_meta", "io.modelcontextprotocol/subscriptionId"))
	token := string(wire.Lookup(m.Params, "progressToken"))
	// The newest comes first: the stream of a client that has gone may still be there.
	i := len(s.streams) - 1
	for ; i >= 0; i-- {
		out := s.streams[i]
		if m.Method == "" && out.id == m.ID.String() || subscription != "" && out.id == subscription || token != "" && out.progress == token {
			break
		}
	}
	switch {
	case s.sse:
	case i >= 0:
		return s.streams[i]
	case m.Method == "" || subscription != "":
		return nil // the client has canceled the request
	case len(s.streams) > 0:
		return s.streams[len(s.streams)-1]
	}
	return s.holdLocked(message)
}

// holdLocked returns the general stream. If there is none, it keeps the message for the
// next one.
func (s *replaySession) holdLocked(message []byte) *replayStream {
	if s.general == nil && message != nil && len(s.held) < maxReplayHeld {
		s.held = append(s.held, message)
	}
	return s.general
}

func (s *replaySession) add(out *replayStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = append(s.streams, out)
}

func (s *replaySession) remove(out *replayStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = slices.DeleteFunc(s.streams, func(other *replayStream) bool { return other == out })
	if s.general == out {
		s.general = nil
	}
}

// serveGeneral sends the messages that belong to no request, after the text
// first, until the client leaves.
func (s *replaySession) serveGeneral(w http.ResponseWriter, r *http.Request, first string) {
	out := &replayStream{ctx: r.Context(), messages: make(chan part)}
	s.mu.Lock()
	if s.general != nil {
		s.mu.Unlock()
		http.Error(w, "the session has this stream already", http.StatusConflict)
		return
	}
	held := s.held
	s.general, s.held = out, nil
	s.mu.Unlock()
	defer s.remove(out)
	for _, message := range held {
		first += event(message)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, first)
	_ = http.NewResponseController(w).Flush()
	out.copyTo(w, s.done)
}

func event(message []byte) string {
	return "event: message\ndata: " + strings.ReplaceAll(string(message), "\n", "\ndata: ") + "\n\n"
}

// copyTo sends the messages until the response to the request. A response without
// messages before it needs no stream of events.
func (out *replayStream) copyTo(w http.ResponseWriter, done <-chan struct{}) {
	for first := out.id != ""; ; first = false {
		var p part
		select {
		case p = <-out.messages:
		case <-out.ctx.Done():
			return
		case <-done:
			if first {
				http.Error(w, "the recorded server has ended", http.StatusNotFound)
			}
			return
		}
		last := p.last && out.id != ""
		if first && last {
			content := ""
			if p.text != nil {
				content = "application/json"
			}
			begin(w, p.http, http.StatusOK, content)
			_, _ = w.Write(p.text)
			return
		}
		if first {
			begin(w, p.http, http.StatusOK, "text/event-stream")
		}
		if p.text != nil {
			_, _ = io.WriteString(w, event(p.text))
		}
		if http.NewResponseController(w).Flush() != nil || last {
			return
		}
	}
}

// begin sends the header of a response: as it was recorded, or if recorded is nil, the status
// and the content type.
func begin(w http.ResponseWriter, recorded *recording.HTTP, status int, content string) {
	if recorded != nil {
		if status = recorded.Status; status < http.StatusOK { // a response of net/http cannot end with it
			status = http.StatusBadGateway
		}
		if wrong, ok := recorded.Headers["content-type"]; ok {
			content = wrong[0]
		}
	}
	w.Header()["Content-Type"] = nil // which disables that net/http guesses
	if content != "" {
		w.Header().Set("Content-Type", content)
	}
	w.WriteHeader(status)
}

// Lines is a stream of messages, one a line.
type Lines struct {
	In  *bufio.Reader
	Out io.Writer
}

// maxReplayLine limits a message of a client, in bytes.
const maxReplayLine = 64 << 20

func (s *Lines) Read() ([]byte, error) { return input.ReadLine(s.In, maxReplayLine) }

func (s *Lines) Write(p []byte) (int, error) { return s.Out.Write(p) }

func (s *Lines) Close() error { return nil }
