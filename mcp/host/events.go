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
	maxBuffered, maxQueued = 256, 1024
)

// A bus tells everybody of events. It never waits.
type eventBus struct {
	callback func(Event) // may be nil
	queue    queue.Queue // runs callback

	mu        sync.Mutex
	dropped   int // by callback, since it was last called
	listeners []*listener
	closed    bool
}

type listener struct {
	events  chan Event
	dropped int // guarded by the bus's mu
}

func (b *eventBus) emit(e *Event) {
	e.Time = time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	if b.callback != nil {
		own := *e
		own.Missed = b.dropped
		if b.dropped++; b.queue.Add(func() { b.callback(own) }) {
			b.dropped = 0
		}
	}
	for _, l := range b.listeners {
		e.Missed = l.dropped
		select {
		case l.events <- *e:
			l.dropped = 0
		default:
			l.dropped++
		}
	}
}

// Events returns a channel of what happens from now on. It is closed when ctx
// ends or the host is shut down. A program that doesn't keep up misses events,
// and is told how many.
func (h *Host) Events(ctx context.Context) <-chan Event {
	l := &listener{events: make(chan Event, maxBuffered)}
	bus := &h.bus
	bus.mu.Lock()
	defer bus.mu.Unlock()
	if bus.closed {
		close(l.events)
		return l.events
	}
	bus.listeners = append(bus.listeners, l)
	context.AfterFunc(ctx, func() {
		bus.mu.Lock()
		defer bus.mu.Unlock()
		if i := slices.Index(bus.listeners, l); i >= 0 {
			bus.listeners = slices.Delete(bus.listeners, i, i+1)
			close(l.events)
		}
	})
	return l.events
}

// close ends all channels, and lets callback be told what it has not been yet,
// for a second at most: callback itself may be what shuts the host down.
func (b *eventBus) close() {
	b.mu.Lock()
	b.closed = true
	for _, l := range b.listeners {
		close(l.events)
	}
	b.listeners = nil
	b.mu.Unlock()
	drained := make(chan struct{})
	if b.callback == nil || !b.queue.Add(func() { close(drained) }) {
		return
	}
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-drained:
	case <-t.C:
	}
}
