package streamhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

const (
	modern = mcp.ProtocolVersion20260728
	legacy = mcp.ProtocolVersion20251125
)

// done is a tool's result.
const done = `{"content":[{"type":"text","text":"done"}]}`

// A server is scripted by a test. It does the handshake of its protocol version;
// the functions replace its default behavior.
type server struct {
	version string // by default the newest legacy one
	session string // its id; there is none when empty

	post func(w http.ResponseWriter, r *request) bool // sees every message first; false when it leaves it
	call func(w http.ResponseWriter, r *request)      // tools/call
	get  func(w http.ResponseWriter, r *http.Request) // 405 when nil
	del  func(w http.ResponseWriter, r *http.Request) // 200 when nil

	*httptest.Server
	over chan struct{} // closed when the test is

	mu   sync.Mutex
	seen []*request
}

// A request is what came by HTTP, and the message in it if that was a POST.
type request struct {
	HTTP *http.Request `json:"-"`
	body string

	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
	}
	Result json.RawMessage
	Error  json.RawMessage
}

// start starts the server, until the end of the test.
func (s *server) start(t testing.TB) *server {
	s.over = make(chan struct{})
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		close(s.over)
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// open starts the server and connects to it until the end of the test.
func (s *server) open(t testing.TB, opts *streamhttp.Options, o *mcp.Options) *mcp.Client {
	t.Helper()
	s.start(t)
	return connect(t, streamhttp.New(s.URL, opts), o)
}

func connect(t testing.TB, tr mcp.Transport, o *mcp.Options) *mcp.Client {
	t.Helper()
	c, err := mcp.Connect(within(t, 10*time.Second), wrapped.Again(tr), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// within bounds a test that would otherwise hang.
func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	req := &request{HTTP: r, body: string(body)}
	_ = json.Unmarshal(body, req)
	s.mu.Lock()
	s.seen = append(s.seen, req)
	s.mu.Unlock()
	switch {
	case r.Method == "GET" && s.get != nil:
		s.get(w, r)
	case r.Method == "DELETE" && s.del != nil:
		s.del(w, r)
	case r.Method == "DELETE":
	case r.Method == "GET":
		w.WriteHeader(http.StatusMethodNotAllowed)
	case s.post != nil && s.post(w, req):
	default:
		s.greet(w, req)
	}
}

func (s *server) greet(w http.ResponseWriter, r *request) {
	version := s.version
	if version == "" {
		version = legacy
	}
	switch {
	case r.ID == nil || r.Method == "":
		w.WriteHeader(http.StatusAccepted)
	case r.Method == "server/discover" && version == modern:
		r.answer(w, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
	case r.Method == "initialize" && version != modern:
		if s.session != "" {
			w.Header().Set("Mcp-Session-Id", s.session)
		}
		r.answer(w, `{"protocolVersion":"`+version+`","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
	case r.Method == "tools/call" && s.call != nil:
		s.call(w, r)
	case r.Method == "tools/call":
		r.answer(w, done)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, r.ID)
	}
}

// result returns the message that answers the request.
func (r *request) result(result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// answer answers the request with JSON.
func (r *request) answer(w http.ResponseWriter, result string) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, r.result(result))
}

// events begins an event stream.
func events(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send(w, text)
}

// send continues one.
func send(w http.ResponseWriter, text string) {
	io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

// hang does nothing until the client goes away.
func (s *server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.over:
	}
}

// got returns the requests so far: those with a message of the method, or, if
// that is in capitals, those of HTTP.
func (s *server) got(method string) (list []*request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.seen {
		if r.HTTP.Method == "POST" && r.Method == method || r.HTTP.Method == method {
			list = append(list, r)
		}
	}
	return list
}

// callTool calls a tool that answers with "done".
func callTool(t testing.TB, c *mcp.Client, name string) {
	t.Helper()
	res, err := c.CallTool(within(t, 10*time.Second), name, nil)
	if err != nil {
		t.Errorf("call of %s: %v", name, err)
	} else if res.Text() != "done" {
		t.Errorf("call of %s: %q", name, res.Text())
	}
}

// wantError checks that err matches target and has all the texts in it.
func wantError(t testing.TB, err, target error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %v", target)
		return
	}
	if target != nil && !errors.Is(err, target) {
		t.Errorf("error is %q, which doesn't match %q", err, target)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error is %q, which doesn't say %q", err, text)
		}
	}
}

// wantStatus checks that err is a response with the given status.
func wantStatus(t testing.TB, err error, status int) *streamhttp.StatusError {
	t.Helper()
	var e *streamhttp.StatusError
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want a *StatusError", err)
	}
	if e.Status != status {
		t.Errorf("status %d, want %d", e.Status, status)
	}
	return e
}

// A journal notes what a client reports as dropped.
type journal struct {
	mu   sync.Mutex
	errs []error
}

func (j *journal) trace() *mcp.Trace {
	return &mcp.Trace{Discarded: func(_ context.Context, a error, b []byte) { j.dropped(a, b) }}
}

func (j *journal) dropped(err error, _ []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.errs = append(j.errs, err)
}

func (j *journal) has(target error) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, err := range j.errs {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return fmt.Sprint(j.errs)
}

func nolog() *log.Logger { return log.New(io.Discard, "", 0) }
