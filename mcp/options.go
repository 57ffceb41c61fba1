package mcp

import (
	"context"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Options are the settings of a client. A zero field means its default, and nil
// means all defaults. Any number of clients may share an Options.
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
	// 1,000 pages and 100,000 items; negative means no limit. The pages
	// that a List method collects may also not exceed the transport's
	// MaxMessage in total (64 MiB by default); the iterators have no such
	// limit.
	MaxPages, MaxItems int

	// MaxRounds is how many times a server may require input for one request
	// (2026-07-28). The default is 16; negative means never, for a program that
	// answers an [InputRequiredError] by hand. If a server
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

	// CacheKey returns a name for the credential that the transport sends for a
	// call with this context, such as the ID of a user. A call is answered from the
	// Cache only by a result for the same name. Set it if calls of several users
	// share a client: the client cannot see what an http.RoundTripper adds. Nil
	// means that all calls have the same credential.
	CacheKey func(context.Context) string

	// Log is called for each log message of the server, one at a time. Protocol
	// version 2026-07-28 deprecates log messages; see [Client.SetLogLevel].
	Log func(context.Context, *LogMessage)

	// LogLevel is the minimum severity of the log messages that the server
	// sends. If it is empty, servers before 2026-07-28 choose a level, and
	// later ones send none.
	LogLevel LoggingLevel

	// Interceptors wrap each request, for tracing, audits and permissions. The
	// first one is the outermost: the others run when it calls
	// [OutgoingCall.Send]. The slice must not be modified after Connect. Nil
	// elements are skipped.
	Interceptors []Interceptor

	// Trace observes messages, retries and panics of handlers.
	Trace *Trace
}

func (o *Options) name() string {
	if o == nil {
		return ""
	}
	return o.Name
}

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
	all := d.Interceptors
	d.Interceptors = nil
	for _, f := range all {
		if f != nil {
			d.Interceptors = append(d.Interceptors, f)
		}
	}
	setDefault(&d.ProbeTimeout, time.Second)
	setDefault(&d.Timeout, time.Minute)
	setDefault(&d.MaxTimeout, time.Hour)
	setDefault(&d.MaxPages, 1000)
	setDefault(&d.MaxItems, 100_000)
	setDefault(&d.MaxRounds, 16)
	return d
}

// setDefault sets a setting that is zero. The loop of cmp.Or is longer in each place.
func setDefault[T int | time.Duration](setting *T, value T) {
	if *setting == 0 {
		*setting = value
	}
}

// A Trace is a set of functions that observe a client, as in
// net/http/httptrace. Any of them may be nil. They may be called concurrently,
// on any goroutine of the client, so they must return quickly and must not call
// the client. They must not keep data. Their contexts have the values of Connect's
// context and end with the client. The client recovers a panic in one of
// them and reports it to HandlerPanic.
type Trace struct {
	// Message is called for each message that the client sends or receives, in
	// order within each direction.
	Message func(ctx context.Context, sent bool, data []byte)

	// Discarded is called for data from the server that the client could not
	// use: malformed or late messages, invalid items of lists, notifications
	// that arrived too fast. It also receives the errors of handlers, with the
	// method as data, because the server receives no details.
	Discarded func(ctx context.Context, reason error, data []byte)

	// Odd is called for data from the server that breaks the protocol and that the
	// client uses nevertheless because it does no harm, such as half a character in a
	// text or "true" for a boolean. A message, and a result, is reported once.
	Odd func(ctx context.Context, reason error, data []byte)

	// Retry is called before the client sends a request again, with the error
	// of the previous attempt: after the client has opened another session, or
	// has resolved the server's reason for refusing the request. If an idle HTTP
	// connection ends while a request is sent on it, the transport sends the
	// request again without reporting it.
	Retry func(ctx context.Context, method string, err error)

	// Reconnect is called when a connection, a stream or a subscription has
	// ended with err, before the client waits for the given time and opens it
	// again.
	Reconnect func(ctx context.Context, err error, wait time.Duration)

	// SessionLost is called when the server no longer knows the session, before
	// the client opens another one.
	SessionLost func(ctx context.Context, err error)

	// StreamLost is called when a connection over HTTP has given up the stream of
	// a session that brings changes, log messages and requests of the server,
	// because of err. Calls still work. It may come back with another session. If
	// StreamLost is nil, Discarded is called.
	StreamLost func(ctx context.Context, err error)

	// EraChosen is called when Connect has negotiated the protocol version.
	EraChosen func(ctx context.Context, server ServerInfo)

	// HandlerPanic is called with the value and the stack when a function of
	// the program panics on a goroutine of the client. The client recovers the
	// panic; if the function is a handler, the server receives an internal
	// error. Panics on the caller's goroutine are not recovered.
	HandlerPanic func(ctx context.Context, value any, stack []byte)
}

//
//go:noinline
func (c *Client) observe(set bool, f func()) {
	if set {
		c.guard(f)
	}
}

func (c *Client) discarded(reason error, data []byte) {
	c.observe(c.trace.Discarded != nil, func() { c.trace.Discarded(c.ctx, reason, data) })
}

func (c *Client) odd(reason error, data []byte) {
	c.observe(c.trace.Odd != nil, func() { c.trace.Odd(c.ctx, reason, data) })
}

func (c *Client) lost(err error) {
	switch a := c.agreed.Load(); {
	case !isSessionLoss(err) && c.trace.StreamLost != nil:
		c.observe(true, func() { c.trace.StreamLost(c.ctx, err) })
	case !isSessionLoss(err):
		c.discarded(err, nil)
	case a.era != nil && a.era.legacy(): // Connect has its own error
		c.beginRenewal(c.ctx, a, err)
	}
}

func (c *Client) retrying(method string, err error) {
	c.observe(c.trace.Retry != nil, func() { c.trace.Retry(c.ctx, method, err) })
}

func (c *Client) reconnecting(err error, wait time.Duration) {
	c.observe(c.trace.Reconnect != nil, func() { c.trace.Reconnect(c.ctx, err, wait) })
}

func (c *Client) connHandler(l link) jsonrpc.Handler {
	h := jsonrpc.Handler{
		Message: func(_ jsonrpc.Conn, m *jsonrpc.Message) { c.message(l, m) }, Dropped: c.dropped, Odd: c.odd,
		Reconnect: c.reconnecting, Lost: c.lost, Pause: c.requests.pause, Panic: c.onPanic(),
	}
	if c.trace.Message != nil {
		h.Trace = func(sent bool, data []byte) { c.guard(func() { c.trace.Message(c.ctx, sent, data) }) }
	}
	return h
}

func (c *Client) onPanic() func(value any, stack []byte) {
	if c.trace.HandlerPanic == nil {
		return nil
	}
	return func(value any, stack []byte) { c.trace.HandlerPanic(c.ctx, value, stack) }
}

// guard calls a function of the program on a goroutine of the client.
func (c *Client) guard(f func()) {
	defer c.recover(nil)
	f()
}

// recover recovers and reports a panic of a function of the program. It must be
// deferred. It stores the panic in *err unless err is nil.
func (c *Client) recover(err *error) {
	v := recover()
	if v == nil {
		return
	}
	if err != nil {
		*err = &diag.PanicError{Value: v}
	}
	diag.ReportPanic(c.onPanic(), v)
}
