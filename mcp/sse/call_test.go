package sse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestHeadersOfPosts(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(1); s.wait() })
	conn := s.open(t, &Options{Header: http.Header{"X-Key": {"k"}}}, jsonrpc.Handler{})
	if _, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "m", Params: []byte("{}"), HTTP: jsonrpc.HTTP{ProtocolVersion: "2024-11-05"}}); err != nil {
		t.Fatal(err)
	}
	if err := conn.Reply(t.Context(), jsonrpc.StringID("a"), nil, &jsonrpc.Error{Code: -1}); err != nil {
		t.Fatal(err)
	}
	first, second := <-s.headers, <-s.headers
	if first.Get("Content-Type") != "application/json" || first.Get("X-Key") != "k" || first.Get("Accept") != "*/*" || first.Get("MCP-Protocol-Version") != "2024-11-05" {
		t.Error(first)
	}
	if second.Get("MCP-Protocol-Version") != "" {
		t.Error(second)
	}
}

// TestServerClosesAnIdleConnection just when a message is sent on it: what only
// reads is sent again.
func TestServerClosesAnIdleConnection(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(100) })
	var used sync.Map // addresses of connections
	var lists, closed, calls atomic.Int32
	s.accept = func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
		_, idle := used.Swap(r.RemoteAddr, true)
		if m.Method == "tools/list" {
			lists.Add(1)
		}
		if m.Method == "tools/list" && idle && closed.CompareAndSwap(0, 1) || m.Method == "tools/call" && calls.Add(1) == 1 {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			conn.Close()
			return
		}
		w.WriteHeader(http.StatusAccepted)
		s.posted <- *m
	}
	conn := s.open(t, nil, jsonrpc.Handler{})
	// An answer may come before its POST has ended, so that the next one takes
	// another connection.
	asked := int32(0)
	for ; closed.Load() == 0 && asked < 50; asked++ {
		if _, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "tools/list", Params: []byte("{}"), HTTP: jsonrpc.HTTP{Repeatable: true}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "tools/call", Params: []byte("{}")}); !errors.Is(err, jsonrpc.ErrOutcomeUnknown) {
		t.Error(err)
	}
	if closed.Load() != 1 || lists.Load() != asked+1 || calls.Load() != 1 {
		t.Errorf("%d lists for %d, %d connections closed, %d calls", lists.Load(), asked, closed.Load(), calls.Load())
	}
}

func TestAcceptedInManyWays(t *testing.T) {
	for _, v := range []struct {
		status int
		typ    string
		body   string
	}{{200, "text/plain", "ok"}, {202, "text/html", "<p>Accepted"}, {200, "text/html", "Accepted"}, {204, "", ""}, {200, "application/json", strings.Repeat("{}", 1<<20)}} {
		s := serve(t, func(s *stream) { s.answer(1); s.wait() })
		s.accept = func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
			s.posted <- *m
			w.Header().Set("Content-Type", v.typ)
			w.WriteHeader(v.status)
			io.WriteString(w, v.body)
		}
		conn := s.open(t, nil, jsonrpc.Handler{})
		call(t, conn, "{}")
		if err := conn.Notify(t.Context(), &jsonrpc.Request{Method: "n"}); err != nil {
			t.Errorf("%d %s: %v", v.status, v.typ, err)
		}
	}
}

func TestFailedPostFailsItsCallOnly(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(100); s.wait() })
	s.accept = func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
		switch m.Method {
		case "echo":
			s.posted <- *m
			w.WriteHeader(http.StatusAccepted)
		case "reset":
			panic(http.ErrAbortHandler)
		case "page":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>please log in")
		case "away":
			http.Redirect(w, r, "http://localhost.invalid/", http.StatusTemporaryRedirect)
		case "see":
			http.Redirect(w, r, "/other", http.StatusSeeOther)
		default:
			var status int
			fmt.Sscan(m.Method, &status)
			w.Header().Set("Retry-After", "1000000")
			w.WriteHeader(status)
			io.WriteString(w, "session topsecret \x1b[2J")
		}
	}
	conn := s.open(t, nil, jsonrpc.Handler{})
	var status *StatusError
	var redirect *RedirectError
	for method, check := range map[string]func(error) bool{
		"400":   func(err error) bool { return errors.As(err, &status) && status.Status == 400 },
		"401":   func(err error) bool { return errors.As(err, &status) && status.Status == 401 },
		"404":   func(err error) bool { return errors.As(err, &status) && !errors.Is(err, jsonrpc.ErrOutcomeUnknown) },
		"429":   func(err error) bool { return errors.As(err, &status) && status.RetryAfter == 5*time.Minute },
		"502":   func(err error) bool { return errors.As(err, &status) && errors.Is(err, jsonrpc.ErrOutcomeUnknown) },
		"503":   func(err error) bool { return errors.As(err, &status) && status.Temporary() },
		"page":  func(err error) bool { return errors.Is(err, jsonrpc.ErrMalformed) },
		"reset": func(err error) bool { return errors.Is(err, jsonrpc.ErrOutcomeUnknown) },
		"away":  func(err error) bool { return errors.As(err, &redirect) },
		"see":   func(err error) bool { return errors.As(err, &redirect) },
	} {
		_, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: method})
		if err == nil || !check(err) || errors.Is(err, jsonrpc.ErrClosed) || strings.Contains(err.Error(), "topsecret") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", method, err)
		}
		if err := conn.Notify(within(t, callTimeout), &jsonrpc.Request{Method: method}); err == nil || !check(err) {
			t.Errorf("%s: notify: %v", method, err)
		}
		call(t, conn, "{}")
	}
	if conn.Err() != nil {
		t.Error(conn.Err())
	}
}

// TestServerThatAcceptsNothing: no caller waits longer than its context for a
// server that never responds to a POST.
func TestServerThatAcceptsNothing(t *testing.T) {
	s := serve(t, (*stream).wait)
	s.accept = func(_ http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) {
		select {
		case <-r.Context().Done():
		case <-s.hold:
		}
	}
	conn := s.open(t, nil, jsonrpc.Handler{})
	for _, f := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := conn.Call(ctx, cancelled()); return err },
		func(ctx context.Context) error { return conn.Notify(ctx, &jsonrpc.Request{Method: "n"}) },
		func(ctx context.Context) error { return conn.Reply(ctx, jsonrpc.NumberID(1), nil, nil) },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		start := time.Now()
		if err := f(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if d := time.Since(start); d > callTimeout {
			t.Errorf("took %v", d)
		}
		cancel()
		if err := f(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a context that had ended: %v", err)
		}
	}
}

func TestCancelledCall(t *testing.T) {
	late := make(chan struct{})
	s := serve(t, func(s *stream) {
		m, _ := s.next()
		<-late
		s.message(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		s.answer(1)
		s.wait()
	})
	spy := &spy{base: &http.Transport{}, quiet: make(chan bool, 10)}
	defer spy.base.CloseIdleConnections()
	var dropped drops
	conn := s.open(t, &Options{Client: &http.Client{Transport: spy}}, dropped.handler())
	ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), spyKey{}, "value"))
	req := cancelled()
	req.Started = func(jsonrpc.ID) {
		go func() { // ends when the call was posted
			<-s.headers
			cancel(errors.New("changed my mind"))
		}()
	}
	if _, err := conn.Call(ctx, req); err == nil || err.Error() != "changed my mind" {
		t.Error(err)
	}
	<-s.headers // of the notice
	if call, notice := <-spy.quiet, <-spy.quiet; call || !notice {
		t.Errorf("the call is quiet: %v, its notice: %v", call, notice)
	}
	close(late)
	call(t, conn, "{}")
	if got := dropped.all(); len(got) != 1 || got[0] != jsonrpc.ErrUnknownID {
		t.Errorf("dropped: %v", got)
	}
}

// spy is a RoundTripper that looks at the contexts of POSTs.
type spy struct {
	base  *http.Transport
	quiet chan bool
}

type spyKey struct{}

func (s *spy) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == "POST" && r.Context().Value(spyKey{}) == "value" {
		s.quiet <- httpx.IsBestEffort(r.Context())
	}
	return s.base.RoundTrip(r)
}

func TestResultBeforeThePostEnds(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(1); s.wait() })
	s.accept = func(w http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
		s.posted <- *m
		select {
		case <-r.Context().Done():
		case <-s.hold:
		}
	}
	call(t, s.open(t, nil, jsonrpc.Handler{}), `{"quick":true}`)
}

func TestRequestsOfTheServer(t *testing.T) {
	s := serve(t, func(s *stream) {
		s.message(`{"jsonrpc":"2.0","id":"a","method":"ping"}`)
		s.wait()
	})
	conn := s.open(t, nil, jsonrpc.Handler{Message: func(conn jsonrpc.Conn, m *jsonrpc.Message) {
		go conn.Reply(context.Background(), m.ID, []byte(`{"pong":1}`), nil) // ends with the connection
	}})
	_ = conn
	if m := <-s.posted; m.ID != jsonrpc.StringID("a") || string(m.Result) != `{"pong":1}` {
		t.Errorf("%+v", m)
	}
}

func TestTrace(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(1); s.wait() })
	var mu sync.Mutex
	var got []string
	conn := s.open(t, nil, jsonrpc.Handler{Trace: func(sent bool, data []byte) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprintf("%v %s", sent, data))
	}})
	call(t, conn, "{}")
	mu.Lock()
	defer mu.Unlock()
	want := []string{`true {"jsonrpc":"2.0","id":1,"method":"echo","params":{}}`, `false {"jsonrpc":"2.0","id":1,"result":{}}`}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q", got)
	}
}
