package host

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Errors that those of a host match.
var (
	// ErrUnknownServer: there is no server of that name, or not any more.
	ErrUnknownServer = errors.New("unknown server")

	// ErrUnknownTool: the server's tool is hidden from models.
	ErrUnknownTool = errors.New("unknown tool")

	// ErrDisabled: the server is disabled.
	ErrDisabled = errors.New("server is disabled")

	// ErrCrashLoop: the server crashed too often to be started again.
	ErrCrashLoop = errors.New("server keeps crashing")

	// ErrDenied: the call was not approved.
	ErrDenied = errors.New("not permitted")

	// ErrShutdown: the host was shut down.
	ErrShutdown = errors.New("host is shut down")

	// ErrTooManyServers: there are as many servers as Options allow.
	ErrTooManyServers = errors.New("too many servers")

	// ErrTool: the tool itself failed, and the message says how.
	ErrTool = errors.New("tool failed")
)

// A Category says what kind of error it is, and so what helps.
type Category string

// The categories.
const (
	Configuration  Category = "configuration"  // trying again is of no use
	Connection     Category = "connection"     // trying again may be
	Authentication Category = "authentication" // somebody has to authorize first
	ToolCategory   Category = "tool"           // the tool failed, or refused the call
	Protocol       Category = "protocol"       // the server does not follow the specification
	Resource       Category = "resource"       // there is too much of something
)

// An Error is what went wrong with a server or a call. Its text names both and
// has no secrets of the server's settings in it.
type Error struct {
	Category Category
	Code     string // such as CONNECTION_FAILED
	Message  string // what was being done
	Server   string
	Tool     string // as the server calls it; empty when it is not about one
	Err      error  // the cause, whose text may hold secrets; nil when Message says all
	Time     time.Time

	text string // of Err, without secrets
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("[MCP")
	if e.Server != "" {
		b.WriteString(":" + e.Server)
	}
	b.WriteString("] " + e.Message)
	if e.text != "" {
		b.WriteString(": " + e.text)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same may succeed later.
func (e *Error) Retryable() bool { return e.Category == Connection }

// newError returns the Error for err, or nil when err is nil.
func newError(category Category, code, message, server string, err error) *Error {
	e := &Error{Category: category, Code: code, Message: message, Server: server, Err: err, Time: time.Now()}
	if err != nil {
		e.text = err.Error()
	}
	return e
}

// connectError returns what an attempt to connect failed with. started is the
// server as it was started.
func connectError(name string, err error, started *DialParams) *Error {
	category, code := Connection, "CONNECTION_FAILED"
	switch {
	case isMissing(err):
		category, code = Configuration, "PROGRAM_NOT_FOUND"
	case errors.Is(err, context.DeadlineExceeded):
		code = "TIMEOUT"
	case errors.Is(err, mcp.ErrTooLarge) || errors.Is(err, mcp.ErrOverloaded):
		category, code = Resource, "TOO_LARGE"
	case isProtocol(err):
		category, code = Protocol, "PROTOCOL_ERROR"
	}
	category, code = started.class(err, category, code)
	e := newError(category, code, "failed to connect", name, err)
	if call, ok := err.(*mcp.CallError); ok {
		e.text = call.Err.Error()
	}
	e.text = started.Hide(e.text)
	if isMissing(err) && strings.Contains(started.Command, " ") {
		e.text += "; what follows the name of the program is an argument"
	}
	return e
}

// unusable returns why a server cannot even be tried, and where that is written.
func configurationError(cfg *Server, err error) *Error {
	e := newError(Configuration, "INVALID_CONFIGURATION", "failed to connect", cfg.Name, err)
	if cfg.Source != "" {
		e.text = cfg.Source + ": " + e.text
	}
	return e
}

// class lets the dialer correct the category of an error.
func (d *DialParams) class(err error, category Category, code string) (Category, string) {
	if d == nil || d.Classify == nil {
		return category, code
	}
	switch class := d.Classify(err); class {
	case "":
		return category, code
	case Authentication:
		return class, "AUTHENTICATION_FAILED"
	default:
		return class, code
	}
}

func isProtocol(err error) bool {
	_, answered := find[*jsonrpc.Error](err)
	return answered || errors.Is(err, mcp.ErrMalformed) || errors.Is(err, mcp.ErrUnsupportedVersion)
}

// isMissing reports whether there is no program to start.
func isMissing(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, exec.ErrDot) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// callError returns what a call of a tool failed with. started is the server as
// it was started, nil when the call did not get so far.
func (s *server) callError(tool string, err error, started *DialParams) *Error {
	name := "tool " + wire.Quote(tool)
	if cause, ok := err.(*Error); ok { // why there is no connection
		e := *cause
		e.Tool, e.Message = tool, name+": "+e.Message
		return &e
	}
	category, code, what := callCategory(err)
	category, code = started.class(err, category, code)
	e := newError(category, code, name+what, s.name, err)
	e.Tool = tool
	if call, ok := err.(*mcp.CallError); ok {
		e.text = call.Err.Error() // the rest is said already
	}
	if started != nil {
		e.text = started.Hide(e.text)
	}
	return e
}

// callCategory returns the kind of an error, and what it says of a call.
func callCategory(err error) (category Category, code, what string) {
	switch {
	case errors.Is(err, ErrDenied):
		return ToolCategory, "NOT_PERMITTED", " was not called"
	case errors.Is(err, ErrUnknownTool):
		return ToolCategory, "UNKNOWN_TOOL", " was not called"
	case errors.Is(err, context.DeadlineExceeded):
		return Connection, "TIMEOUT", " timed out"
	case errors.Is(err, context.Canceled):
		return Connection, "CANCELLED", " was cancelled"
	case errors.Is(err, mcp.ErrTooLarge):
		return Resource, "TOO_LARGE", " failed"
	case errors.Is(err, mcp.ErrOutcomeUnknown):
		return Connection, "CONNECTION_LOST", " may have been carried out or not"
	case errors.Is(err, mcp.ErrClosed):
		return Connection, "CONNECTION_LOST", " was not carried out"
	case errors.Is(err, mcp.ErrMalformed):
		return Protocol, "PROTOCOL_ERROR", " failed"
	}
	return ToolCategory, "TOOL_FAILED", " failed"
}

// find returns the first error of type T in the tree of err. It does without
// what errors.As links.
func find[T any](err error) (found T, ok bool) {
	for err != nil {
		if found, ok = err.(T); ok {
			return found, true
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, err := range e.Unwrap() {
				if found, ok = find[T](err); ok {
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
