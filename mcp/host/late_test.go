package host_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestStreamThatOpensLate: behind a proxy that buffers the stream of a session, a host
// waits for it once, and receives changes.
func TestStreamThatOpensLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, &testserver.Options{Fault: "get-buffered"})
		begun := time.Now()
		h, end := w.host(t, config.HTTP, host.Options{})
		defer end()
		first := time.Since(begun)
		begun = time.Now()
		if err := h.Reconnect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if again := time.Since(begun); first != 200*time.Millisecond || again != 0 {
			t.Errorf("%v, then %v", first, again)
		}
		before := len(h.Tools())
		if _, err := h.CallTool(t.Context(), "x", "add_tool", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if n := len(h.Tools()); n != before+1 {
			t.Errorf("%d tools, then %d", before, n)
		}
	})
}
