package mcp

import (
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// The errors that methods of a [Client] return match these variables with
// errors.Is, or those of package context. An error response from the server is
// a *[jsonrpc.Error] instead, which errors.As finds.
var (
	// ErrClosed means that the connection has ended.
	ErrClosed = jsonrpc.ErrClosed

	// ErrOutcomeUnknown means that the connection ended before the response to
	// a request arrived. The server may have executed the request.
	ErrOutcomeUnknown = jsonrpc.ErrOutcomeUnknown

	// ErrTooLarge means that a message of the server exceeds the limit of the
	// transport.
	ErrTooLarge = jsonrpc.ErrTooLarge

	// ErrMalformed means that the server's response is invalid.
	ErrMalformed = jsonrpc.ErrMalformed

	// ErrUnknownID is passed to [Trace].Discarded for a response that is late
	// or a duplicate, or that belongs to no request.
	ErrUnknownID = jsonrpc.ErrUnknownID

	// ErrUnsupportedVersion means that client and server have no protocol
	// version in common.
	ErrUnsupportedVersion = errors.New("no common protocol version")

	// ErrListLimit means that a list exceeds a limit of [Options].MaxPages and
	// MaxItems, or that a cursor occurs twice.
	ErrListLimit = errors.New("list does not end")

	// ErrOverloaded means that notifications or requests arrived faster than
	// the client could handle them.
	ErrOverloaded = errors.New("too many messages at once")
)

// A CallError describes a call that failed.
type CallError struct {
	Server string // Options.Name, else the server's own name
	Method string
	Name   string // the tool, prompt or resource; empty for other methods
	Err    error  // the reason
}

func (e *CallError) Error() string {
	s := e.Err.Error()
	switch {
	case e.Name != "":
		s = e.Method + " " + wire.Quote(e.Name) + ": " + s
	case e.Method != "":
		s = e.Method + ": " + s
	}
	if e.Server != "" {
		s = "server " + wire.Quote(e.Server) + ": " + s
	}
	return s
}

func (e *CallError) Unwrap() error { return e.Err }

// serverError returns the error response in err, or nil.
func serverError(err error) *jsonrpc.Error {
	for err != nil {
		if e, ok := err.(*jsonrpc.Error); ok {
			return e
		}
		err = errors.Unwrap(err)
	}
	return nil
}
