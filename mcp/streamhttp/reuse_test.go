package streamhttp_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// dials makes calls one after another to a server that answers with streams.
// It returns how many connections they took and how long.
func dials(t *testing.T, version, fault string, calls int) (n int, took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		server := testserver.New(&testserver.Options{Fault: fault, ProtocolVersions: []string{version}})
		web, err := testserver.StartHTTP(server, &testserver.HTTPOptions{InMemory: true, Answers: testserver.Stream})
		if err != nil {
			t.Fatal(err)
		}
		defer web.Close()
		hc := web.Client()
		rt := hc.Transport.(*http.Transport)
		defer rt.CloseIdleConnections()
		dial, opened := rt.DialContext, atomic.Int32{}
		rt.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			opened.Add(1)
			return dial(ctx, network, addr)
		}
		c, err := mcp.Connect(t.Context(), streamhttp.New(web.URL, &streamhttp.Options{Client: hc, NoStream: true}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		opened.Store(0)
		start := time.Now()
		for range calls {
			if res, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil || res.Text() != "hi" {
				t.Errorf("%+v, %v", res, err)
			}
		}
		n, took = int(opened.Load()), time.Since(start)
	})
	return n, took
}

// TestStreamConnectionsAreReused: a server mostly ends the response after the
// answer, a moment later.
func TestStreamConnectionsAreReused(t *testing.T) {
	for _, version := range []string{legacy, modern} {
		if n, took := dials(t, version, "", 20); n > 1 || took != 0 {
			t.Errorf("%s: %d connections, %v", version, n, took)
		}
	}
}

// TestServerThatDoesNotEndItsStreams: calls wait for the end of a stream a few
// times, then no longer.
func TestServerThatDoesNotEndItsStreams(t *testing.T) {
	for _, fault := range []string{"stays-open", "talks-on"} {
		for _, version := range []string{legacy, modern} {
			if _, took := dials(t, version, fault, 20); took > 15*time.Millisecond {
				t.Errorf("%s, %s: %v", fault, version, took)
			}
		}
	}
}

// TestServerClosesAnIdleConnection just when a request is sent on it: what only
// reads is sent again.
func TestServerClosesAnIdleConnection(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		var closed sync.Map // by method
		s.post = func(w http.ResponseWriter, r *request) bool {
			if r.Method != "tools/list" && r.Method != "tools/call" {
				return false
			}
			if _, again := closed.LoadOrStore(r.Method, true); again {
				r.answer(w, `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`)
			} else {
				reset(w)
			}
			return true
		}
		c := s.open(t, nil, nil)
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Error(err)
		}
		_, err := c.CallTool(t.Context(), "x", nil)
		wantError(t, err, mcp.ErrOutcomeUnknown)
		if lists, calls := len(s.got("tools/list")), len(s.got("tools/call")); lists != 2 || calls != 1 {
			t.Errorf("%d lists, %d calls", lists, calls)
		}
		for _, r := range s.got("tools/list") {
			if _, ok := r.HTTP.Header["Idempotency-Key"]; ok {
				t.Error("sends a key")
			}
		}
	})
}
