package sse

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestCloseFailsPendingCalls(t *testing.T) {
	s := serve(t, (*stream).wait)
	conn := s.open(t, nil, jsonrpc.Handler{})
	errs := make(chan error)
	for range 5 {
		go func() { // ends with the call
			_, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "m"})
			errs <- err
		}()
	}
	for range 5 {
		<-s.posted
	}
	start := time.Now()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if d := time.Since(start); d > callTimeout {
		t.Errorf("took %v", d)
	}
	for range 5 {
		if err := <-errs; !errors.Is(err, jsonrpc.ErrClosed) || !errors.Is(err, jsonrpc.ErrOutcomeUnknown) {
			t.Error(err)
		}
	}
	if conn.Err() != jsonrpc.ErrClosed {
		t.Error(conn.Err())
	}
}

func TestCloseWhileServerAcceptsNothing(t *testing.T) {
	s := serve(t, (*stream).wait)
	got := make(chan struct{})
	s.accept = func(_ http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) {
		close(got)
		select {
		case <-r.Context().Done():
		case <-s.hold:
		}
	}
	conn := s.open(t, nil, jsonrpc.Handler{})
	result := make(chan error)
	go func() { result <- conn.Notify(context.Background(), &jsonrpc.Request{Method: "n"}) }() // ends with the connection
	<-got
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-result; !errors.Is(err, jsonrpc.ErrClosed) {
		t.Error(err)
	}
}

func TestCloseWithAStuckHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		server, conn := inMemory(t, nil, jsonrpc.Handler{Message: func(jsonrpc.Conn, *jsonrpc.Message) { <-free }})
		server.write("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n")
		start := time.Now()
		if err := conn.Close(); err != jsonrpc.ErrStuck || time.Since(start) != closeTime {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		close(free)
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestCloseLeavesNoConnection is about connections of the default transport,
// which would otherwise be kept for later requests.
func TestCloseLeavesNoConnection(t *testing.T) {
	old := http.DefaultTransport
	defer func() { http.DefaultTransport = old }()
	h := serve(t, func(s *stream) { s.answer(100); s.wait() })
	for _, http2 := range []bool{false, true} {
		var open atomic.Int32
		s := newTLS(t, h.Config.Handler, func(s *httptest.Server) {
			s.EnableHTTP2 = http2
			s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				switch state {
				case http.StateNew:
					open.Add(1)
				case http.StateClosed:
					open.Add(-1)
				}
			}
		})
		http.DefaultTransport = s.Client().Transport
		conn, err := New(s.URL+"/sse", nil).Open(t.Context(), jsonrpc.Handler{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			call(t, conn, "{}")
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if !testutil.Eventually(func() bool { return open.Load() == 0 }) {
			t.Errorf("HTTP/2 %v: %d connections", http2, open.Load())
		}
	}
}
