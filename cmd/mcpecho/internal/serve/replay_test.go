package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestReplayToTheNewestClient: an ID is that of the newest request with it, as the
// server may not yet know that the client of an older one has gone.
func TestReplayToTheNewestClient(t *testing.T) {
	t.Parallel()
	s := &replaySession{}
	old, newest := &replayStream{id: "1", progress: `"t"`}, &replayStream{id: "1", progress: `"t"`}
	s.add(old)
	s.add(newest)
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}`,
		`{"jsonrpc":"2.0","method":"notifications/message"}`,
	} {
		m, err := jsonrpc.Parse([]byte(message))
		if err != nil || s.route([]byte(message), &m) != newest {
			t.Errorf("another stream for %s", message)
		}
	}
}

// TestReplayWritesBeforeItReads: what a replay writes while a request waits to be
// read goes to the response of the request, and after its end to the next stream.
func TestReplayWritesBeforeItReads(t *testing.T) {
	t.Parallel()
	s := &replaySession{in: make(chan []byte), done: make(chan struct{})}
	server := httptest.NewServer(&Replay{sessions: map[string]*replaySession{"": s}})
	defer server.Close()
	defer s.Close()
	const notice, response = `{"jsonrpc":"2.0","method":"notifications/message"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`
	got := make(chan string)
	go func() {
		res, err := http.Post(server.URL+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			got <- err.Error()
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		got <- string(text)
	}()
	testutil.Eventually(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.streams) == 1
	})
	_, _ = s.Write([]byte(notice))
	if _, err := s.Read(); err != nil {
		t.Fatal(err)
	}
	_, _ = s.Write([]byte(response))
	if text, want := <-got, event([]byte(notice))+event([]byte(response)); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
	_, _ = s.Write([]byte(notice)) // perhaps before the handler has returned
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) != 1 {
		t.Errorf("%d messages wait for the next stream, want 1", len(s.held))
	}
}

// TestReplayOfSwitchedProtocols: the connection would end after a response with status 101.
func TestReplayOfSwitchedProtocols(t *testing.T) {
	w := httptest.NewRecorder()
	if begin(w, &recording.HTTP{Status: http.StatusSwitchingProtocols}, http.StatusOK, ""); w.Code != http.StatusBadGateway {
		t.Error(w.Code)
	}
}
