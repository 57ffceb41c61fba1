package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// maxCalls is how many requests to a server over HTTP are sent at a time. Others
	// wait, in order.
	maxCalls = 100

	// notifyTime is how long a server may take to accept a notification or a response.
	notifyTime = 30 * time.Second
)

// WebOptions describe the server of a web stream.
type WebOptions struct {
	// Transports connect to the server. If there are several, the first one is used
	// unless the server responds to initialize that it needs another one.
	Transports []mcp.Transport

	// Explain returns the text of an error for the client and the user.
	Explain func(error) string

	// Note is called with one line for the user.
	Note func(line string)
}

// A webStream is a stream of the messages with a server over HTTP. Each request is a
// call of a connection, which has an id of its own; notifications and responses wait
// until the server has accepted them, and so keep their order.
type webStream struct {
	o    *WebOptions
	lost func(message []byte, reason string)
	life context.Context // ends with Close
	end  context.CancelFunc
	out  chan []byte   // messages for Read
	free chan struct{} // a place for each call that may be sent
	wait sync.WaitGroup

	renewing lock.Mutex // held while a session is opened

	mu         lock.Mutex // guards what follows
	transports []mcp.Transport
	conn       jsonrpc.Conn
	sessions   int                     // that have been opened
	first      jsonrpc.RawMessage      // the params of initialize; nil before it
	version    string                  // of the session
	calls      map[jsonrpc.ID]*webCall // by the client's id
	clientIDs  map[jsonrpc.ID]string   // by the id of the connection, as JSON
	recent     []idPair                // of calls that have ended, the last ones
	queued     int                     // bytes of the calls that wait for a place
	room       chan struct{}           // closed when queued has become less; nil if nothing waits for it
	bound      bool                    // the tools have been listed, for arguments in headers
}

// A webCall is a request without a response.
type webCall struct {
	stop   context.CancelFunc
	modern bool
	reason jsonrpc.RawMessage // the params of the client's cancellation, or nil
}

// An idPair is the id of a call of the connection, and that of the client, as JSON.
type idPair struct {
	own    jsonrpc.ID
	client string
}

// NewWebStream returns a stream of the messages with a server over HTTP. dropped is that
// of Options.Open.
func NewWebStream(ctx context.Context, o *WebOptions, dropped func(line []byte, reason string)) (jsonrpc.Stream, error) {
	s := &webStream{o: o, lost: dropped, transports: o.Transports, out: make(chan []byte), free: make(chan struct{}, maxCalls)}
	s.calls, s.clientIDs = make(map[jsonrpc.ID]*webCall), make(map[jsonrpc.ID]string)
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	return s, nil
}

// Read implements jsonrpc.Stream.
func (s *webStream) Read() ([]byte, error) {
	select {
	case message := <-s.out:
		return message, nil
	case <-s.life.Done():
		return nil, io.EOF
	}
}

// deliver passes a message to Read.
func (s *webStream) deliver(message []byte) {
	select {
	case s.out <- bytes.TrimSuffix(message, []byte("\n")):
	case <-s.life.Done():
	}
}

// Close implements jsonrpc.Stream. It ends the session.
func (s *webStream) Close() error {
	s.end()
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	var err error
	if conn != nil {
		err = conn.Close()
	}
	s.wait.Wait()
	return err
}

// Write implements jsonrpc.Stream. It sends one line of the client.
func (s *webStream) Write(line []byte) (int, error) {
	if s.life.Err() != nil {
		return 0, io.ErrClosedPipe
	}
	text := wire.Trim(line)
	messages := parse(text)
	switch {
	case len(messages) == 0 && len(text) == 0:
	case len(messages) == 0:
		id, code := jsonrpc.ID{}, int64(jsonrpc.CodeParseError)
		if wire.Valid(text) == nil {
			code = jsonrpc.CodeInvalidRequest
		}
		s.wait.Go(func() { s.deliver(refusal(id, code, "mcpecho proxy: the line is no message of JSON-RPC")) }) // ends with Read or Close
	case text[0] == '[':
		s.batch(messages)
	default:
		s.message(&messages[0], s.deliver)
	}
	return len(line), nil
}

// batch sends the messages of a batch, and delivers the responses as one.
func (s *webStream) batch(messages []jsonrpc.Message) {
	requests := 0
	for _, m := range messages {
		if m.IsRequest() {
			requests++
		}
	}
	var mu lock.Mutex
	all := []byte{'['}
	for _, m := range messages {
		s.message(&m, func(response []byte) {
			mu.Lock()
			all = append(wire.AppendComma(all), bytes.TrimSuffix(response, []byte("\n"))...)
			requests--
			last := requests == 0
			mu.Unlock()
			if last {
				s.deliver(append(all, ']'))
			}
		})
	}
}

// message sends a message of the client. deliver is called with the response.
func (s *webStream) message(m *jsonrpc.Message, deliver func([]byte)) {
	switch {
	case m.Method == "":
		s.bestEffort("a response", func(ctx context.Context, conn jsonrpc.Conn) error { return conn.Reply(ctx, m.ID, m.Result, m.Error) })
	case m.Method == "notifications/cancelled":
		s.cancel(m.Params)
	case m.ID.IsZero():
		s.notify(m)
	case m.Method == "initialize":
		ctx, c := s.register(m)
		s.call(ctx, c, m, deliver, nil)
	default:
		s.start(m, deliver)
	}
}

// notify sends a notification.
func (s *webStream) notify(m *jsonrpc.Message) {
	req := &jsonrpc.Request{Method: m.Method, Params: m.Params, HTTP: jsonrpc.HTTP{ProtocolVersion: version(m)}}
	if req.HTTP.ProtocolVersion == "" {
		s.inSession(req)
	}
	if m.Method == "notifications/initialized" {
		req.HTTP.Session = jsonrpc.BeginsSession
	}
	s.bestEffort(m.Method, func(ctx context.Context, conn jsonrpc.Conn) error { return conn.Notify(ctx, req) })
}

// bestEffort sends what has no response, and notes an error.
func (s *webStream) bestEffort(what string, send func(context.Context, jsonrpc.Conn) error) {
	ctx, cancel := context.WithTimeout(s.life, notifyTime)
	defer cancel()
	conn, err := s.open(ctx)
	if err == nil {
		err = send(ctx, conn)
	}
	if err != nil && s.life.Err() == nil {
		s.o.Note("the server has not accepted " + what + ": " + s.o.Explain(err))
	}
}

// cancel ends a call. Without a session, that ends its HTTP request, which cancels it;
// in a session the server gets the notification with the id of the connection.
func (s *webStream) cancel(params jsonrpc.RawMessage) {
	var id jsonrpc.ID
	if id.UnmarshalJSON(wire.Lookup(params, "requestId")) != nil {
		return
	}
	s.mu.Lock()
	c := s.calls[id]
	if c != nil {
		c.reason = params
	}
	s.mu.Unlock()
	if c != nil {
		c.stop()
	}
}

// start sends a request on a goroutine, after the requests before it.
func (s *webStream) start(m *jsonrpc.Message, deliver func([]byte)) {
	size := len(m.Params)
	s.mu.Lock()
	for s.queued > 0 && s.queued+size > maxQueued && len(s.free) == maxCalls && s.life.Err() == nil {
		if s.room == nil {
			s.room = make(chan struct{})
		}
		room := s.room
		s.mu.Unlock()
		select {
		case <-room:
		case <-s.life.Done():
		}
		s.mu.Lock()
	}
	s.queued += size
	s.mu.Unlock()
	started := make(chan struct{})
	ctx, c := s.register(m)
	s.wait.Go(func() { // ends with the response, a cancellation, or Close
		var once sync.Once
		begin := func() { once.Do(func() { close(started) }) }
		defer begin()
		select {
		case s.free <- struct{}{}:
		default:
			begin() // the client's other messages do not wait for a place, which may need them
			select {
			case s.free <- struct{}{}:
			case <-ctx.Done():
				s.unregister(m, c)
				s.dequeued(size)
				return
			}
		}
		defer func() { <-s.free }()
		s.dequeued(size)
		s.call(ctx, c, m, deliver, begin)
	})
	<-started // the requests begin in order
}

// dequeued notes that a request waits for a place no longer.
func (s *webStream) dequeued(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued -= size
	if s.room != nil {
		close(s.room)
		s.room = nil
	}
}

// register adds a call, which the client can cancel from then on. The caller must call
// unregister.
func (s *webStream) register(m *jsonrpc.Message) (context.Context, *webCall) {
	ctx, stop := context.WithCancel(s.life)
	c := &webCall{stop: stop, modern: version(m) != ""}
	s.mu.Lock()
	s.calls[m.ID] = c
	s.mu.Unlock()
	return ctx, c
}

// unregister removes a call, and reports whether the client has canceled it.
func (s *webStream) unregister(m *jsonrpc.Message, c *webCall) (canceled bool) {
	c.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[m.ID] == c {
		delete(s.calls, m.ID)
	}
	return c.reason != nil
}

// call sends a request and delivers its response.
func (s *webStream) call(ctx context.Context, c *webCall, m *jsonrpc.Message, deliver func([]byte), begin func()) {
	result, err := s.try(ctx, m, c, begin)
	canceled := s.unregister(m, c)
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		deliver(jsonrpc.AppendResponse(nil, m.ID, result, nil))
	case errors.As(err, &refused):
		deliver(jsonrpc.AppendResponse(nil, m.ID, nil, refused))
	case canceled || s.life.Err() != nil:
	default:
		code := int64(codeProxy)
		if m.Method == "server/discover" && needsOtherTransport(err) {
			code = jsonrpc.CodeMethodNotFound // what every client takes for a server of the other era
		}
		deliver(refusal(m.ID, code, "mcpecho proxy: "+s.o.Explain(err)))
	}
}

// try sends a request, and once more if the server has certainly not executed it and
// would do so the second time: after it has forgotten the session, or has missed
// arguments in headers.
func (s *webStream) try(ctx context.Context, m *jsonrpc.Message, c *webCall, begin func()) (jsonrpc.RawMessage, error) {
	for again := false; ; again = true {
		s.mu.Lock()
		sessions := s.sessions
		s.mu.Unlock()
		result, err := s.send(ctx, m, c, begin)
		var refused *jsonrpc.Error
		switch {
		case err == nil || again || ctx.Err() != nil:
			return result, err
		case m.Method == "initialize":
			if !needsOtherTransport(err) || !s.useOther() {
				return nil, err
			}
		case c.modern && errors.As(err, &refused) && refused.Code == mcp.CodeHeaderMismatch && m.Method == "tools/call":
			if e := s.listTools(ctx, m); e != nil {
				return nil, err
			}
		case !c.modern && (errors.Is(err, jsonrpc.ErrNoSession) || errors.Is(err, jsonrpc.ErrSessionInDoubt)):
			if e := s.renew(ctx, sessions, err); e != nil {
				return nil, e
			}
		default:
			return nil, err
		}
	}
}

// send sends a request.
func (s *webStream) send(ctx context.Context, m *jsonrpc.Message, c *webCall, begin func()) (jsonrpc.RawMessage, error) {
	conn, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	var own jsonrpc.ID
	req := &jsonrpc.Request{Method: m.Method, Params: m.Params, HTTP: jsonrpc.HTTP{Name: nameOf(m)}, Started: func(id jsonrpc.ID) {
		own = id
		s.mu.Lock()
		s.clientIDs[id] = m.ID.String()
		s.mu.Unlock()
		if begin != nil {
			begin()
		}
	}}
	defer func() {
		s.mu.Lock()
		delete(s.clientIDs, own)
		if s.recent = append(s.recent, idPair{own, m.ID.String()}); len(s.recent) > maxGone {
			s.recent = slices.Delete(s.recent, 0, 1)
		}
		s.mu.Unlock()
	}()
	if c.modern {
		req.HTTP.ProtocolVersion = version(m)
		if m.Method == "tools/call" {
			req.HTTP.Binding = req.HTTP.Name
		}
	} else if m.Method == "initialize" {
		req.HTTP.Session = jsonrpc.OpensSession
	} else {
		s.inSession(req)
		req.Cancel = func(id jsonrpc.ID) *jsonrpc.Request {
			s.mu.Lock()
			defer s.mu.Unlock()
			if c.reason == nil {
				return nil
			}
			note := &jsonrpc.Request{Method: "notifications/cancelled", Params: replace(c.reason, id.String(), "requestId")}
			note.HTTP.ProtocolVersion, note.HTTP.Session = s.version, jsonrpc.InSession
			return note
		}
	}
	result, err := conn.Call(ctx, req)
	switch {
	case err != nil:
	case m.Method == "initialize":
		s.begun(conn, m, result)
	case m.Method == "tools/list" && c.modern:
		bind(conn, result)
	case m.Method == "subscriptions/listen":
		result = replace(result, m.ID.String(), "_meta", metaSubscription)
	}
	return result, err
}

// begun notes the session that a response to initialize begins.
func (s *webStream) begun(conn jsonrpc.Conn, m *jsonrpc.Message, result jsonrpc.RawMessage) {
	v := text(wire.Lookup(result, "protocolVersion"))
	if accept := conn.Features().AcceptBatches; accept != nil && v == "2025-03-26" {
		accept()
	}
	s.mu.Lock()
	s.version = v
	s.first = bytes.Clone(m.Params)
	s.mu.Unlock()
}

// inSession makes a request one of the session.
func (s *webStream) inSession(req *jsonrpc.Request) {
	s.mu.Lock()
	req.HTTP.Session, req.HTTP.ProtocolVersion = jsonrpc.InSession, s.version
	s.mu.Unlock()
}

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
	return text(wire.Lookup(m.Params, key))
}
