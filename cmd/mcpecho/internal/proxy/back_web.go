package proxy

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

const (
	// maxCalls is how many requests to a server over HTTP are sent at a time. Others
	// wait, in order.
	maxCalls = 100

	// notifyTime is how long a server may take to accept a notification or a response.
	notifyTime = 30 * time.Second

	// closeTime is how long Close reads the responses that have begun.
	closeTime = 100 * time.Millisecond
)

// WebOptions describe the server of a web stream.
type WebOptions struct {
	URL    string
	Client *http.Client // may be nil
	Header http.Header  // of the user

	// Streamable and SSE say which transports the server may use. With both, the stream
	// uses Streamable HTTP unless the server responds to initialize that it needs
	// HTTP+SSE.
	Streamable, SSE bool

	// Start, if not nil, starts the server, and waits until it can be reached. It is
	// called before each connection.
	Start func(context.Context) error

	// Explain returns the text of an error for the client and the user.
	Explain func(error) string

	// Note is called with one line for the user.
	Note func(line string)
}

// A webStream passes the lines of a client to a server over HTTP, and what the server
// sends back, unchanged. Each line is the body of an HTTP request. Lines without a request wait
// until the server has accepted them, and so keep their order.
type webStream struct {
	o       *WebOptions
	tap     *Tap
	front   bool // tap has the client's HTTP requests and responses
	lost    func(message []byte, reason string)
	life    context.Context // ends with Close
	end     context.CancelFunc
	url     *url.URL
	http    *httpx.Client
	headers jsonrpc.Conn   // writes headers, and sends nothing
	out     chan []byte    // messages for Read
	free    chan struct{}  // a place for each request that may be sent
	wait    sync.WaitGroup // goroutines

	renewing lock.Mutex // held while a session is opened

	mu        lock.Mutex // guards the following fields
	sse       bool       // the server uses HTTP+SSE
	endpoint  *url.URL   // of a connection over HTTP+SSE; nil if there is none
	other     bool       // the server may use HTTP+SSE
	sessions  int        // number of sessions that the proxy has opened
	session   string     // id of the session in use
	opened    string     // id of a session that is not in use yet
	version   string     // protocol version of the session
	first     []byte     // the line with initialize; nil before its response
	calls     map[jsonrpc.ID]*webCall
	asked     int           // number of requests of the proxy
	queued    int           // bytes of the calls that wait for a place in free
	room      chan struct{} // closed when queued decreases; nil if nothing waits for it
	bound     bool          // the tools have been listed, for arguments in headers
	unlisten  func()        // ends the stream of the session; nil if there is none
	lingering int           // number of calls whose HTTP response goes on after the message
}

// A webCall is a line of the client with requests, or a request of the proxy.
type webCall struct {
	ctx      context.Context
	stop     context.CancelFunc
	line     []byte
	messages []jsonrpc.Message
	own      chan jsonrpc.Message // receives the response to a request of the proxy; nil for the client's
	begun    chan struct{}        // closed by begin
	begin    func()               // lets the next line be sent
	done     chan struct{}        // closed when each request has its response

	// webStream.mu guards the following fields.

	ids      []jsonrpc.ID // of the requests without a response
	stray    bool         // there was a response with an id that no request has
	canceled bool
	placed   bool // it has a place of webStream.free
}

// withoutCookies returns a copy of client that keeps no cookies, as those of one client of
// the proxy are not for another one.
func withoutCookies(client *http.Client) *http.Client {
	c := *cmp.Or(client, &http.Client{})
	c.Jar = nil
	return &c
}

// NewWebStream returns a stream of the messages with a server over HTTP. tap receives the
// HTTP requests and responses, and dropped is that of Options.Open.
func NewWebStream(ctx context.Context, o *WebOptions, tap *Tap, dropped func(line []byte, reason string)) (jsonrpc.Stream, error) {
	u, client, err := httpx.Open(ctx, o.URL, withoutCookies(o.Client), o.Header)
	if err != nil {
		return nil, err
	}
	s := &webStream{o: o, tap: tap, lost: dropped, front: tap.exchanges.Load() > 0, url: u, http: client, sse: !o.Streamable, other: o.Streamable && o.SSE}
	s.headers, err = streamhttp.New(o.URL, &streamhttp.Options{Client: &http.Client{Transport: takesHeader{}}}).Open(ctx, jsonrpc.Handler{})
	if err != nil {
		client.Close()
		return nil, err
	}
	s.out, s.free, s.calls = make(chan []byte), make(chan struct{}, maxCalls), make(map[jsonrpc.ID]*webCall)
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
	case s.out <- message:
	case <-s.life.Done():
	}
}

// Close implements jsonrpc.Stream. It ends the session.
func (s *webStream) Close() error {
	ended := make(chan struct{})
	go func() { // ends with the goroutines of s
		s.wait.Wait()
		close(ended)
	}()
	s.mu.Lock()
	if s.unlisten != nil {
		s.unlisten()
	}
	session := s.session
	s.mu.Unlock()
	retry.Await(ended, closeTime)
	s.end()
	if session != "" {
		ctx, cancel := context.WithTimeout(httpx.BestEffort(context.WithoutCancel(s.life)), 2*time.Second)
		defer cancel()
		if resp, err := s.do(ctx, http.MethodDelete, s.url, s.sessionFields(http.Header{}), nil); err == nil {
			httpx.Drain(resp)
		}
	}
	<-ended
	s.http.Close()
	return s.headers.Close()
}

// Write implements jsonrpc.Stream. It sends one line of the client.
func (s *webStream) Write(line []byte) (int, error) {
	if s.life.Err() != nil {
		return 0, io.ErrClosedPipe
	}
	text := wire.Trim(line)
	if len(text) == 0 {
		return len(line), nil
	}
	c := s.newCall(s.life, text, nil)
	switch {
	case len(c.ids) > 0, len(c.messages) == 0: // a line that is not a message has a response, too
		s.start(c)
	case c.messages[0].Method == "notifications/cancelled" && s.cancel(c.messages[0].Params):
	default:
		s.notify(c)
	}
	return len(line), nil
}

// newCall returns a call for a line, which the client can cancel from then on. The caller
// must call remove.
func (s *webStream) newCall(ctx context.Context, line []byte, own chan jsonrpc.Message) *webCall {
	c := &webCall{line: line, messages: parse(line), own: own, begun: make(chan struct{}), done: make(chan struct{})}
	c.begin = sync.OnceFunc(func() { close(c.begun) })
	c.ctx, c.stop = context.WithCancel(ctx)
	for _, m := range c.messages {
		if m.IsRequest() {
			c.ids = append(c.ids, m.ID)
		}
	}
	s.mu.Lock()
	for _, id := range c.ids {
		s.calls[id] = c
	}
	s.mu.Unlock()
	return c
}

// remove removes a call, and returns its requests to which the proxy must respond with an
// error: those without a response, unless the client has canceled them or the server has
// responded with a wrong id, which the client judges.
func (s *webStream) remove(c *webCall) (rest []jsonrpc.ID) {
	c.stop()
	c.begin()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked(c)
	for i := range c.messages {
		if id := c.messages[i].ID; s.calls[id] == c {
			delete(s.calls, id)
		}
	}
	if c.stray || c.canceled || s.life.Err() != nil {
		return nil
	}
	return c.ids
}

// releaseLocked frees the place of a call.
func (s *webStream) releaseLocked(c *webCall) {
	if c.placed {
		c.placed = false
		<-s.free
	}
}

// notify sends a line without a request, and waits until the server has accepted it.
func (s *webStream) notify(c *webCall) {
	m := &c.messages[0]
	what := m.Method
	if what == "" {
		what = "a response"
	}
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithTimeoutCause(c.ctx, notifyTime, errNotAccepted)
	defer cancel()
	err := s.exchange(c)
	s.remove(c)
	switch {
	case s.life.Err() != nil:
	case err != nil:
		s.o.Note("the server has not accepted " + what + ": " + s.o.Explain(err))
	case m.Method == "notifications/initialized":
		s.listen()
	}
}

var errNotAccepted error = &httperr.TimeoutError{What: "no response", After: notifyTime}

// cancel ends a call, and reports whether the server needs no notification of it: without
// a session, the end of the HTTP request cancels the call. In a session the server may
// still respond.
func (s *webStream) cancel(params jsonrpc.RawMessage) bool {
	var id jsonrpc.ID
	if id.UnmarshalJSON(wire.Lookup(params, "requestId")) != nil {
		return false
	}
	s.mu.Lock()
	c := s.calls[id]
	if c != nil {
		c.canceled = true
	}
	s.mu.Unlock()
	switch {
	case c == nil:
		return false
	case version(&c.messages[0]) != "":
		c.stop()
		return true
	}
	time.AfterFunc(cancelTime, c.stop)
	return false
}

// start sends a line with requests on a goroutine, after the lines before it.
func (s *webStream) start(c *webCall) {
	size := len(c.line)
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
	s.wait.Go(func() { // ends with the response, a cancellation, or Close
		select {
		case s.free <- struct{}{}:
		default:
			c.begin() // the client's other messages do not wait for a place, which may need them
			select {
			case s.free <- struct{}{}:
			case <-c.ctx.Done():
				s.dequeued(size)
				s.remove(c)
				return
			}
		}
		s.mu.Lock()
		c.placed = true
		s.mu.Unlock()
		s.dequeued(size)
		s.finish(c, s.exchange(c))
	})
	<-c.begun // the requests begin in order
}

// finish responds to the requests of a call to which the server has not responded.
func (s *webStream) finish(c *webCall, err error) {
	rest := s.remove(c)
	if len(c.messages) == 0 && err != nil && s.life.Err() == nil {
		s.deliver(refusal(jsonrpc.ID{}, codeProxy, s.o.Explain(err)))
	}
	if err == nil {
		err = errNoResponse
	}
	code, reason := int64(codeProxy), s.o.Explain(err)
	switch {
	case len(rest) == 0:
		return
	case c.messages[0].Method == "server/discover" && needsOtherTransport(err):
		code = jsonrpc.CodeMethodNotFound // what every client takes for a server of the other era
	default:
		s.o.Note(reason)
	}
	for _, id := range rest {
		s.deliver(refusal(id, code, reason))
	}
}

var errNoResponse = errors.New("the HTTP response has ended, and has no response to the request")

// dequeued notes that a request no longer waits for a place.
func (s *webStream) dequeued(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued -= size
	if s.room != nil {
		close(s.room)
		s.room = nil
	}
}

// incoming passes on what the server sends: for a call in the response to it, or for any
// call on another stream.
func (s *webStream) incoming(c *webCall, data []byte) {
	messages := parse(data)
	own := false
	for i := range messages {
		m := &messages[i]
		if m.Method != "" {
			continue
		}
		s.mu.Lock()
		x := s.calls[m.ID]
		s.mu.Unlock()
		if x != nil {
			s.received(x, m)
			own = own || x.own != nil
		}
		if c != nil && x == nil {
			s.mu.Lock()
			c.stray = true
			s.mu.Unlock()
		}
	}
	if !own {
		s.deliver(flat(data))
	}
}
