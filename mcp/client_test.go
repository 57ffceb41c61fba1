package mcp_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestKeepAlive: any response counts, and KeepAlive returns after several
// consecutive misses.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		server.Inject("ping", mcptest.Refuse(-32601, "no such thing"), mcptest.Drop(), mcptest.Refuse(-32601, "no such thing"), mcptest.Drop(), mcptest.Drop())
		server.ProtocolVersions = []string{legacy}
		c := server.Connect(nil)
		wantDuration(t, 60*time.Second, func() { // after 10, 20 (missed), 30, 40 and 50 s (both missed)
			wantError(t, c.KeepAlive(t.Context(), 10*time.Second, 2), context.DeadlineExceeded, "10s")
		})
		if n := len(server.Requests("ping")); n != 5 {
			t.Errorf("%d pings", n)
		}
	})
	onEveryRoute(t, func(t *testing.T, p route) {
		c := p.open(t, p.server(testserver.Options{}), nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		wantDuration(t, time.Minute, func() { wantError(t, c.KeepAlive(ctx, time.Second, 1), context.DeadlineExceeded) })
		time.AfterFunc(time.Minute, func() { c.Close() })
		wantDuration(t, time.Minute, func() { wantError(t, c.KeepAlive(t.Context(), 7*time.Second, 1), mcp.ErrClosed) })
	})
}

// TestClientIsPrintedWithoutItsState: fmt would read fields that calls write.
func TestClientIsPrintedWithoutItsState(t *testing.T) {
	c := connect(t, testserver.New(nil), nil)
	if got := fmt.Sprintf("%v %+v %#v %d", c, c, c, c); got != "mcp.Client mcp.Client mcp.Client mcp.Client" {
		t.Error(got)
	}
}
