package mcp

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Options are the settings of a client. A zero field means its default, and nil
// means all defaults. A negative duration means no limit; a negative count
// means none at all. Any number of clients may share an Options.
type Options struct {
	// Name is the program's name for the server, for errors. The default is the
	// server's own name.
	Name string

	// Info describes the program to servers. The default is the name and the
	// version of this library.
	Info Implementation

	// ProtocolVersions are the protocol versions that the client may use, in
	// any order. The default is all of [ProtocolVersions]. If all of them are
	// modern, Connect never sends initialize; if all of them are legacy, it
	// never sends server/discover.
	ProtocolVersions []string

	// CachedServer is the result of [Client.CachedServer] from an earlier
	// client of this server, in this or another process. It is a hint that
	// makes Connect faster and is safe even if the server has changed. If it is
	// legacy, Connect sends initialize at once, and server/discover only if the
	// server refuses initialize. If it is modern, Connect waits ten times
	// ProbeTimeout for the response to server/discover; over Streamable HTTP
	// Connect sends nothing, Client.Server returns CachedServer, and the client
	// negotiates when the server refuses a call.
	CachedServer *ServerInfo

	// ProbeTimeout is how long Connect waits for the response to
	// server/discover before it also sends initialize. The default is 1 second;
	// negative means that Connect does not send initialize until the response
	// arrives. Connect waits at most a third of the time until its context's
	// deadline.
	ProbeTimeout time.Duration

	// Timeout is how long a call waits for its response. The default is 1
	// minute; negative means no limit. A progress notification restarts the
	// timeout of a call with [ToolCall].Progress. The timeout is paused while a
	// handler runs, and for up to 10 minutes while the user is on a page that
	// the server asked to open. Connect uses at least 1 minute, as the server
	// may still be starting. A context that ends earlier ends the call earlier.
	Timeout time.Duration

	// MaxTimeout is how long a call may take in total, however often Timeout
	// restarts. The default is 1 hour; negative means no limit.
	MaxTimeout time.Duration

	// MaxPages and MaxItems limit the pages and items that a List method or an
	// iterator reads; a longer list fails with [ErrListLimit]. The defaults are
	// 1,000 pages and 100,000 items; a negative limit permits none. The pages
	// that a List method collects may also not exceed the transport's
	// MaxMessage in total (64 MiB by default); the iterators have no such
	// limit.
	MaxPages, MaxItems int

	// MaxRounds is how many times a server may require input for one request
	// (2026-07-28). The default is 16; a negative limit permits none. If a server
	// requires no input but time, the client repeats the request up to once a
	// second; that does not count, and ends with MaxTimeout.
	MaxRounds int

	// Handlers answer requests from the server, such as [Roots], [Sampling] and
	// [Elicitation], or receive its notifications. The client declares their
	// capabilities and refuses every other request. The first of several
	// handlers for a method takes precedence.
	Handlers []Handler

	// Extensions and Experimental are further capabilities that the client
	// declares: a JSON object for each identifier. Extensions are part of
	// 2026-07-28; earlier servers may know some of them.
	Extensions, Experimental map[string]RawMessage

	// Cache caches results for as long as the server permits, for example
	// CacheSize(16<<20). Nil means no cache.
	Cache Cache

	// Log is called for each log message of the server, one at a time. Protocol
	// version 2026-07-28 deprecates log messages; see [Client.SetLogLevel].
	Log func(context.Context, *LogMessage)

	// LogLevel is the minimum severity of the log messages that the server
	// sends. If it is empty, servers before 2026-07-28 choose a level, and
	// later ones send none.
	LogLevel LoggingLevel

	// Intercept, if set, is called instead of sending a request, for tracing,
	// audits and permissions. It usually calls [OutgoingCall.Send] once, with
	// ctx or a context derived from it, and returns that result or another. It
	// runs on the caller's goroutine, so it may run several times at once.
	Intercept func(ctx context.Context, call *OutgoingCall) (RawMessage, error)

	// Trace observes messages, retries and panics of handlers.
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
		d.ProtocolVersions = protocolVersions[:]
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
