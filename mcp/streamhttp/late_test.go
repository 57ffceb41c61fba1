package streamhttp_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestStreamThatOpensLate: behind a proxy that buffers the stream of a session, only the
// first connection of a day waits for it.
func TestStreamThatOpensLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, err := testserver.StartHTTP(testserver.New(&testserver.Options{Fault: "get-buffered"}), &testserver.HTTPOptions{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		defer web.Close()
		client := web.Client()
		client.Transport = testserver.Interrupting{Transport: client.Transport.(*http.Transport)}
		defer client.CloseIdleConnections()
		var known *mcp.ServerInfo
		for i, step := range []struct{ after, want time.Duration }{{0, 200 * time.Millisecond}, {0, 0}, {23 * time.Hour, 0}, {2 * time.Hour, 200 * time.Millisecond}, {0, 0}} {
			time.Sleep(step.after)
			begun := time.Now()
			c, err := mcp.Connect(t.Context(), streamhttp.New(web.URL, &streamhttp.Options{Client: client}), &mcp.Options{CachedServer: known})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begun); took != step.want {
				t.Errorf("connection %d: %v, want %v", i, took, step.want)
			}
			known = c.CachedServer()
			if known.StreamLate.IsZero() || !c.Server().StreamLate.IsZero() {
				t.Errorf("%+v", known)
			}
			c.Close()
		}
	})
}
