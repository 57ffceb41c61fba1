package mcp

import (
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Trace is a set of functions that observe a client, as in
// net/http/httptrace. Any of them may be nil. They may be called concurrently,
// on any goroutine of the client, so they must return quickly and must not call
// the client. They must not keep data. The client recovers a panic in one of
// them and reports it to HandlerPanic.
type Trace struct {
	// Message is called for each message that the client sends or receives, in
	// order within each direction.
	Message func(sent bool, data []byte)

	// Discarded is called for data from the server that the client could not
	// use: malformed or late messages, invalid items of lists, notifications
	// that arrived too fast. It also receives the errors of handlers, with the
	// method as data, because the server receives no details.
	Discarded func(reason error, data []byte)

	// Retry is called before the client sends a request again, with the error
	// of the previous attempt: after the client has opened another session, or
	// has resolved the server's reason for refusing the request. If an idle HTTP
	// connection ends while a request is sent on it, the transport sends the
	// request again without reporting it.
	Retry func(method string, err error)

	// Reconnect is called when a connection, a stream or a subscription has
	// ended with err, before the client waits for the given time and opens it
	// again.
	Reconnect func(err error, wait time.Duration)

	// SessionLost is called when the server no longer knows the session, before
	// the client opens another one.
	SessionLost func(err error)

	// EraChosen is called when Connect has negotiated the protocol version.
	EraChosen func(server ServerInfo)

	// HandlerPanic is called with the value and the stack when a function of
	// the program panics on a goroutine of the client. The client recovers the
	// panic; if the function is a handler, the server receives an internal
	// error. Panics on the caller's goroutine are not recovered.
	HandlerPanic func(value any, stack []byte)
}

// observe calls a function of the Trace.
func (c *Client) observe(set bool, f func()) {
	if set {
		c.guard(f)
	}
}

func (c *Client) discarded(reason error, data []byte) {
	c.observe(c.trace.Discarded != nil, func() { c.trace.Discarded(reason, data) })
}

func (c *Client) retrying(method string, err error) {
	c.observe(c.trace.Retry != nil, func() { c.trace.Retry(method, err) })
}

func (c *Client) reconnecting(err error, wait time.Duration) {
	c.observe(c.trace.Reconnect != nil, func() { c.trace.Reconnect(err, wait) })
}

// connHandler returns what a connection calls.
func (c *Client) connHandler(l link) jsonrpc.Handler {
	h := jsonrpc.Handler{Message: func(_ jsonrpc.Conn, m *jsonrpc.Message) { c.message(l, m) }, Dropped: c.dropped, Reconnect: c.reconnecting, Pause: c.requests.pause, Panic: c.trace.HandlerPanic}
	if c.trace.Message != nil {
		h.Trace = func(sent bool, data []byte) { c.guard(func() { c.trace.Message(sent, data) }) }
	}
	return h
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
	diag.ReportPanic(c.trace.HandlerPanic, v)
}
