package mcp

import (
	"runtime"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Trace is a set of functions that observe a client, like the ClientTrace of
// net/http/httptrace. Any of them may be nil. Several goroutines may call them
// at once; they must return soon and must not keep data. A panic in one of them
// is reported to HandlerPanic.
type Trace struct {
	// Message is called for each message that is sent or received, in the order
	// of each direction.
	Message func(sent bool, data []byte)

	// Discarded is called for what the server sent and the client could not
	// use: malformed or late messages, invalid items of lists, notifications
	// that arrived too fast. It also receives the errors of handlers, as the
	// server learns only that a handler failed.
	Discarded func(reason error, data []byte)

	// Retry is called before the client sends a request again, with the error
	// of the attempt before: after it has opened another session, and after it
	// has resolved the reason of a refusal. What package net/http repeats is not
	// reported.
	Retry func(method string, err error)

	// Reconnect is called before the client opens a connection, a stream or a
	// subscription again that has ended with err, and waits for that long.
	Reconnect func(err error, wait time.Duration)

	// SessionLost is called when the server has forgotten the session, before
	// the client opens another one.
	SessionLost func(err error)

	// EraChosen is called when Connect has agreed with the server on a protocol
	// version.
	EraChosen func(server ServerInfo)

	// HandlerPanic is called when a function of the program has panicked on a
	// goroutine of the library, with the value and the stack. The panic ends
	// only what the function was called for; for a handler that is the server's
	// request. On a goroutine of the program, panics pass to it.
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

// connHandler returns what connections call.
func (c *Client) connHandler() jsonrpc.Handler {
	h := jsonrpc.Handler{Message: c.message, Dropped: c.dropped, Reconnect: c.reconnecting}
	if c.trace.Message != nil {
		h.Trace = func(sent bool, data []byte) { c.guard(func() { c.trace.Message(sent, data) }) }
	}
	return h
}

// guard calls a function of the program on a goroutine of the library.
func (c *Client) guard(f func()) {
	defer c.recover(nil)
	f()
}

// recover ends a panic of a function of the program and reports it. It is
// deferred. The panic becomes *err unless err is nil.
func (c *Client) recover(err *error) {
	v := recover()
	if v == nil {
		return
	}
	if err != nil {
		*err = &panicError{v}
	}
	if report := c.trace.HandlerPanic; report != nil {
		defer func() { _ = recover() }() // its own panic has no place to be reported
		stack := make([]byte, 64<<10)
		report(v, stack[:runtime.Stack(stack, false)])
	}
}

// A panicError is a panic of a function of the program.
type panicError struct{ value any }

func (e *panicError) Error() string {
	switch v := e.value.(type) {
	case error:
		return diag.Op("panic in a handler", v).Error()
	case string:
		return "panic in a handler: " + v
	}
	return "panic in a handler"
}

func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}
