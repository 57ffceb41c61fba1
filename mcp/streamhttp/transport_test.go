package streamhttp_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestTransportIsAStruct: it can be written as a literal, copied and changed,
// and an open connection does not notice.
func TestTransportIsAStruct(t *testing.T) {
	got := make(chan string, 2)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("X-Test") }))
	defer s.Close()
	opts := &streamhttp.Options{Header: http.Header{"X-Test": {"first"}}}
	tr := streamhttp.New(s.URL, opts)
	second := *tr
	second.Header = http.Header{"X-Test": {"second"}}
	opts.Header.Set("X-Test", "changed")
	for _, tr := range []*streamhttp.Transport{tr, &second} {
		conn, err := tr.Open(t.Context(), jsonrpc.Handler{})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		want := tr.Header.Get("X-Test")
		tr.URL = ""
		tr.Header.Set("X-Test", "changed")
		if err := conn.Notify(t.Context(), &jsonrpc.Request{Method: "n"}); err != nil {
			t.Error(err)
		}
		if header := <-got; header != want {
			t.Errorf("%q, want %q", header, want)
		}
		if _, err := tr.Open(t.Context(), jsonrpc.Handler{}); err == nil {
			t.Error("opened without a URL")
		}
	}
}
