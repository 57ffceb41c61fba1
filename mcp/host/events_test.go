package host_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp/host"
)

// A slow receiver does not block the host and learns how many events it missed.
func TestMissedEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		events := h.Events(t.Context())
		for range 200 {
			if err := h.SetEnabled("x", false); err != nil {
				t.Fatal(err)
			}
			if err := h.SetEnabled("x", true); err != nil {
				t.Fatal(err)
			}
		}
		n := len(events)
		for range n {
			<-events
		}
		_ = h.SetEnabled("x", false)
		if e := <-events; e.Missed != 800-n {
			t.Errorf("missed %d events, %d were delivered", e.Missed, n)
		}
	})
}

// Event channels are closed even if Shutdown gives up waiting.
func TestEventsCloseAfterAbandonedShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		events := h.Events(context.Background())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = h.Shutdown(ctx)
		synctest.Wait()
		for range events {
		}
	})
}
