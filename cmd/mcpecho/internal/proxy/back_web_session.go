package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// connect returns where to send a call, and how many sessions the proxy has opened. Over
// HTTP+SSE it opens a stream if there is none. If an earlier stream has ended, it also
// begins a session as the client began the first one.
func (s *webStream) connect(c *webCall) (at *url.URL, sessions int, err error) {
	if s.o.Start != nil {
		if err := s.o.Start(c.ctx); err != nil {
			return nil, 0, err
		}
	}
	s.mu.Lock()
	at, sessions = s.endpoint, s.sessions
	sse, first := s.sse, s.first
	s.mu.Unlock()
	switch {
	case !sse:
		return s.url, sessions, nil
	case at != nil:
		return at, sessions, nil
	case first == nil || c.own != nil || len(c.messages) > 0 && c.messages[0].Method == "initialize":
		err = s.openEvents(c.ctx)
	default:
		err = s.renew(c.ctx, sessions)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.endpoint == nil {
		err = errStreamEnded
	}
	return s.endpoint, s.sessions, err
}

var errStreamEnded = errors.New("the stream of the server has ended")

// openEvents opens the stream of HTTP+SSE, and waits for the event that says where to send
// messages.
func (s *webStream) openEvents(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	life, end := context.WithCancel(s.life)
	detach := context.AfterFunc(ctx, end)
	resp, err := s.do(life, http.MethodGet, s.url, http.Header{"Accept": {eventStream}}, nil)
	if err == nil {
		err = httpx.Check(resp, eventStream)
	}
	if err != nil {
		end()
		return err
	}
	opened := make(chan error, 1)
	s.wait.Go(func() { // ends with the stream, or Close
		defer end()
		defer resp.Body.Close()
		_, err := readEvents(resp.Body, func(ev *eventstream.Event, text []byte) {
			switch {
			case ev != nil && ev.Type == "message":
				s.incoming(nil, text)
			case ev != nil && ev.Type == "endpoint":
				at, err := httpx.Resolve(resp.Request.URL, strings.TrimSpace(string(ev.Data)))
				s.mu.Lock()
				s.endpoint = at
				s.mu.Unlock()
				select {
				case opened <- err:
				default: // another one
				}
			default:
				s.lost(text, "the server has sent an event that is not a message, which the client cannot receive")
			}
		})
		s.mu.Lock()
		s.endpoint = nil
		left := make(map[*webCall]bool)
		for _, c := range s.calls {
			left[c] = true
		}
		s.mu.Unlock()
		for c := range left {
			c.stop()
		}
		if err == io.EOF {
			err = errStreamEnded
		}
		select {
		case opened <- err:
		default:
		}
	})
	select {
	case err = <-opened:
	case <-ctx.Done():
		err = errors.New("the stream has no endpoint event within " + notifyTime.String())
	}
	if err != nil {
		end()
	}
	detach()
	return err
}

// useOther changes to HTTP+SSE. It reports false if the server does not use it.
func (s *webStream) useOther() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	use := s.other
	s.sse, s.other = s.sse || use, false
	return use
}

// needsOtherTransport reports whether the server apparently uses another transport.
func needsOtherTransport(err error) bool {
	var other mcp.OtherTransportError
	return errors.As(err, &other) && other.OtherTransport()
}

// ask sends a request of the proxy, and returns the response. rest holds the members of
// the request except for jsonrpc and id.
func (s *webStream) ask(ctx context.Context, rest string) (*jsonrpc.Message, error) {
	s.mu.Lock()
	s.asked++
	n := s.asked
	s.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, notifyTime, errNotAccepted)
	defer cancel()
	c := s.newCall(ctx, []byte(`{"jsonrpc":"2.0","id":"mcpecho proxy `+strconv.Itoa(n)+`",`+rest+"}"), make(chan jsonrpc.Message, 1))
	err := s.exchange(c)
	s.remove(c)
	select {
	case m := <-c.own:
		return &m, nil
	default:
	}
	if err == nil {
		err = errNoResponse
	}
	return nil, err
}

// begun notes the session that a response to initialize begins.
func (s *webStream) begun(c *webCall, m *jsonrpc.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = wire.TextOf(m.Result, "protocolVersion")
	if c.own == nil {
		s.first = c.line
	}
}

// renew opens another session in place of one that the server has forgotten, as the client
// opened the first one, unless another call has done so. sessions is how many sessions the
// proxy had opened before the call.
func (s *webStream) renew(ctx context.Context, sessions int) error {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	s.mu.Lock()
	done, first, v := s.sessions != sessions, s.first, s.version
	s.mu.Unlock()
	switch {
	case done:
		return nil
	case first == nil:
		return errNoSession
	}
	params := wire.Lookup(first, "params")
	m, err := s.ask(ctx, `"method":"initialize","params":`+string(params))
	if err != nil {
		return err
	}
	if m.Error != nil {
		return m.Error
	}
	if wire.TextOf(m.Result, "protocolVersion") != v {
		s.o.Note("the server has forgotten the session, and begins the next one with another protocol version: start the client again")
		return errNoSession
	}
	c := s.newCall(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), make(chan jsonrpc.Message, 1))
	err = s.exchange(c)
	s.remove(c)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.session = s.opened // not earlier, as other calls would use the session before it has begun
	s.sessions++
	s.mu.Unlock()
	s.listen()
	s.o.Note("the server has forgotten the session; the proxy has opened another one as the client did")
	return nil
}

var errNoSession = errors.New("the server has forgotten the session")

// listenTime is how long listen waits for the response to its request: a server may
// respond only when it has a message.
const listenTime = 200 * time.Millisecond

// listen requests the stream for the messages that belong to no request. The server may
// refuse it.
func (s *webStream) listen() {
	ctx, stop := context.WithCancel(httpx.BestEffort(s.life))
	s.mu.Lock()
	before, sse := s.unlisten, s.sse
	s.unlisten = stop
	s.mu.Unlock()
	if before != nil {
		before()
	}
	if sse {
		return
	}
	opened := make(chan struct{})
	s.wait.Go(func() { // ends with the stream, the session, or Close
		defer stop()
		resp, err := s.do(ctx, http.MethodGet, s.url, s.sessionFields(http.Header{"Accept": {eventStream}}), nil)
		close(opened)
		if err == nil {
			err = httpx.Check(resp, eventStream)
		}
		if err == nil {
			err = s.follow(ctx, nil, resp)
		}
		var status *httperr.StatusError
		if err != nil && ctx.Err() == nil && !errors.As(err, &status) {
			s.o.Note("the server's stream for messages that belong to no request has ended: " + s.o.Explain(err))
		}
	})
	t := time.NewTimer(listenTime)
	defer t.Stop()
	select {
	case <-opened:
	case <-t.C:
	case <-s.life.Done():
	}
}

// sessionFields adds the fields of a request in the session.
func (s *webStream) sessionFields(h http.Header) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != "" {
		h[sessionHeader] = []string{s.session}
	}
	if s.version != "" {
		h[versionHeader] = []string{s.version}
	}
	return h
}

// header returns the fields of MCP for a message.
func (s *webStream) header(ctx context.Context, m *jsonrpc.Message) http.Header {
	v := version(m)
	switch {
	case m.Method == "initialize":
		return http.Header{}
	case v == "":
		h := s.sessionFields(http.Header{})
		if m.Method == "notifications/initialized" {
			s.mu.Lock()
			if h.Del(sessionHeader); s.opened != "" {
				h[sessionHeader] = []string{s.opened}
			}
			s.mu.Unlock()
		}
		return h
	}
	req := &jsonrpc.Request{Method: m.Method, Params: m.Params, HTTP: jsonrpc.HTTP{ProtocolVersion: v, Name: nameOf(m)}}
	if m.Method == "tools/call" {
		req.HTTP.Binding = req.HTTP.Name
	}
	h := http.Header{}
	ctx = context.WithValue(ctx, takenKey{}, h)
	if _, err := s.headers.Call(ctx, req); len(h) == 0 && err != nil { // the arguments do not match the schema of the tool
		req.HTTP.Binding = ""
		_, _ = s.headers.Call(ctx, req)
	}
	return h
}

type takenKey struct{}

// A takesHeader takes the header of a request, as package streamhttp writes it, and sends
// nothing.
type takesHeader struct{}

func (takesHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	if to, ok := r.Context().Value(takenKey{}).(http.Header); ok {
		copyFields(to, r.Header)
	}
	return nil, errTaken
}

var errTaken = errors.New("only the header was needed")

// nameOf returns what the header Mcp-Name repeats.
func nameOf(m *jsonrpc.Message) string {
	key := ""
	switch m.Method {
	case "tools/call", "prompts/get":
		key = "name"
	case "resources/read":
		key = "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		key = "taskId"
	default:
		return ""
	}
	return wire.TextOf(m.Params, key)
}

// listTools reads the list of tools with the _meta of a call, for the arguments of the
// tools that headers repeat. It does so once.
func (s *webStream) listTools(c *webCall) error {
	s.mu.Lock()
	known := s.bound
	s.bound = true
	s.mu.Unlock()
	if known {
		return errors.New("the tools are known")
	}
	meta := string(wire.Lookup(c.messages[0].Params, "_meta"))
	for cursor, pages := "", 0; ; pages++ {
		m, err := s.ask(c.ctx, `"method":"tools/list","params":{"_meta":`+meta+cursor+"}")
		if err != nil {
			return err
		}
		next := wire.Lookup(m.Result, "nextCursor")
		if len(next) == 0 || next[0] != '"' || pages == 100 {
			return nil
		}
		cursor = `,"cursor":` + string(next)
	}
}

// bind makes the headers of a connection repeat arguments of the listed tools.
func bind(conn jsonrpc.Conn, result jsonrpc.RawMessage) {
	f := conn.Features()
	r := wire.NewReader(wire.Lookup(result, "tools"))
	if f.BindArguments == nil || r.Kind() != wire.Array {
		return
	}
	for r.Array(); r.More(); {
		tool := r.Raw()
		if name := wire.TextOf(tool, "name"); name != "" {
			_ = f.BindArguments(name, wire.Lookup(tool, "inputSchema")) // the server refuses the call of a wrong one
		}
	}
}
