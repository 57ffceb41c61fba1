package mcp

import (
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Errors that the errors of a client match, in addition to those of contexts.
// An error response of the server is a *[jsonrpc.Error], which errors.As finds.
var (
	// ErrClosed: the connection was closed, by either side.
	ErrClosed = jsonrpc.ErrClosed

	// ErrOutcomeUnknown: the connection ended after the client had sent the
	// request and before the response arrived. The server may have executed it.
	ErrOutcomeUnknown = jsonrpc.ErrOutcomeUnknown

	// ErrTooLarge: the server sent more than the client accepts.
	ErrTooLarge = jsonrpc.ErrTooLarge

	// ErrMalformed: the server's response is invalid.
	ErrMalformed = jsonrpc.ErrMalformed

	// ErrUnknownID is passed to Trace.Discarded for a response that arrives too
	// late or twice, or that belongs to no request.
	ErrUnknownID = jsonrpc.ErrUnknownID

	// ErrUnsupportedVersion: client and server have no protocol version in
	// common.
	ErrUnsupportedVersion = errors.New("no common protocol version")

	// ErrListLimit: a list has more pages or items than Options allow, or a
	// cursor occurs twice.
	ErrListLimit = errors.New("list does not end")

	// ErrOverloaded: notifications or requests arrived faster than they could
	// be handled.
	ErrOverloaded = errors.New("too many messages at once")
)

// A CallError describes a call that failed. It wraps the reason.
type CallError struct {
	Server string // the server's name, or the transport's name for it
	Method string
	Name   string // the tool, prompt or resource; empty for other methods
	Err    error
}

func (e *CallError) Error() string {
	s := e.Method
	if e.Name != "" {
		s += " " + wire.Quote(e.Name)
	}
	if e.Server != "" {
		s = "server " + wire.Quote(e.Server) + ": " + s
	}
	return s + ": " + e.Err.Error()
}

func (e *CallError) Unwrap() error { return e.Err }

// serverError returns the error response in err, or nil. It does not use
// errors.As, which would link reflection into small programs.
func serverError(err error) *jsonrpc.Error {
	for err != nil {
		if e, ok := err.(*jsonrpc.Error); ok {
			return e
		}
		err = errors.Unwrap(err)
	}
	return nil
}
