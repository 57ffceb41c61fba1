package mcp

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Options are the settings of a client. A nil *Options means the defaults, and
// so does a field that is zero. A negative duration means no limit, a negative
// count none at all. Options hold no state: any number of clients can share
// them.
type Options struct {
	// Name is the program's name for the server. Errors use it; without it they
	// use the server's own name.
	Name string

	// Info describes the program to servers. The default is the name and the
	// version of this library.
	Info Implementation

	// ProtocolVersions are the protocol versions that the client may use, in any
	// order. The default is all of [ProtocolVersions]. Without a version before
	// 2026-07-28 Connect never sends initialize; with only such versions it
	// sends nothing else first.
	ProtocolVersions []string

	// CachedServer is what [Client.CachedServer] of an earlier client returned
	// for this server, in this process or in another. It is a hint that makes
	// Connect faster, and remains safe if the server has changed: to a server
	// that was a legacy one Connect sends initialize at once, and
	// server/discover after a refusal. A server that was a modern one has ten
	// times ProbeTimeout for its response to server/discover; over Streamable
	// HTTP Connect sends nothing, and negotiates when the server refuses a call.
	// Until then Client.Server returns CachedServer.
	CachedServer *ServerInfo

	// ProbeTimeout is how long Connect waits for the response to
	// server/discover before it sends initialize, too. The default is 1
	// second; negative means until the response arrives. It is never more than
	// a third of the time that Connect's context leaves.
	ProbeTimeout time.Duration

	// Timeout is how long a call waits for its response. The default is 1
	// minute; negative means no limit. A report of progress, for a call that
	// asks for progress, restarts the time. The time is paused while a handler
	// works on a request of the server, and while the user is on a page that
	// the server asked for, for up to 10 minutes. A context that ends earlier
	// ends the call earlier. Connect waits at least a minute, or until its
	// context ends.
	Timeout time.Duration

	// MaxTimeout is how long a call may take in all, with any amount of
	// progress. The default is 1 hour; negative means no limit.
	MaxTimeout time.Duration

	// MaxPages and MaxItems are how many pages and items of one list the List
	// methods and the iterators read. The defaults are 1,000 pages and 100,000
	// items; negative means none.
	MaxPages, MaxItems int

	// MaxRounds is how often a server may ask for input before it responds to a
	// request (2026-07-28). The default is 16; negative means never.
	MaxRounds int

	// Handlers answer requests of the server, such as [Roots], [Sampling] and
	// [Elicitation]. The client declares them to servers and refuses every other
	// request. A program links only the handlers that it names.
	Handlers []Handler

	// Extensions and Experimental are further capabilities that the client
	// declares to servers: settings by identifier, each of them an object.
	// Extensions are part of 2026-07-28; earlier servers may know some of them.
	Extensions, Experimental map[string]RawMessage

	// Cache keeps results for as long as the server permits, for example
	// CacheSize(16<<20). Nil means that nothing is kept.
	Cache Cache

	// Log is called for each log message of the server, one at a time. Protocol
	// version 2026-07-28 deprecates log messages; see [Client.SetLogLevel].
	Log func(context.Context, *LogMessage)

	// LogLevel is the least severity that the client asks the server to log.
	// When it is empty, the client does not ask: servers before 2026-07-28 then
	// choose, and later ones log nothing.
	LogLevel LoggingLevel

	// Intercept is called instead of sending each request, for spans, audits
	// and permissions. It calls Send, usually once, with ctx or a context
	// derived from it, and returns the result of the call: that of Send, or
	// another. It runs on the caller's goroutine, possibly on several at once.
	Intercept func(ctx context.Context, call *OutgoingCall) (RawMessage, error)

	// Trace observes the client: messages, retries, panics of handlers.
	Trace *Trace
}

// name returns the program's name for the server.
func (o *Options) name() string {
	if o == nil {
		return ""
	}
	return o.Name
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
	d.ProbeTimeout = cmp.Or(d.ProbeTimeout, time.Second)
	d.Timeout = cmp.Or(d.Timeout, time.Minute)
	d.MaxTimeout = cmp.Or(d.MaxTimeout, time.Hour)
	d.MaxPages = cmp.Or(d.MaxPages, 1000)
	d.MaxItems = cmp.Or(d.MaxItems, 100_000)
	d.MaxRounds = cmp.Or(d.MaxRounds, 16)
	return d
}
