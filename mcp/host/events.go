package host

import (
	"context"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// An EventKind is the kind of an Event.
type EventKind string

// The kinds of events, with the fields of Event that each one sets.
const (
	StateChanged    EventKind = "state"    // State, Err
	ToolsChanged    EventKind = "tools"    // Version, Added, Removed, Changed
	Logged          EventKind = "log"      // Log or Line
	AuthNeeded      EventKind = "auth"     // Err
	ResourceChanged EventKind = "resource" // URI, Subscription, Reason
	Polled          EventKind = "poll"     // URI or Tool, Subscription, Reason, Text, Err
	CatalogFailed   EventKind = "catalog"  // Err: the file of Options.Catalog was ignored or not written

	// A glob or an override in the settings of the server names none of its tools: Err,
	// which has all of them. It is reported once for the same.
	SettingUnmatched EventKind = "unmatched"

	// The server does not use the transport of its type: Err, which names both.
	TransportChanged EventKind = "transport"

	// The list may have changed: call Host.ListPrompts or Host.ListResources, as
	// after each StateChanged to Connected.
	PromptsChanged   EventKind = "prompts"
	ResourcesChanged EventKind = "resources"
)

// An Event reports a change or a log message of a server.
type Event struct {
	Kind   EventKind
	Server string
	Time   time.Time
	Missed int // number of events before this one that the host dropped because the receiver was too slow

	State    State
	Attempts int // failed attempts to connect since the connection ended; with State
	Err      error

	Version        uint64   // of the Snapshot
	Added, Removed []string // names for models
	Changed        []ToolChange

	Log  *mcp.LogMessage // what the server logged
	Line string          // a line of standard error, without secrets of the settings

	URI, Tool    string // what changed or was polled
	Subscription string // its id, which a tool of ResourceTools returned to the model
	Reason       string // why the model subscribed, in its words
	Text         string // what polling returned
}

// A ToolChange describes a tool whose definition has changed. Programs that
// asked the user about the tool may want to ask again. See Options.Pins.
type ToolChange struct {
	Name string   // name for models
	What []string // changed fields: description, inputSchema, outputSchema, annotations, title; or the reason why there is no pin

	Before, After *mcp.Tool // the definitions; Before may lack icons and _meta
}

const (
	// maxBuffered is the capacity of a channel of Events.
	maxBuffered = 256

	// longEvent is the length in bytes up to which a channel holds several events.
	// A longer event enters a channel only if that is empty.
	longEvent = 64 << 10
)

// size returns the length in bytes of the parts of an event that the server sent.
func (e *Event) size() int {
	n := len(e.Line) + len(e.Text) + len(e.URI)
	if e.Log != nil {
		n += len(e.Log.Level) + len(e.Log.Logger) + len(e.Log.Data) + len(e.Log.Meta)
		for key, value := range e.Log.Extra {
			n += len(key) + len(value)
		}
	}
	for _, names := range [...][]string{e.Added, e.Removed} {
		for _, name := range names {
			n += len(name)
		}
	}
	if e.Err != nil {
		n += len(e.Err.Error())
		if refused, ok := diag.Find[*jsonrpc.Error](e.Err); ok {
			n += len(refused.Data)
		}
	}
	for _, c := range e.Changed {
		for _, def := range [...]*mcp.Tool{c.Before, c.After} {
			if def != nil {
				text, _ := def.MarshalJSON()
				n += len(text)
			}
		}
	}
	return n
}

// An eventBus delivers events to channels. It never blocks.
type eventBus struct {
	mu        lock.Mutex
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
	size := -1 // not known yet, and the same for all listeners
	for _, l := range b.listeners {
		e.Missed = l.dropped
		if len(l.events) > 0 && size < 0 {
			size = e.size()
		}
		if len(l.events) > 0 && size > longEvent {
			l.dropped++
			continue
		}
		select {
		case l.events <- *e:
			l.dropped = 0
		default:
			l.dropped++
		}
	}
}

// Events returns a channel that receives all later events: call it before SetServers
// to receive all of them. The channel is closed when ctx ends or the host is shut
// down. It holds up to 256 events, and an event of more than 64 KiB only if it is
// empty. The host drops events that do not fit, and Event.Missed of the next event
// counts them.
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
		if i := slices.Index(bus.listeners, l); i >= 0 {
			bus.listeners = slices.Delete(bus.listeners, i, i+1)
			close(l.events)
		}
		bus.mu.Unlock()
	})
	return l.events
}

func (b *eventBus) close() {
	b.mu.Lock()
	b.closed = true
	for _, l := range b.listeners {
		close(l.events)
	}
	b.listeners = nil
	b.mu.Unlock()
}
