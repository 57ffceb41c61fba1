// Package diag has the errors of all packages, which name the operation that failed, and
// masks the secrets in commands. Package display replaces secrets in other texts.
package diag

import (
	"context"
	"runtime"
	"strings"
	"time"
)

// A Message is an error that is its text, so that a constant needs no code.
type Message string

func (m Message) Error() string { return string(m) }

// ErrUnread is matched by the error of a connection whose server has ended without
// having read anything, so that no request can be the reason.
const ErrUnread = Message("the server has read nothing")

// ErrEndedByProbe is matched by the error of a server at a URL that ended when it received
// server/discover.
const ErrEndedByProbe = Message("the server ended on server/discover, with which the client asks for its protocol versions")

// A textError is an error with a text of its own. It matches kind and cause,
// either of which may be nil.
type textError struct {
	text        string
	kind, cause error
}

// Error returns an error with the given text that matches kind, a sentinel, and
// cause. Either may be nil. It stays out of line as Op does.
//
//go:noinline
func Error(text string, kind, cause error) error { return &textError{text, kind, cause} }

func (e *textError) Error() string        { return e.text }
func (e *textError) Is(target error) bool { return target == e.kind }
func (e *textError) Unwrap() error        { return e.cause }

// An OpError is an error and the operation, the server or the field that it
// concerns.
type OpError struct {
	Op  string
	Err error
}

// Op returns err with op and a colon in front. It stays out of line, as errors are
// rare and there are many places for them: with Error, 4.3 KB of a stdio program and
// 11 KB of an agent with a host, of which Op is 3.2 and 5.3 KB.
//
//go:noinline
func Op(op string, err error) error { return &OpError{op, err} }

func (e *OpError) Error() string { return e.Op + ": " + e.Err.Error() }
func (e *OpError) Unwrap() error { return e.Err }

// Find returns the first error in the tree of err that is a T. It is errors.As
// without reflection, which would add 11 KB to a program, and without As methods.
func Find[T any](err error) (found T, ok bool) {
	for err != nil {
		if found, ok = err.(T); ok {
			return found, true
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, err := range e.Unwrap() {
				if found, ok = Find[T](err); ok {
					return found, true
				}
			}
			return found, false
		default:
			return found, false
		}
	}
	return found, false
}

// NoResponse returns the error of a client that has received no response within d. It
// matches context.DeadlineExceeded.
func NoResponse(d time.Duration) error {
	return Error("no response within "+d.String(), context.DeadlineExceeded, nil)
}

// A SeenError is the error of a timeout, with what a program wrote in place of a response.
type SeenError struct {
	Err  error
	Seen string // a clause without secrets
}

func (e *SeenError) Error() string { return e.Err.Error() + "; " + e.Seen }
func (e *SeenError) Unwrap() error { return e.Err }

// A NotPassedError is the error of a server whose reason names variables that are set
// in this process, but that the server did not get.
type NotPassedError struct {
	Err   error
	Names []string
}

func (e *NotPassedError) Error() string {
	return e.Err.Error() + "; " + e.Advice("pass", " with Env")
}
func (e *NotPassedError) Unwrap() error { return e.Err }

// Reword returns text, which has that of e, with another advice.
func (e *NotPassedError) Reword(text, advice string) string {
	before, after, found := strings.Cut(text, "; "+e.Advice("pass", " with Env"))
	if !found {
		return text
	}
	return before + advice + after
}

// Advice returns what to add to the text of Err: the variables, and after do the word
// for them and how.
func (e *NotPassedError) Advice(do, how string) string {
	are, them := " is", " it"
	if len(e.Names) > 1 {
		are, them = " are", " them"
	}
	return strings.Join(e.Names, ", ") + are + " set here but not passed to servers; " + do + them + how
}

// A PanicError is a panic of a function of the program.
type PanicError struct{ Value any }

func (e *PanicError) Error() string {
	switch v := e.Value.(type) {
	case error:
		return Op("panic in a function of the program", v).Error()
	case string:
		return "panic in a function of the program: " + v
	}
	return "panic in a function of the program"
}

// Unwrap returns the value of the panic if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ReportPanic calls report, unless it is nil, with the value of a panic and the
// stack. It is called by the deferred function that has recovered the value.
func ReportPanic(report func(value any, stack []byte), value any) {
	if report != nil {
		defer func() { _ = recover() }() // a panic of report itself is dropped
		stack := make([]byte, 64<<10)
		report(value, stack[:runtime.Stack(stack, false)])
	}
}

// Guard calls f, a function of the program or one that calls such functions. It
// reports a panic, and returns it as an error.
func Guard(report func(value any, stack []byte), f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v}
			ReportPanic(report, v)
		}
	}()
	f()
	return nil
}
