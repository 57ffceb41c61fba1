package mcp

import (
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Errors that the errors of a client match, besides those of its context.
// What a server answered is a *[jsonrpc.Error], which errors.As finds.
var (
	// ErrClosed: the connection was closed, by either side.
	ErrClosed = jsonrpc.ErrClosed

	// ErrOutcomeUnknown: the connection ended after the request was handed to
	// it and before the answer came, so the server may have acted on it.
	ErrOutcomeUnknown = jsonrpc.ErrOutcomeUnknown

	// ErrTooLarge: the server sent more than the client takes.
	ErrTooLarge = jsonrpc.ErrTooLarge

	// ErrMalformed: the server's answer could not be used.
	ErrMalformed = jsonrpc.ErrMalformed

	// ErrUnknownID is given to Options.Dropped for an answer that comes too
	// late, twice, or to nothing that was asked.
	ErrUnknownID = jsonrpc.ErrUnknownID

	// ErrUnsupportedVersion: client and server have no protocol revision in
	// common.
	ErrUnsupportedVersion = errors.New("no common protocol revision")

	// ErrListLimit: a list has more pages or items than Options allow, or
	// repeats itself.
	ErrListLimit = errors.New("list does not end")

	// ErrOverloaded: notifications came faster than they could be handled.
	ErrOverloaded = errors.New("too many messages at once")
)

// A CallError says which call failed. It wraps the reason.
type CallError struct {
	Server string // the name of the server, or how its transport calls it
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

// answerOf returns the error that the server answered a call with, or nil. It
// looks where do puts it, which spares small programs what errors.As links.
func serverError(err error) *jsonrpc.Error {
	for err != nil {
		if e, ok := err.(*jsonrpc.Error); ok {
			return e
		}
		err = errors.Unwrap(err)
	}
	return nil
}

// malformedError is an answer that could not be used.
type malformedError struct{ err error }

func (e *malformedError) Error() string        { return ErrMalformed.Error() + ": " + e.err.Error() }
func (e *malformedError) Is(target error) bool { return target == ErrMalformed }
func (e *malformedError) Unwrap() error        { return e.err }
