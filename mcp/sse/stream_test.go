package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestMalformedMessages(t *testing.T) {
	for _, v := range []struct {
		name, data string // ID stands for the id of the pending call
		err        error  // how that call ends; nil when it goes on
	}{
		{"no JSON", `hello`, nil},
		{"a batch", `[{"jsonrpc":"2.0","id":ID,"result":{}}]`, jsonrpc.ErrMalformed},
		{"an unknown id", `{"jsonrpc":"2.0","id":4711,"result":{}}`, nil},
		{"an id of another type", `{"jsonrpc":"2.0","id":"x","result":{}}`, nil},
		{"null as id", `{"jsonrpc":"2.0","id":null,"result":{}}`, nil},
		{"keys in another case", `{"jsonrpc":"2.0","ID":ID,"Result":{}}`, nil},
		{"a NUL suffix", `{"jsonrpc":"2.0","id\u0000":ID,"result":{}}`, nil},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"\xff\"}", jsonrpc.ErrMalformed},
		{"a key twice", `{"jsonrpc":"2.0","id":ID,"id":ID,"result":{}}`, jsonrpc.ErrMalformed},
		{"too deep", `{"jsonrpc":"2.0","id":ID,"result":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + `}`, jsonrpc.ErrMalformed},
		{"result and error", `{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":""}}`, jsonrpc.ErrMalformed},
		{"neither", `{"jsonrpc":"2.0","id":ID}`, jsonrpc.ErrMalformed},
	} {
		t.Run(v.name, func(t *testing.T) {
			s := serve(t, func(s *stream) {
				m, _ := s.next()
				s.message("%s", strings.ReplaceAll(v.data, "ID", m.ID.String()))
				if v.err == nil {
					s.message(`{"jsonrpc":"2.0","id":"%s","result":{"fine":true}}`, m.ID) // a string, as some servers do
				}
				s.answer(1)
				s.wait()
			})
			var dropped drops
			conn := s.open(t, nil, dropped.handler())
			got, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "m"})
			if !errors.Is(err, v.err) || err == nil && string(got) != `{"fine":true}` {
				t.Errorf("%s, %v, want %v", got, err, v.err)
			}
			call(t, conn, "{}")
			if n := len(dropped.all()); n != 1 {
				t.Errorf("dropped %d", n)
			}
		})
	}
}

func TestResultsAreUnchanged(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(100); s.wait() })
	conn := s.open(t, nil, jsonrpc.Handler{})
	for _, v := range []string{`{"n":9007199254740993,"m":1e400}`, `{"a": [1,  2]}`, `{"s":"` + strings.Repeat("x", 1<<20) + `"}`} {
		call(t, conn, v)
	}
}

func TestBatches(t *testing.T) {
	s := serve(t, func(s *stream) {
		a, _ := s.next()
		b, _ := s.next()
		s.message(`[{"jsonrpc":"2.0","id":%s,"result":%s},{"jsonrpc":"2.0","id":%s,"result":%s}]`, b.ID, b.Params, a.ID, a.Params)
		s.wait()
	})
	conn := s.open(t, nil, jsonrpc.Handler{})
	if !conn.Features().Legacy {
		t.Error("the connection may be modern")
	}
	conn.Features().AcceptBatches()
	first := make(chan bool)
	go func() { // ends with the call
		call(t, conn, `{"a":1}`)
		close(first)
	}()
	call(t, conn, `{"b":1}`)
	<-first
}

func TestOtherEvents(t *testing.T) {
	s := serve(t, func(s *stream) {
		s.write(": comment\n\nid: 1\nretry: 0\ndata\n\ndata:\n\nevent: ping\ndata: {}\n\nevent: endpoint\ndata: /other\n\nretry: 1000000000000\n\n")
		s.answer(1)
		s.wait()
	})
	var dropped drops
	conn := s.open(t, nil, dropped.handler())
	call(t, conn, "{}")
	if got := fmt.Sprint(dropped.all()); got != "[a second endpoint event]" {
		t.Error(got)
	}
}

func TestPieces(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\r\n"} {
		s := serve(t, func(s *stream) {
			m, _ := s.next()
			text := "data: {\"jsonrpc\":\"2.0\"," + end + "data: \"id\":" + m.ID.String() + "," + end + "data:\"result\":" + string(m.Params) + "}" + end + end
			for i := range len(text) {
				s.write(text[i : i+1])
			}
			s.wait()
		})
		call(t, s.open(t, nil, jsonrpc.Handler{}), `{"s":"äöü€😀"}`)
	}
}

func TestEndOfTheStream(t *testing.T) {
	for name, end := range map[string]func(*stream){
		"end":   func(*stream) {},
		"reset": func(*stream) { panic(http.ErrAbortHandler) },
		"cut":   func(s *stream) { s.write(`data: {"jsonrpc":"2.0","id":1,"result":{}}` + "\n") },
		"large": func(s *stream) { s.write("data: " + strings.Repeat("x", 2000)); s.wait() },
		"lines": func(s *stream) { s.write(strings.Repeat("data: xxxxxxxxx\n", 200)); s.wait() },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(s *stream) {
				for range 3 {
					s.next()
				}
				end(s)
			})
			conn := s.open(t, &Options{MaxMessage: 1000}, jsonrpc.Handler{})
			errs := make(chan error)
			for range 3 {
				go func() { // ends with the call
					_, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "m"})
					errs <- err
				}()
			}
			for range 3 {
				if err := <-errs; !errors.Is(err, jsonrpc.ErrClosed) || !errors.Is(err, jsonrpc.ErrOutcomeUnknown) {
					t.Error(err)
				}
			}
			<-conn.Done()
			if err := conn.Err(); !errors.Is(err, jsonrpc.ErrClosed) || errors.Is(err, jsonrpc.ErrTooLarge) != (name == "large" || name == "lines") {
				t.Error(err)
			}
			if _, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "m"}); !errors.Is(err, jsonrpc.ErrClosed) || errors.Is(err, jsonrpc.ErrOutcomeUnknown) {
				t.Errorf("a later call: %v", err)
			}
			if err := conn.Notify(t.Context(), &jsonrpc.Request{Method: "m"}); !errors.Is(err, jsonrpc.ErrClosed) {
				t.Errorf("a later notification: %v", err)
			}
		})
	}
}

// TestServerDies closes the server's connections, both the stream and those of
// the requests, while calls are on their way.
func TestServerDies(t *testing.T) {
	s := serve(t, (*stream).wait)
	s.accept = func(_ http.ResponseWriter, r *http.Request, m *jsonrpc.Message) {
		s.posted <- *m
		select {
		case <-r.Context().Done():
		case <-s.hold:
		}
	}
	conn := s.open(t, nil, jsonrpc.Handler{})
	errs := make(chan error)
	for range 10 {
		go func() { // ends with the call
			_, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "m"})
			errs <- err
		}()
	}
	for range 10 {
		<-s.posted
	}
	s.CloseClientConnections()
	for range 10 {
		if err := <-errs; !errors.Is(err, jsonrpc.ErrClosed) || !errors.Is(err, jsonrpc.ErrOutcomeUnknown) {
			t.Error(err)
		}
	}
}

// TestWrongContentLength is about a stream that is announced to be longer than it is.
func TestWrongContentLength(t *testing.T) {
	url := get(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", eventStream)
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "event: endpoint\ndata: /m\n\n")
	})
	conn, err := New(url, nil).Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	<-conn.Done()
	if err := conn.Close(); err != nil || !errors.Is(conn.Err(), io.ErrUnexpectedEOF) {
		t.Error(err, conn.Err())
	}
}

func TestFloodOfNotifications(t *testing.T) {
	n := 1_000_000
	if testing.Short() || raceEnabled {
		n = 50_000
	}
	s := serve(t, func(s *stream) {
		m, _ := s.next()
		part := bytes.Repeat([]byte("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n"), 1000)
		for range n / 1000 {
			s.ResponseWriter.Write(part)
		}
		s.message(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, m.Params)
		s.wait()
	})
	var seen atomic.Int64
	call(t, s.open(t, nil, jsonrpc.Handler{Message: func(jsonrpc.Conn, *jsonrpc.Message) { seen.Add(1) }}), "{}")
	if int(seen.Load()) != n {
		t.Errorf("%d of %d", seen.Load(), n)
	}
}

func TestStreamOverHTTP2(t *testing.T) {
	h := serve(t, func(s *stream) { s.answer(20); s.wait() })
	s := newTLS(t, h.Config.Handler, func(s *httptest.Server) { s.EnableHTTP2 = true })
	tr := s.Client().Transport.(*http.Transport).Clone()
	defer tr.CloseIdleConnections()
	conn, err := New(s.URL+"/sse", &Options{Client: &http.Client{Transport: tr}}).Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		call(t, conn, fmt.Sprintf(`{"n":%d}`, i))
	}
	start := time.Now()
	if err := conn.Close(); err != nil || time.Since(start) > callTimeout {
		t.Error(err, time.Since(start))
	}
}
