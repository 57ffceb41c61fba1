package host

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestEventsAreLimitedInBytes: of events that nothing receives, few long ones are
// kept, and the next one states how many were dropped.
func TestEventsAreLimitedInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &eventBus{}
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
		if <-l.events; (<-l.events).Missed != 59 {
			t.Error("the channel does not state how many events it has dropped")
		}
		b.emit(&Event{Kind: Logged, Line: "x"})
	})
}

// TestErrorsInEventsAreLimitedInBytes: a server can refuse each list with a long error.
func TestErrorsInEventsAreLimitedInBytes(t *testing.T) {
	long := strings.Repeat("x", longEvent)
	for _, refusal := range []*jsonrpc.Error{{Message: long}, {Data: jsonrpc.RawMessage(`"` + long + `"`)}} {
		b := &eventBus{}
		l := &listener{events: make(chan Event, maxBuffered)}
		b.listeners = []*listener{l}
		for range 10 {
			b.emit(&Event{Kind: StateChanged, Err: newError(toolFailed, "failed to list tools", "x", refusal)})
		}
		if n := len(l.events); n != 1 {
			t.Errorf("the channel holds %d events", n)
		}
	}
}

// TestChangesAreLimitedInBytes: an event has the definitions of the tools that have changed.
func TestChangesAreLimitedInBytes(t *testing.T) {
	for _, long := range []*mcp.Tool{
		{Description: string(make([]byte, longEvent))}, {InputSchema: mcp.RawMessage(`"` + strings.Repeat("x", longEvent) + `"`)},
		{Extra: map[string]mcp.RawMessage{"x": mcp.RawMessage(`"` + strings.Repeat("x", longEvent) + `"`)}},
	} {
		b := &eventBus{}
		l := &listener{events: make(chan Event, maxBuffered)}
		b.listeners = []*listener{l}
		for _, c := range []ToolChange{{After: &mcp.Tool{}}, {Before: long, After: &mcp.Tool{}}, {After: long}} {
			b.emit(&Event{Kind: ToolsChanged, Changed: []ToolChange{c}})
		}
		if n := len(l.events); n != 1 {
			t.Errorf("the channel holds %d events", n)
		}
	}
}
