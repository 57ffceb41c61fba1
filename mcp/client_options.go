package mcp

import (
	"context"
	"slices"
	"time"
)

// Options are the settings of a client. The zero value and nil work.
type Options struct {
	// Info tells servers who the client is. The default is the library's name
	// and version.
	Info Implementation

	// ProtocolVersions are the protocol versions that may be used, in any order.
	// All of [ProtocolVersions] when empty. Without a legacy version in it Connect
	// never sends initialize; without a modern one it sends that at once.
	ProtocolVersions []string

	// CachedServer is what an earlier client has said of this server in its Server
	// method, maybe in another process. Connect then doesn't find out which
	// kind it is of: a server of 2026-07-28 or later is not asked at all.
	// Should the server have changed since, connect without it.
	CachedServer *ServerInfo

	// ProbeTimeout is how long Connect waits for the answer to
	// server/discover before it tries initialize, too. 3 seconds when 0, and
	// no more than a third of what its context leaves.
	ProbeTimeout time.Duration

	// Timeout is how long a call waits for its answer. Progress starts the
	// time anew, for a call that asked for it, and it stands still while one
	// of Handlers is at work on a request of the server, and while the user is
	// at a page that the server asked for, for up to 10 minutes. 1 minute when
	// 0, no limit when negative. A context that ends earlier ends the call
	// earlier. Connect waits for a minute at least, or its context.
	Timeout time.Duration

	// MaxTimeout is how long a call may last in all, whatever progress it
	// makes. 1 hour when 0, no limit when negative.
	MaxTimeout time.Duration

	// MaxPages and MaxItems bound what the List methods and the iterators
	// read of one list. 1,000 pages and 100,000 items when 0.
	MaxPages, MaxItems int

	// MaxRounds is how often a server may ask for more before it answers a
	// request (2026-07-28). 16 when 0, never when negative.
	MaxRounds int

	// Handlers answer what servers ask of the client, such as [Roots],
	// [Sampling] and [Elicitation]. What they are for is declared to servers;
	// anything else is refused. A program links only the handlers that it
	// names.
	Handlers []Handler

	// Extensions are declared to servers, and so are Experimental capabilities:
	// settings by identifier, each of them an object. Extensions are a thing of
	// 2026-07-28; servers from before may know some all the same.
	Extensions, Experimental map[string]RawMessage

	// Cache, unless nil, keeps results for as long as the server allows. See
	// [NewCache].
	Cache Cache

	// Log is called for each log message of the server, one at a time.
	Log func(context.Context, *LogMessage)

	// LogLevel is the least severity that the server is asked to log.
	// Nothing is asked for when it is empty, which leaves it to servers of
	// before 2026-07-28, and means none with later ones.
	LogLevel LoggingLevel

	// Intercept, unless nil, is called in place of each request being sent, for
	// spans, audits, permissions. It calls Send for that, as a rule once, with
	// ctx or a context made from it, and returns what the call is to end with:
	// what Send returned, or something else. It is called on the caller's
	// goroutine, and by several at once.
	Intercept func(ctx context.Context, call *OutgoingCall) (RawMessage, error)

	// Dropped is called for everything the server sent that could not be
	// used, with the reason: messages that are malformed or too late, items of
	// lists that make no sense, notifications that came too fast. It must
	// return soon, may be called concurrently, and must not keep data.
	Dropped func(reason error, data []byte)

	// Trace is called for each message that is sent or received, in the order
	// of each direction. It must return soon, may be called for the two
	// directions at once, and must not keep data.
	Trace func(sent bool, data []byte)
}

// withDefaults returns a copy of o in which every default is filled in.
func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if d.Info.Name == "" {
		d.Info.Name, d.Info.Version = "stdmcp", Version
	}
	if len(d.ProtocolVersions) == 0 {
		d.ProtocolVersions = ProtocolVersions()
	}
	d.ProtocolVersions = slices.Clone(d.ProtocolVersions)
	d.Handlers = slices.Clone(d.Handlers)
	if d.ProbeTimeout <= 0 {
		d.ProbeTimeout = 3 * time.Second
	}
	orDefault(&d.Timeout, time.Minute)
	orDefault(&d.MaxTimeout, time.Hour)
	orDefault(&d.MaxPages, 1000)
	orDefault(&d.MaxItems, 100_000)
	orDefault(&d.MaxRounds, 16)
	if d.Dropped == nil {
		d.Dropped = func(error, []byte) {}
	}
	return d
}

func orDefault[T ~int | ~int64](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}
