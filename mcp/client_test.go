package mcp_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestKeepAlive: any response counts, and KeepAlive returns after several
// consecutive misses.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, legacy, func(p *peer, m request) {
			if n := len(p.messages("ping")); m.Method == "ping" && (n == 1 || n == 3) {
				p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"no such thing"}}`)
			}
		})
		c := connectStream(t, rwc, nil)
		wantDuration(t, 60*time.Second, func() { // after 10, 20 (missed), 30, 40 and 50 s (both missed)
			wantError(t, c.KeepAlive(t.Context(), 10*time.Second, 2), context.DeadlineExceeded, "10s")
		})
		if n := len(p.messages("ping")); n != 5 {
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
