package streamhttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// note is a notification that a client with the option Log reports.
func note(text string) string {
	return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + text + `"}}`
}

// TestSessionStreamRefusedInEveryWay: it is optional, so that no refusal
// matters, nor is worth a report.
func TestSessionStreamRefusedInEveryWay(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }
	}
	for name, get := range map[string]func(http.ResponseWriter, *http.Request){
		"400":        status(400),
		"401":        status(401),
		"404":        status(404),
		"405":        status(405),
		"406":        status(406),
		"500":        status(500),
		"503":        status(503),
		"204":        status(204),
		"200":        status(200),
		"a web page": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>") },
		"JSON":       func(w http.ResponseWriter, r *http.Request) { (&request{ID: []byte("1")}).answer(w, "{}") },
		"reset":      func(w http.ResponseWriter, r *http.Request) { reset(w) },
		"ends":       func(w http.ResponseWriter, r *http.Request) { events(w, "") },
		"nonsense":   func(w http.ResponseWriter, r *http.Request) { events(w, "data: nonsense\n\n") },
		"an answer": func(w http.ResponseWriter, r *http.Request) {
			events(w, `data: {"jsonrpc":"2.0","id":3,"result":{}}`+"\n\n")
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		},
		"no response": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{session: "s", get: get}
			start := time.Now()
			c := s.open(t, nil, nil)
			for range 3 {
				callTool(t, c, "x")
			}
			c.Close()
			if took := time.Since(start); took > callTimeout {
				t.Error("took", took)
			}
			if n := len(s.got("GET")); n != 1 && name != "reset" { // which net/http tries again
				t.Errorf("asked for the stream %d times", n)
			}
		})
	}
}

// TestConnectWaitsForSessionStream: servers lose what they would send on the
// stream before it is there, such as questions that a call depends on.
func TestConnectWaitsForSessionStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Bool
		web, err := testserver.StartHTTP(testserver.New(&testserver.Options{ProtocolVersions: []string{legacy}}), &testserver.HTTPOptions{
			InMemory: true, Wrap: func(h *testserver.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet {
						time.Sleep(100 * time.Millisecond)
						open.Store(true)
					}
					h.ServeHTTP(w, r)
				})
			}})
		if err != nil {
			t.Fatal(err)
		}
		defer web.Close()
		client := web.Client()
		defer client.CloseIdleConnections()
		c, err := mcp.Connect(t.Context(), streamhttp.New(web.URL, &streamhttp.Options{Client: client}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if !open.Load() {
			t.Error("Connect returns before the stream is open")
		}
	})
}

func TestSessionStreamDeliversMessages(t *testing.T) {
	s := &server{session: "s"}
	s.get = func(w http.ResponseWriter, r *http.Request) {
		events(w, "data: "+note("hello")+"\n\n")
		send(w, `data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}`+"\n\n")
		s.hang(r)
	}
	logs := make(chan string, 1)
	c := s.open(t, nil, &mcp.Options{
		Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}},
		Log:      func(_ context.Context, m *mcp.LogMessage) { logs <- string(m.Data) },
	})
	if got := <-logs; got != `"hello"` {
		t.Error(got)
	}
	if !testutil.Eventually(func() bool { return len(s.got("")) == 1 }) {
		t.Fatal("no response")
	}
	if got := s.got("")[0].body; got != `{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}` {
		t.Error(got)
	}
	callTool(t, c, "x")
}

// TestSessionStreamIsReopened: from where it ended, after the time that the
// server wants.
func TestSessionStreamIsReopened(t *testing.T) {
	var at atomic.Int64
	var tries atomic.Int64
	s := &server{session: "s"}
	s.get = func(w http.ResponseWriter, r *http.Request) {
		if last := at.Load(); last != 0 {
			if took := time.Since(time.Unix(0, last)); took < 100*time.Millisecond {
				t.Error("came back after", took)
			}
		}
		switch tries.Add(1) {
		case 1:
			events(w, "id: one\nretry: 100\ndata: "+note("one")+"\n\n")
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		case 3:
			events(w, "") // nothing new; the position stays
		case 4:
			events(w, "id: one\ndata: "+note("one again")+"\n\nid: two\ndata: "+note("two")+"\n\n")
			s.hang(r)
		}
		at.Store(time.Now().UnixNano())
	}
	logs := make(chan string, 10)
	c := s.open(t, nil, &mcp.Options{Log: func(_ context.Context, m *mcp.LogMessage) { logs <- string(m.Data) }})
	if got := []string{<-logs, <-logs}; !slices.Equal(got, []string{`"one"`, `"two"`}) {
		t.Error(got)
	}
	c.Close()
	for i, r := range s.got("GET") {
		want := "one"
		if i == 0 {
			want = ""
		}
		if got := r.HTTP.Header.Get("Last-Event-ID"); got != want || r.HTTP.Header.Get("Accept") != "text/event-stream" {
			t.Errorf("GET %d has %v", i, r.HTTP.Header)
		}
	}
}

// TestSessionStreamAfterANewSession: there is one for the session that counts.
func TestSessionStreamAfterANewSession(t *testing.T) {
	f := newForgetful()
	open := make(chan string, 10)
	closed := make(chan string, 10)
	f.get = func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		events(w, "")
		open <- id
		f.hang(r)
		closed <- id
	}
	c := f.open(t, nil, nil)
	if got := <-open; got != "session-1" {
		t.Error(got)
	}
	f.lose()
	callTool(t, c, "x")
	if a, b := <-open, <-closed; a != "session-3" || b != "session-1" {
		t.Errorf("opened %s, closed %s", a, b)
	}
}

// TestCallContinuesInAnotherResponse: before 2026-07-28 a server may leave off and
// have the client come back.
func TestCallContinuesInAnotherResponse(t *testing.T) {
	var left atomic.Int64
	var answer string
	s := &server{session: "s"}
	s.call = func(w http.ResponseWriter, r *request) {
		answer = r.result(done)
		events(w, "id: a1\nretry: 150\ndata:\n\n")
		left.Store(time.Now().UnixNano())
	}
	s.get = func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Last-Event-ID") {
		case "":
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case "a1":
			if took := time.Since(time.Unix(0, left.Load())); took < 150*time.Millisecond {
				t.Error("came back after", took)
			}
			events(w, "id: a1\ndata: "+note("replay of what came")+"\n\nid: a2\nretry: 1\ndata: "+note("progress")+"\n\n")
		case "a2":
			if r.Header.Get("Mcp-Session-Id") != "s" || r.Header.Get("Mcp-Protocol-Version") != legacy {
				t.Errorf("GET with %v", r.Header)
			}
			events(w, "id: a2\ndata: "+note("progress")+"\n\nid: a3\ndata: "+answer+"\n\n")
			s.hang(r)
		}
	}
	var logs []string
	c := s.open(t, nil, &mcp.Options{Log: func(_ context.Context, m *mcp.LogMessage) { logs = append(logs, string(m.Data)) }})
	callTool(t, c, "x")
	c.Close()
	if !slices.Equal(logs, []string{`"replay of what came"`, `"progress"`}) { // the first was not known to be a repeat
		t.Error(logs)
	}
	if n := len(s.got("tools/call")); n != 1 {
		t.Errorf("the call was sent %d times", n)
	}
}

// TestSessionStreamResetsItsPosition: an id without a value is the end of
// positions, and no id that came before.
func TestSessionStreamResetsItsPosition(t *testing.T) {
	var tries atomic.Int64
	s := &server{session: "s"}
	s.get = func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) == 1 {
			events(w, "retry: 100\nid: 1\ndata: "+note("a")+"\n\nid\ndata: "+note("b")+"\n\n")
			send(w, "id: 2\ndata: "+note("c")+"\n\nid:\ndata: "+note("d")+"\n\n")
			return
		}
		events(w, "data: "+note("e")+"\n\n")
		s.hang(r)
	}
	logs := make(chan string, 10)
	c := s.open(t, nil, &mcp.Options{Log: func(_ context.Context, m *mcp.LogMessage) { logs <- string(m.Data) }})
	for _, want := range []string{`"a"`, `"b"`, `"c"`, `"d"`, `"e"`} {
		if got := <-logs; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	c.Close()
	for _, r := range s.got("GET") {
		if got := r.HTTP.Header.Values("Last-Event-ID"); len(got) > 0 {
			t.Errorf("GET with Last-Event-ID %q", got)
		}
	}
}

// TestCallCannotContinue: without an id, or since 2026-07-28, nothing is resumed
// and the outcome is unknown.
func TestCallCannotContinue(t *testing.T) {
	for _, tt := range []struct {
		name, version, events string
		resumed               int
	}{
		{"no id", legacy, "retry: 100\ndata:\n\n", 0},
		{"an id that cannot be sent", legacy, "id: \x01\nretry: 100\ndata:\n\n", 0},
		{"an id that is taken back", legacy, "id: 1\nretry: 100\ndata:\n\nid\ndata:\n\n", 0},
		{"no resumption any more", modern, "id: 1\nretry: 100\ndata:\n\n", 0},
		{"resumption is refused", legacy, "id: 1\nretry: 100\ndata:\n\n", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{version: tt.version, call: func(w http.ResponseWriter, r *request) { events(w, tt.events) }}
			c := s.open(t, &streamhttp.Options{NoStream: true}, nil)
			_, err := c.CallTool(within(t, callTimeout), "x", nil)
			wantError(t, err, mcp.ErrOutcomeUnknown)
			wantError(t, err, mcp.ErrClosed)
			if n := len(s.got("GET")); n != tt.resumed {
				t.Errorf("resumed %d times", n)
			}
			if n := len(s.got("tools/call")); n != 1 {
				t.Errorf("the call was sent %d times", n)
			}
		})
	}
}

// TestCallIsCanceledWhileItContinues ends the wait before another response, and
// the response.
func TestCallIsCanceledWhileItContinues(t *testing.T) {
	for _, wait := range []string{"60000", "1"} {
		resumed, gone := make(chan struct{}), make(chan struct{})
		s := &server{session: "s"}
		s.call = func(w http.ResponseWriter, r *request) { events(w, "id: 1\nretry: "+wait+"\ndata:\n\n") }
		s.get = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Last-Event-ID") == "" {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			events(w, "")
			close(resumed)
			s.hang(r)
			close(gone)
		}
		c := s.open(t, nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		if wait == "1" {
			go func() { <-resumed; cancel() }()
		} else {
			time.AfterFunc(20*time.Millisecond, cancel)
		}
		_, err := c.CallTool(ctx, "x", nil)
		wantError(t, err, context.Canceled)
		if wait == "1" {
			<-gone
		}
		if !testutil.Eventually(func() bool { return len(s.got("notifications/cancelled")) == 1 }) {
			t.Error("the server was not told")
		}
	}
}

// A wire is a server in memory, for tests about time.
type wire struct {
	mu    sync.Mutex
	at    []time.Duration // when GET came
	begun time.Time
	ctx   context.Context // of the last GET
	get   func(n int) *http.Response
	call  func(*http.Request) *http.Response // answers tools/call, if set
	last  *request                           // the last one but GET
}

func (f *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method != "GET" {
		m := &request{}
		if r.Body != nil {
			body, _ := io.ReadAll(r.Body)
			msg, _ := jsonrpc.Parse(body)
			m.Method, m.ID = msg.Method, []byte(msg.ID.String())
		}
		f.last = m
		switch m.Method {
		case "initialize":
			return respond(200, "application/json", m.result(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)), nil
		case "tools/call":
			if f.call != nil {
				if resp := f.call(r); resp != nil {
					return resp, nil
				}
				return nil, r.Context().Err()
			}
			return respond(200, "text/event-stream", "id: 1\ndata:\n\n"), nil
		case "server/discover":
			return respond(405, "", ""), nil
		}
		return respond(202, "", ""), nil
	}
	if f.begun.IsZero() {
		f.begun = time.Now()
	}
	f.ctx = r.Context()
	f.at = append(f.at, time.Since(f.begun).Round(time.Millisecond))
	resp := f.get(len(f.at))
	if resp == nil {
		return nil, io.ErrUnexpectedEOF
	}
	return resp, nil
}

// times returns when GET came, from the first time on.
func (f *wire) times() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.at)
}

func respond(status int, contentType, body string) *http.Response {
	h := http.Header{}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}

func (f *wire) connect(t *testing.T, o *mcp.Options) *mcp.Client {
	c, err := mcp.Connect(t.Context(), streamhttp.New("http://fake", &streamhttp.Options{Client: &http.Client{Transport: f}}), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSessionStreamRetriesEnd: a server that has nothing to say is left alone,
// ever longer, and then for good.
func TestSessionStreamRetriesEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		get     func(n int) *http.Response
		want    []int // seconds
		reports bool
	}{
		"ends at once":  {func(int) *http.Response { return respond(200, "text/event-stream", ": hi\n\n") }, []int{0, 1, 3, 7, 15, 31, 63}, true},
		"unavailable":   {func(int) *http.Response { return respond(503, "", "") }, []int{0, 1, 3, 7, 15, 31, 63}, false},
		"resets":        {func(int) *http.Response { return nil }, []int{0, 1, 3, 7, 15, 31, 63}, true},
		"refuses later": {func(n int) *http.Response { return respond([]int{503, 503, 404}[n-1], "", "") }, []int{0, 1, 3}, false},
		"wants to be left alone": {func(int) *http.Response { return respond(200, "text/event-stream", "retry: 10000\n\n") },
			[]int{0, 10, 20, 30, 40, 50, 60}, true},
		"for ever": {func(int) *http.Response { return respond(200, "text/event-stream", "retry: 99999999999999999999\n\n") },
			[]int{0, 60, 120, 180, 240, 300, 360}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &wire{get: tt.get}
				var j journal
				trace := j.trace()
				reconnects := 0
				trace.Reconnect = func(_ context.Context, err error, wait time.Duration) {
					if reconnects++; err == nil || wait == 0 {
						t.Errorf("reconnects after %v, in %v", err, wait)
					}
				}
				c := f.connect(t, &mcp.Options{Trace: trace})
				time.Sleep(time.Hour)
				synctest.Wait()
				if reconnects != len(tt.want)-1 {
					t.Errorf("reported %d reconnects, want %d", reconnects, len(tt.want)-1)
				}
				var at []int
				for _, d := range f.times() {
					at = append(at, int(d.Seconds()))
				}
				if !slices.Equal(at, tt.want) {
					t.Errorf("came at %v, want %v", at, tt.want)
				}
				if reported := j.String() != "[]"; reported != tt.reports {
					t.Error("dropped:", j.String())
				}
				c.Close()
			})
		})
	}
}

// TestSessionStreamThatEndsRepeatedly: a server, or a proxy, that ends idle
// responses is normal. It is asked again for ever, and at once, as a change may be
// lost in between, unless the server asks for a pause.
func TestSessionStreamThatEndsRepeatedly(t *testing.T) {
	for _, tt := range []struct {
		lasts, pause, wait time.Duration
		body               string
	}{
		{30 * time.Second, 0, 250 * time.Millisecond, ""},
		{5 * time.Second, 0, 250 * time.Millisecond, ""},
		{30 * time.Second, 3 * time.Second, 0, "retry: 3000\n\n"},
		{4900 * time.Millisecond, time.Second, 0, ": hi\n\ndata: {}\n\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := new(wire)
			f.get = func(int) *http.Response {
				resp := respond(200, "text/event-stream", "")
				resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(tt.body), late{f.ctx, tt.lasts}))
				return resp
			}
			reasons := make(map[string]int)
			waits := make(map[time.Duration]bool)
			c := f.connect(t, &mcp.Options{Trace: &mcp.Trace{Reconnect: func(_ context.Context, err error, wait time.Duration) {
				reasons[err.Error()]++
				waits[wait] = true
				if wait < tt.pause || wait > tt.pause+tt.wait {
					t.Errorf("a stream of %v is opened again after %v", tt.lasts, wait)
				}
			}}})
			time.Sleep(time.Hour)
			c.Close() // no stream is opened again while the maps are read
			synctest.Wait()
			if n, least := len(f.times()), int(time.Hour/(tt.lasts+tt.pause+tt.wait)); n < least || n > int(time.Hour/(tt.lasts+tt.pause))+1 {
				t.Errorf("asked %d times in an hour, want at least %d", n, least)
			}
			if len(reasons) != 1 || reasons["the server has ended the stream"] == 0 {
				t.Errorf("the reasons are %v", reasons)
			}
			if tt.wait > 0 && len(waits) < 10 {
				t.Errorf("no jitter: %v", waits)
			}
		})
	}
}

// late ends after a time, or with its context.
type late struct {
	ctx   context.Context
	lasts time.Duration
}

func (l late) Read([]byte) (int, error) {
	select {
	case <-time.After(l.lasts):
		return 0, io.EOF
	case <-l.ctx.Done():
		return 0, l.ctx.Err()
	}
}

// TestCallRetriesEnd: the error is that of the last attempt.
func TestCallRetriesEnd(t *testing.T) {
	for name, get := range map[string]func(int) *http.Response{
		"several times in a row": func(int) *http.Response { return respond(200, "text/event-stream", "") },
		"503":                    func(int) *http.Response { return respond(503, "", "") },
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &wire{get: get}
			tr := streamhttp.New("http://fake", &streamhttp.Options{Client: &http.Client{Transport: f}, NoStream: true})
			c, err := mcp.Connect(t.Context(), tr, &mcp.Options{Timeout: -1})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.CallTool(t.Context(), "x", nil)
			wantError(t, err, mcp.ErrOutcomeUnknown, name)
			if n := len(f.times()); n != 6 {
				t.Errorf("%s: %d attempts", name, n)
			}
			c.Close()
		})
	}
}

// TestFloodOfNotifications: they are dropped, the answer is not.
func TestFloodOfNotifications(t *testing.T) {
	const n = 4000 // four times what the client queues
	s := &server{version: modern, call: func(w http.ResponseWriter, r *request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range n {
			fmt.Fprintf(w, "data: %s\n\n", note("x"))
		}
		send(w, "data: "+r.result(done)+"\n\n")
	}}
	var logged, dropped atomic.Int64
	block := make(chan struct{})
	c := s.open(t, nil, &mcp.Options{
		Log:   func(context.Context, *mcp.LogMessage) { <-block; logged.Add(1) },
		Trace: &mcp.Trace{Discarded: func(context.Context, error, []byte) { dropped.Add(1) }},
	})
	callTool(t, c, "x")
	close(block)
	if !testutil.Eventually(func() bool { return logged.Load()+dropped.Load() == n }) || dropped.Load() == 0 {
		t.Errorf("%d logged and %d dropped of %d", logged.Load(), dropped.Load(), n)
	}
}
