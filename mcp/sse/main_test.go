package sse

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestMain fails when tests leave something behind.
func TestMain(m *testing.M) { testutil.Main(m) }

// A server is one that a test scripts.
type server struct {
	*httptest.Server
	posted  chan jsonrpc.Message // what came by POST
	headers chan http.Header     // and with which header
	hold    chan struct{}        // closed when the test is over
	mu      sync.Mutex           // held while a message and its header are noted

	// accept answers a POST; by default with 202.
	accept func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message)
}

// A stream is an event stream that a server has opened.
type stream struct {
	*server
	http.ResponseWriter
	*http.Request
}

// write writes to the stream what it says.
func (s *stream) write(text string) {
	io.WriteString(s.ResponseWriter, text)
	s.ResponseWriter.(http.Flusher).Flush()
}

// message sends a message event.
func (s *stream) message(format string, args ...any) {
	s.write("event: message\ndata: " + fmt.Sprintf(format, args...) + "\n\n")
}

// answer answers the next n requests that were posted with their params.
func (s *stream) answer(n int) {
	for ; n > 0; n-- {
		m, ok := s.next()
		if !ok {
			return
		}
		s.message(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, m.Params)
	}
}

// next returns the next request that was posted, unless the stream ends before.
func (s *stream) next() (m jsonrpc.Message, ok bool) {
	for {
		select {
		case m := <-s.posted:
			if m.IsRequest() {
				return m, true
			}
		case <-s.Context().Done():
			return m, false
		case <-s.hold:
			return m, false
		}
	}
}

// wait waits until the client closes the stream.
func (s *stream) wait() {
	select {
	case <-s.Context().Done():
	case <-s.hold:
	}
}

// serve starts a server. script is what it does with an event stream once it
// has announced its endpoint.
func serve(t testing.TB, script func(*stream)) *server {
	s := &server{posted: make(chan jsonrpc.Message, 10000), headers: make(chan http.Header, 10000), hold: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		st := &stream{s, w, r}
		st.write("event: endpoint\ndata: /messages?session=topsecret\n\n")
		script(st)
	})
	mux.HandleFunc("POST /messages", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := jsonrpc.Parse(body)
		if err != nil || r.URL.RawQuery != "session=topsecret" || strings.HasSuffix(string(body), "\n") {
			http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
			return
		}
		if s.accept != nil {
			s.accept(w, r, &m)
			return
		}
		s.mu.Lock() // a message is answered, and the next one sent, before its header is noted
		s.posted <- m
		s.headers <- r.Header
		s.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "Accepted")
	})
	s.Server = httptest.NewServer(mux)
	var once sync.Once
	t.Cleanup(func() {
		once.Do(func() { close(s.hold) })
		s.Server.CloseClientConnections()
		s.Server.Close()
	})
	return s
}

// newTLS starts a server with TLS that is set up by change.
func newTLS(t *testing.T, h http.Handler, change func(*httptest.Server)) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	change(s)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// open connects to the server.
func (s *server) open(t testing.TB, opts *Options, h jsonrpc.Handler) jsonrpc.Conn {
	t.Helper()
	conn, err := New(s.URL+"/sse", opts).Open(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// patience is how long what takes no time may take on a busy machine. What
// must be exact is tested in bubbles.
const callTimeout = testutil.Timeout

// within bounds a test that would otherwise hang.
func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// call makes a call whose params are v and checks that they come back.
func call(t testing.TB, conn jsonrpc.Conn, v string) {
	t.Helper()
	got, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "echo", Params: jsonrpc.RawMessage(v)})
	if err != nil || string(got) != v {
		t.Errorf("got %.100s, %v, want %.100s", got, err, v)
	}
}

// cancelled is a request with a notification that withdraws it.
func cancelled() *jsonrpc.Request {
	return &jsonrpc.Request{Method: "echo", Params: []byte("{}"), Cancel: func(id jsonrpc.ID) *jsonrpc.Request {
		return &jsonrpc.Request{Method: "notifications/cancelled", Params: []byte(`{"requestId":` + id.String() + `}`)}
	}}
}

// drops collects what a connection drops.
type drops struct {
	mu   sync.Mutex
	errs []error
}

func (d *drops) handler() jsonrpc.Handler {
	return jsonrpc.Handler{Dropped: func(err error, _ []byte) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.errs = append(d.errs, err)
	}}
}

func (d *drops) all() []error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]error(nil), d.errs...)
}
