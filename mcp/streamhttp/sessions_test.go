package streamhttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestSessionOfARequest uses a connection as another client of JSON-RPC does: a request
// may be outside of any session, open one, or belong to it.
func TestSessionOfARequest(t *testing.T) {
	var seen []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			seen = append(seen, r.Header.Get("Mcp-Session-Id"))
			w.Header().Set("Mcp-Session-Id", "s1")
			w.Header().Set("Content-Type", "application/json")
			body, _ := io.ReadAll(r.Body)
			m, _ := jsonrpc.Parse(body)
			_, _ = w.Write(jsonrpc.AppendResponse(nil, m.ID, jsonrpc.RawMessage("{}"), nil))
		}
	}))
	defer web.Close()
	c, err := streamhttp.New(web.URL, nil).Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	for _, session := range []jsonrpc.Session{jsonrpc.NoSession, jsonrpc.OpensSession, jsonrpc.InSession} {
		if _, err := c.Call(t.Context(), &jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Session: session}}); err != nil {
			t.Errorf("session %d: %v", session, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if want := []string{"", "", "s1"}; !slices.Equal(seen, want) {
		t.Errorf("sessions %q, want %q", seen, want)
	}
}
