package streamhttp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestCloseDuringEverything closes while the server keeps calls, notices and
// the session's stream waiting, in every state that their responses have.
func TestCloseDuringEverything(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		s.call = func(w http.ResponseWriter, r *request) {
			switch r.Params.Name {
			case "JSON":
				w.Header().Set("Content-Type", "application/json")
				send(w, "{")
			case "events":
				events(w, "id: 1\n")
			case "resumed":
				events(w, "id: 1\nretry: 60000\ndata:\n\n")
				return
			}
			s.hang(r.HTTP)
		}
		s.post = func(w http.ResponseWriter, r *request) bool {
			if r.Method == "notifications/x" {
				s.hang(r.HTTP)
			}
			return false
		}
		s.get = func(w http.ResponseWriter, r *http.Request) { events(w, ":"); s.hang(r) }
		c := s.open(t, nil, nil)
		var calls sync.WaitGroup
		for _, name := range []string{"silent", "JSON", "events", "resumed"} {
			calls.Go(func() {
				_, err := c.CallTool(context.Background(), name, nil)
				wantError(t, err, mcp.ErrClosed)
				if name != "resumed" || s.version == legacy {
					wantError(t, err, mcp.ErrOutcomeUnknown)
				}
			})
		}
		calls.Go(func() { wantError(t, c.Notify(context.Background(), "notifications/x", nil), nil) })
		if !testutil.Eventually(func() bool { return len(s.got("tools/call")) == 4 && len(s.got("notifications/x")) == 1 }) {
			t.Error("the calls don't arrive")
		}
		start := time.Now()
		for range 3 {
			calls.Go(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		if took := time.Since(start); took > callTimeout {
			t.Error("took", took)
		}
		select {
		case <-c.Done():
		default:
			t.Error("not done")
		}
		wantError(t, c.Err(), mcp.ErrClosed)
		_, err := c.CallTool(t.Context(), "x", nil)
		wantError(t, err, mcp.ErrClosed)
		wantError(t, c.Notify(t.Context(), "notifications/x", nil), mcp.ErrClosed)
	})
}

// TestCloseEndsTheSession: once, and whatever the server makes of it.
func TestCloseEndsTheSession(t *testing.T) {
	for _, status := range []int{200, 204, 405, 404, 500} {
		s := &server{session: "the-session", del: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) }}
		c := s.open(t, nil, nil)
		for range 2 {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
		if list := s.got("DELETE"); len(list) != 1 || list[0].HTTP.Header.Get("Mcp-Session-Id") != "the-session" {
			t.Errorf("%d: %d times", status, len(list))
		}
	}
}

// TestCloseDoesNotWaitForADeadHost: no longer than two seconds, and calls not
// at all.
func TestCloseDoesNotWaitForADeadHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == "DELETE" || strings.Contains(string(bodyOf(r)), "tools/call") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			resp, err := (&wire{get: func(int) *http.Response { return respond(405, "", "") }}).RoundTrip(r)
			resp.Header.Set("Mcp-Session-Id", "s")
			return resp, err
		})
		c := connect(t, streamhttp.New("http://fake", &streamhttp.Options{Client: &http.Client{Transport: dead}}), nil)
		start := time.Now()
		var call sync.WaitGroup
		call.Go(func() {
			_, err := c.CallTool(context.Background(), "x", nil)
			wantError(t, err, mcp.ErrOutcomeUnknown)
			if took := time.Since(start); took != 0 {
				t.Error("the call took", took)
			}
		})
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Error("Close took", took)
		}
		call.Wait()
	})
}

// TestCloseAtEveryMoment opens, calls and closes again and again.
func TestCloseAtEveryMoment(t *testing.T) {
	n := 100
	if testing.Short() {
		n = 20
	}
	both(t, func(t *testing.T, s *server) {
		s.get = func(w http.ResponseWriter, r *http.Request) { events(w, ""); s.hang(r) }
		s.start(t)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := range n / 4 {
					c, err := mcp.Connect(within(t, 10*time.Second), streamhttp.New(s.URL, nil), nil)
					if err != nil {
						t.Error(err)
						return
					}
					var calls sync.WaitGroup
					for range 3 {
						calls.Go(func() {
							if _, err := c.CallTool(context.Background(), "x", nil); err != nil {
								wantError(t, err, mcp.ErrClosed)
							}
						})
					}
					time.Sleep(time.Duration(i%8) * 200 * time.Microsecond)
					if err := c.Close(); err != nil {
						t.Error(err)
					}
					calls.Wait()
				}
			})
		}
		all.Wait()
	})
}

// TestConnectIsCanceled in the middle of it: the session that is there is ended.
func TestConnectIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(within(t, 10*time.Second))
	s := &server{session: "s"}
	s.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method == "notifications/initialized" {
			cancel()
			s.hang(r.HTTP)
			return true
		}
		return false
	}
	s.start(t)
	_, err := mcp.Connect(ctx, streamhttp.New(s.URL, nil), nil)
	wantError(t, err, context.Canceled)
	if !testutil.Eventually(func() bool { return len(s.got("DELETE")) == 1 }) {
		t.Error("the session stays")
	}
}

// TestRoundTripperThatNeverReturns holds up Close for five seconds only.
func TestRoundTripperThatNeverReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stuck := roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.Contains(string(bodyOf(r)), "tools/call") {
				<-release
			}
			return (&wire{get: func(int) *http.Response { return respond(405, "", "") }}).RoundTrip(r)
		})
		c := connect(t, streamhttp.New("http://fake", &streamhttp.Options{Client: &http.Client{Transport: stuck}}), nil)
		var call sync.WaitGroup
		call.Go(func() { _, _ = c.CallTool(context.Background(), "x", nil) })
		synctest.Wait()
		start := time.Now()
		wantError(t, c.Close(), nil, "has not returned")
		if took := time.Since(start); took != 5*time.Second {
			t.Error("Close took", took)
		}
		close(release)
		call.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// bodyOf returns what a request will send.
func bodyOf(r *http.Request) []byte {
	if r.GetBody == nil {
		return nil
	}
	body, _ := r.GetBody()
	text, _ := io.ReadAll(body)
	return text
}
