package faulttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A fate is what becomes of what a fault strikes: Connect, a call of the tool
// echo, or the listing of tools. The zero fate is that nothing is noticed.
type fate struct {
	refuses bool  // it is Connect that fails
	errors  []cue // what the error must show; nil means success
	reports []cue // what must be among the things reported as dropped

	empty      bool   // the call returns a result without content
	structured string // the call returns this structured content, beside no content
	tools      int    // so many tools are listed; any number but none when negative
	progress   int    // so many reports of progress are delivered, or one more
	withdrawn  bool   // the server hears that the call was given up
	dies       bool   // the connection ends
	ends       bool   // the session does, and with it the calls in it, but not the connection
	stuck      bool   // the server takes no further calls
	pardon     string // what the server complains of though the client is right
}

// works is the fate of calls that notice nothing.
var works fate

// fails is the fate of calls whose error shows all of the cues.
func fails(cues ...cue) fate { return fate{errors: append([]cue{}, cues...)} }

// refused is the fate of a Connect that fails.
func refused(cues ...cue) fate { return fate{errors: append([]cue{}, cues...), refuses: true} }

// drops adds what is reported as dropped.
func (f fate) drops(cues ...cue) fate {
	f.reports = append(f.reports[:len(f.reports):len(f.reports)], cues...)
	return f
}

func (f fate) withoutContent() fate         { f.empty = true; return f }
func (f fate) withStructured(s string) fate { f.structured, f.empty = s, true; return f }
func (f fate) lists(tools int) fate         { f.tools = tools; return f }
func (f fate) progresses(reports int) fate  { f.progress = reports; return f }
func (f fate) andIsWithdrawn() fate         { f.withdrawn = true; return f }
func (f fate) andConnectionEnds() fate      { f.dies = true; return f }
func (f fate) andSessionEnds() fate         { f.ends = true; return f }
func (f fate) pardons(what string) fate     { f.pardon = what; return f }
func (f fate) andServerIsStuck() fate       { f.stuck = true; return f }

// A cue is something to be found in an error.
type cue struct {
	what string
	in   func(error) bool
	code bool // it is a code of JSON-RPC that the server sent
}

func is(target error) cue {
	return cue{what: target.Error(), in: func(err error) bool { return errors.Is(err, target) }}
}

func as[T error](what string) cue {
	return cue{what: what, in: func(err error) bool {
		var target T
		return errors.As(err, &target)
	}}
}

func says(text string) cue {
	return cue{what: text, in: func(err error) bool { return strings.Contains(err.Error(), text) }}
}

// status is a response of HTTP with that status.
func status(code int) cue {
	return cue{what: fmt.Sprint("status ", code), in: func(err error) bool {
		var e *httpx.StatusError
		return errors.As(err, &e) && e.Status == code
	}}
}

// answered is the server's own error with that code.
func answered(code int64) cue {
	return cue{what: fmt.Sprint("code ", code), code: true, in: func(err error) bool {
		var e *jsonrpc.Error
		return errors.As(err, &e) && e.Code == code
	}}
}

// not turns a cue into its absence.
func not(c cue) cue {
	return cue{what: "no " + c.what, in: func(err error) bool { return !c.in(err) }}
}

// either is any of several cues.
func either(cues ...cue) cue {
	return cue{what: "any of several", in: func(err error) bool {
		return slices.ContainsFunc(cues, func(c cue) bool { return c.in(err) })
	}}
}

// The errors that the library documents. An error of a call or of Connect
// shows at least one of them.
var (
	deadline  = is(context.DeadlineExceeded)
	closed    = is(mcp.ErrClosed)
	unknown   = is(mcp.ErrOutcomeUnknown)
	malformed = is(mcp.ErrMalformed)
	tooLarge  = is(mcp.ErrTooLarge)
	tooMany   = is(mcp.ErrListLimit)
	noVersion = is(mcp.ErrUnsupportedVersion)
	noSession = is(jsonrpc.ErrNoSession)
	unknownID = is(jsonrpc.ErrUnknownID)
	flood     = is(mcp.ErrOverloaded)
	notJSON   = is(stdio.ErrNotJSON)
	cutOff    = is(io.ErrUnexpectedEOF)
	redirect  = as[*httpx.RedirectError]("a redirect that was refused")
	origin    = as[*httpx.OriginError]("another origin")
	exit      = as[*stdio.ExitError]("how the server ended")
	web       = as[*httpx.StatusError]("a response that is of no use")
	request   = either(says("GET http"), says("POST http")) // and what net/http says of it
	remote    = cue{what: "the server's own error", code: true, in: as[*jsonrpc.Error]("").in}
)

var documented = []cue{deadline, is(context.Canceled), closed, unknown, malformed, tooLarge, tooMany, noVersion, noSession,
	redirect, origin, exit, web, remote, request}

// complaints returns what is wrong with err.
func (f fate) complaints(err error) (list []string) {
	switch {
	case f.errors == nil && err == nil:
		return nil
	case f.errors == nil:
		return []string{"fails: " + err.Error()}
	case err == nil:
		return []string{"does not fail"}
	}
	for _, c := range f.errors {
		if !c.in(err) {
			list = append(list, fmt.Sprintf("the error %q does not show %q", err, c.what))
		}
	}
	if remote.in(err) && !slices.ContainsFunc(f.errors, func(c cue) bool { return c.code }) {
		list = append(list, fmt.Sprintf("the local error %q borrows a code of the server's", err))
	}
	return list
}

// isDocumented reports whether err shows one of the documented errors.
func isDocumented(err error) bool {
	return slices.ContainsFunc(documented, func(c cue) bool { return c.in(err) })
}
