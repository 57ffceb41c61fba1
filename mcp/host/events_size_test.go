package host

import (
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestEventsAreLimitedInBytes: of events that nothing receives, few long ones are
// kept, and the next one states how many were dropped.
func TestEventsAreLimitedInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, called := make(chan struct{}), 0
		var lost []int
		b := &eventBus{callback: func(e Event) { <-block; called++; lost = append(lost, e.Missed) }}
		b.queue = queue.Queue{Max: maxQueued, Budget: new(queue.Budget)}
		b.queue.Budget.SetMax(5 << 20)
		l := &listener{events: make(chan Event, maxBuffered)}
		b.listeners = []*listener{l}
		for range 60 {
			b.emit(&Event{Kind: Logged, Log: &mcp.LogMessage{Data: make([]byte, 1<<20)}})
		}
		if n := len(l.events); n != 1 {
			t.Errorf("the channel holds %d events of 1 MiB", n)
		}
		for range 300 {
			b.emit(&Event{Kind: Logged, Line: "x"})
		}
		if n := len(l.events); n != maxBuffered {
			t.Errorf("the channel holds %d events", n)
		}
		close(block)
		synctest.Wait()
		if called != 4+300 || lost[4] != 56 {
			t.Errorf("the function is called %d times; it has missed %v", called, lost[:6])
		}
		if <-l.events; (<-l.events).Missed != 59 {
			t.Error("the channel does not state how many events it has dropped")
		}
		b.emit(&Event{Kind: Logged, Line: "x"})
	})
}
