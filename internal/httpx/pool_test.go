package httpx

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A countingServer counts the connections that it has accepted.
type countingServer struct {
	*httptest.Server
	closed chan struct{} // receives a value for each connection that was closed

	mu       sync.Mutex
	accepted int
}

func newCountingServer(t *testing.T) *countingServer {
	s := &countingServer{closed: make(chan struct{}, 100)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.mu.Lock()
			s.accepted++
			s.mu.Unlock()
		case http.StateClosed:
			s.closed <- struct{}{}
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *countingServer) want(t *testing.T, accepted int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accepted != accepted {
		t.Errorf("the server has accepted %d connections, want %d", s.accepted, accepted)
	}
}

func openClient(t *testing.T, url string) *Client {
	t.Helper()
	_, c, err := Open(t.Context(), url, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func get(t *testing.T, c *Client, url string) {
	t.Helper()
	u, err := Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: u})
	if err != nil {
		t.Fatal(err)
	}
	Drain(resp)
}

// TestClientsOfAnOriginShareConnections: the connections last until the last of the
// clients is closed, in whichever order that happens.
func TestClientsOfAnOriginShareConnections(t *testing.T) {
	t.Parallel()
	s := newCountingServer(t)
	first, second := openClient(t, s.URL+"/a"), openClient(t, s.URL+"/b")
	get(t, first, s.URL)
	get(t, second, s.URL)
	s.want(t, 1)
	first.Close()
	first.Close() // counts once
	get(t, second, s.URL)
	third := openClient(t, s.URL)
	get(t, third, s.URL)
	s.want(t, 1)
	u, _ := Parse(s.URL)
	if _, err := first.Do(t.Context(), &Request{Method: "GET", URL: u}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a request of a closed client: %v", err)
	}
	second.Close()
	get(t, third, s.URL)
	s.want(t, 1)
	third.Close()
	<-s.closed
	get(t, openClient(t, s.URL), s.URL)
	s.want(t, 2)
}

func TestClientsOfOtherOriginsShareNothing(t *testing.T) {
	t.Parallel()
	s := newCountingServer(t)
	other := strings.Replace(s.URL, "127.0.0.1", "127.0.0.1.", 1)
	a, b := openClient(t, s.URL), openClient(t, other)
	if a.own == b.own || a.rt == b.rt {
		t.Error("clients of two origins share a transport")
	}
	own := openClient(t, s.URL)
	if own.own != a.own {
		t.Error("clients of one origin have two transports")
	}
}

// TestLastClientEndsRequests: the last client of an origin ends the requests that are
// still running; an earlier one leaves them to their contexts.
func TestLastClientEndsRequests(t *testing.T) {
	t.Parallel()
	s := newCountingServer(t)
	u, err := Parse(s.URL + "/wait")
	if err != nil {
		t.Fatal(err)
	}
	first, last := openClient(t, s.URL), openClient(t, s.URL)
	resp, err := last.Do(t.Context(), &Request{Method: "GET", URL: u})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first.Close()
	get(t, last, s.URL)
	last.Close()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the response of a closed client continues")
	}
}
