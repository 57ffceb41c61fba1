package host

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/mcp"
)

// An EventKind says what an event is about.
type EventKind string

// The kinds of events, and the fields of an Event that they have.
const (
	StateChanged    EventKind = "state"    // State, Err
	ToolsChanged    EventKind = "tools"    // Version, Added, Removed, Changed
	Logged          EventKind = "log"      // Log or Line
	AuthNeeded      EventKind = "auth"     // Err
	ResourceChanged EventKind = "resource" // URI, Subscription, Reason
	Polled          EventKind = "poll"     // URI or Tool, Subscription, Reason, Text, Err
)

// An Event is something that happened.
type Event struct {
	Kind   EventKind
	Server string
	Time   time.Time
	Missed int // how many events before this one there was no room for

	State State
	Err   error

	Version        uint64   // of the snapshot of tools
	Added, Removed []string // what models call the tools
	Changed        []ToolChange

	Log  *mcp.LogMessage // what the server logged
	Line string          // a line of its standard error, without secrets of its settings

	URI, Tool, Subscription, Reason string
	Text                            string // what polling has brought
}

// A ToolChange is a tool whose definition is another than before. A program
// that has asked its user about the tool may want to do so again.
type ToolChange struct {
	Name string   // what models call it
	What []string // description, inputSchema, outputSchema, annotations or title
}

const (
	// eventRoom is how many events may wait in a channel, and callRoom for
	// Options.Event.
	eventRoom, callRoom = 256, 1024
)

// A hub tells everybody of events. It never waits.
type hub struct {
	callback func(Event) // may be nil
	queue    queue.Queue // runs callback

	mu        sync.Mutex
	missed    int // by callback, since it was last called
	listeners []*listener
	closed    bool
}

type listener struct {
	events chan Event
	missed int // guarded by the hub's mu
}

func (h *hub) emit(e *Event) {
	e.Time = time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	if h.callback != nil {
		own := *e
		own.Missed = h.missed
		if h.missed++; h.queue.Add(func() { h.callback(own) }) {
			h.missed = 0
		}
	}
	for _, l := range h.listeners {
		e.Missed = l.missed
		select {
		case l.events <- *e:
			l.missed = 0
		default:
			l.missed++
		}
	}
}

// Events returns a channel of what happens from now on. It is closed when ctx
// ends or the host is shut down. A program that doesn't keep up misses events,
// and is told how many.
func (h *Host) Events(ctx context.Context) <-chan Event {
	l := &listener{events: make(chan Event, eventRoom)}
	hub := &h.hub
	hub.mu.Lock()
	defer hub.mu.Unlock()
	if hub.closed {
		close(l.events)
		return l.events
	}
	hub.listeners = append(hub.listeners, l)
	context.AfterFunc(ctx, func() {
		hub.mu.Lock()
		defer hub.mu.Unlock()
		if i := slices.Index(hub.listeners, l); i >= 0 {
			hub.listeners = slices.Delete(hub.listeners, i, i+1)
			close(l.events)
		}
	})
	return l.events
}

// close ends all channels, and lets callback be told what it has not been yet,
// for a second at most: callback itself may be what shuts the host down.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	for _, l := range h.listeners {
		close(l.events)
	}
	h.listeners = nil
	h.mu.Unlock()
	told := make(chan struct{})
	if h.callback == nil || !h.queue.Add(func() { close(told) }) {
		return
	}
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-told:
	case <-t.C:
	}
}
