package faulttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// An expectation is the outcome of what a fault concerns: Connect, a call of the
// tool echo, or the listing of tools. The zero expectation is success.
type expectation struct {
	refused bool      // Connect fails
	errors  []matcher // all match the error; nil means success
	reports []matcher // all match something reported as dropped; nil means that nothing is
	late    bool      // something may arrive too late and be dropped

	empty            bool   // the call returns a result without content
	text             string // the call returns this text, not the one that it sends
	structured       string // the call returns this structured content and no content
	tools            int    // how many tools are listed; -1 for at least one
	progress         int    // how many reports of progress are delivered; one more is allowed
	withdrawn        bool   // the server receives a cancellation
	connectionEnds   bool   // the connection ends
	sessionEnds      bool   // the session and its calls end, but not the connection
	serverStuck      bool   // the server accepts no further calls
	allowedViolation string // a violation that the server reports though the client is right
}

// works is the expectation of success.
var works expectation

// fails is the expectation of an error that all matchers match.
func fails(cues ...matcher) expectation { return expectation{errors: append([]matcher{}, cues...)} }

// refused is the same for Connect.
func refused(cues ...matcher) expectation {
	return expectation{errors: append([]matcher{}, cues...), refused: true}
}

// drops adds what is reported as dropped.
func (f expectation) drops(cues ...matcher) expectation {
	f.reports = append(f.reports[:len(f.reports):len(f.reports)], cues...)
	return f
}

func (f expectation) mayDrop() expectation                { f.late = true; return f }
func (f expectation) withoutContent() expectation         { f.empty = true; return f }
func (f expectation) withStructured(s string) expectation { f.structured, f.empty = s, true; return f }
func (f expectation) withText(s string) expectation       { f.text = s; return f }
func (f expectation) lists(tools int) expectation         { f.tools = tools; return f }
func (f expectation) progresses(reports int) expectation  { f.progress = reports; return f }
func (f expectation) andIsWithdrawn() expectation         { f.withdrawn = true; return f }
func (f expectation) andConnectionEnds() expectation      { f.connectionEnds = true; return f }
func (f expectation) andSessionEnds() expectation         { f.sessionEnds = true; return f }
func (f expectation) allows(what string) expectation      { f.allowedViolation = what; return f }
func (f expectation) andServerIsStuck() expectation       { f.serverStuck = true; return f }

// A matcher finds something in an error.
type matcher struct {
	what string
	in   func(error) bool
	code bool // it matches an error code that the server sent
}

func is(target error) matcher {
	return matcher{what: target.Error(), in: func(err error) bool { return errors.Is(err, target) }}
}

func as[T error](what string) matcher {
	return matcher{what: what, in: func(err error) bool {
		var target T
		return errors.As(err, &target)
	}}
}

func contains(text string) matcher {
	return matcher{what: text, in: func(err error) bool { return strings.Contains(err.Error(), text) }}
}

// status is a response of HTTP with that status.
func status(code int) matcher {
	return matcher{what: fmt.Sprint("status ", code), in: func(err error) bool {
		var e *httperr.StatusError
		return errors.As(err, &e) && e.Status == code
	}}
}

// serverError is the server's own error with that code.
func serverError(code int64) matcher {
	return matcher{what: fmt.Sprint("code ", code), code: true, in: func(err error) bool {
		var e *jsonrpc.Error
		return errors.As(err, &e) && e.Code == code
	}}
}

// not inverts a matcher.
func not(c matcher) matcher {
	return matcher{what: "no " + c.what, in: func(err error) bool { return !c.in(err) }}
}

// either matches if any of the matchers does.
func either(cues ...matcher) matcher {
	return matcher{what: "any of several", in: func(err error) bool {
		return slices.ContainsFunc(cues, func(c matcher) bool { return c.in(err) })
	}}
}

// The errors that the library documents. Each error of a call or of Connect
// matches at least one of them.
var (
	deadline      = is(context.DeadlineExceeded)
	closed        = is(mcp.ErrClosed)
	unknown       = is(mcp.ErrOutcomeUnknown)
	malformed     = is(mcp.ErrMalformed)
	tooLarge      = is(mcp.ErrTooLarge)
	tooMany       = is(mcp.ErrListLimit)
	noVersion     = is(mcp.ErrUnsupportedVersion)
	noSession     = is(jsonrpc.ErrNoSession)
	unknownID     = is(jsonrpc.ErrUnknownID)
	flood         = is(mcp.ErrOverloaded)
	notJSON       = is(stdio.ErrNotJSON)
	cutOff        = is(io.ErrUnexpectedEOF)
	redirect      = as[*httperr.RedirectError]("a redirect that was refused")
	origin        = as[*httperr.OriginError]("another origin")
	exit          = as[*stdio.ExitError]("how the server ended")
	web           = as[*httperr.StatusError]("an invalid response")
	serverRequest = contains("a request from the server")
	request       = either(contains("GET http"), contains("POST http")) // with the error of net/http
	remote        = matcher{what: "the server's own error", code: true, in: as[*jsonrpc.Error]("").in}
)

var documented = []matcher{deadline, is(context.Canceled), closed, unknown, malformed, tooLarge, tooMany, noVersion, noSession,
	redirect, origin, exit, web, remote, request}

// problems returns what is wrong with err.
func (f expectation) problems(err error) (list []string) {
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
			list = append(list, fmt.Sprintf("the error %q does not match %q", err, c.what))
		}
	}
	if remote.in(err) && !slices.ContainsFunc(f.errors, func(c matcher) bool { return c.code }) {
		list = append(list, fmt.Sprintf("the local error %q has an error code, which only the server sends", err))
	}
	return list
}

// checkError fails the test for each problem of err.
func (f expectation) checkError(t testing.TB, err error) {
	t.Helper()
	for _, problem := range f.problems(err) {
		t.Error(problem)
	}
}

// isDocumented reports whether err matches a documented error.
func isDocumented(err error) bool {
	return slices.ContainsFunc(documented, func(c matcher) bool { return c.in(err) })
}
