package host

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Errors that an Error may match.
var (
	// ErrUnknownServer means that no server has that name, or the program has
	// removed it.
	ErrUnknownServer = errors.New("unknown server")

	// ErrUnknownTool means that no tool has that name, or it is hidden from
	// models.
	ErrUnknownTool = errors.New("unknown tool")

	// ErrDisabled means that the server is disabled.
	ErrDisabled = errors.New("server is disabled")

	// ErrCrashLoop means that the server crashed too often; see Retry.Crashes.
	ErrCrashLoop = errors.New("server keeps crashing")

	// ErrDenied means that the call was not approved.
	ErrDenied = errors.New("not permitted")

	// ErrChanged means that the tool's definition has changed since it was
	// approved; see Options.Pins. The error also matches ErrDenied.
	ErrChanged = errors.New("the tool's definition has changed")

	// ErrShutdown means that the host was shut down.
	ErrShutdown = errors.New("host is shut down")

	// ErrTooManyServers means that the host already has Options.MaxServers
	// servers.
	ErrTooManyServers = errors.New("too many servers")

	// ErrTool means that the tool itself failed; the error's text contains its
	// result.
	ErrTool = errors.New("tool failed")
)

// A Category groups errors by what can be done about them.
type Category string

// The categories of errors.
const (
	Configuration  Category = "configuration"  // a retry cannot help
	Connection     Category = "connection"     // a retry may help
	Authentication Category = "authentication" // the user must authorize the program
	ToolCategory   Category = "tool"           // the tool failed, or the call was refused
	Protocol       Category = "protocol"       // the server violated the specification
	Resource       Category = "resource"       // a limit was exceeded
)

// An Error describes the failure of a server or a call. Its text names both and
// contains no secrets of the server's settings.
type Error struct {
	Category Category
	Code     string // such as CONNECTION_FAILED
	Message  string // the operation and its outcome
	Server   string
	Tool     string // the server's name for the tool; empty if no tool is concerned
	Err      error  // the cause, whose own text may contain secrets; may be nil
	Time     time.Time

	text string // text of Err without secrets
}

func (e *Error) Error() string {
	text := "[MCP"
	if e.Server != "" {
		text += ":" + e.Server
	}
	text += "] " + e.Message
	if e.text != "" {
		text += ": " + e.text
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether a retry may succeed.
func (e *Error) Retryable() bool { return e.Category == Connection }

// newError returns an Error. err may be nil.
func newError(category Category, code, message, server string, err error) *Error {
	e := &Error{Category: category, Code: code, Message: message, Server: server, Err: err, Time: time.Now()}
	if err != nil {
		e.text = err.Error()
	}
	return e
}

// connectError returns the Error for a failed connection attempt. started holds
// the expanded settings.
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
	category, code = started.categorize(err, category, code)
	e := newError(category, code, "failed to connect", name, err)
	if op, ok := err.(*diag.OpError); ok && (op.Op == "connect" || strings.HasSuffix(op.Op, ": connect")) {
		err = op.Err
		e.text = err.Error()
	}
	if call, ok := err.(*mcp.CallError); ok {
		e.text = call.Err.Error()
	}
	e.text = started.Hide(e.text)
	if isMissing(err) && strings.Contains(started.Command, " ") {
		e.text += "; put arguments into args, not into command"
	}
	return e
}

// configurationError returns the Error for invalid settings. It names their
// file.
func configurationError(cfg *Server, err error) *Error {
	e := newError(Configuration, "INVALID_CONFIGURATION", "failed to connect", cfg.Name, err)
	if cfg.Source != "" {
		e.text = cfg.Source + ": " + e.text
	}
	return e
}

// categorize returns the category and code of an error, which the dialer may
// correct.
func (d *DialParams) categorize(err error, category Category, code string) (Category, string) {
	if d == nil || d.Classify == nil {
		return category, code
	}
	switch class := d.Classify(err); class {
	case "":
		return category, code
	case Authentication:
		return class, "AUTHENTICATION_FAILED"
	case Connection:
		if code == "TOOL_FAILED" {
			code = "CONNECTION_FAILED"
		}
		return class, code
	default:
		return class, code
	}
}

func isProtocol(err error) bool {
	_, answered := diag.Find[*jsonrpc.Error](err)
	return answered || errors.Is(err, mcp.ErrMalformed) || errors.Is(err, mcp.ErrUnsupportedVersion)
}

// isMissing reports whether the program to start does not exist or is not
// executable.
func isMissing(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, exec.ErrDot) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// callError returns the Error for a failed call. started holds the expanded
// settings; nil if the server was not connected.
func (s *server) callError(tool string, err error, started *DialParams) *Error {
	name := "tool " + wire.Quote(tool)
	if cause, ok := err.(*Error); ok { // the server is not connected
		e := *cause
		e.Tool, e.Message = tool, name+": "+e.Message
		return &e
	}
	category, code, what := callCategory(err)
	category, code = started.categorize(err, category, code)
	e := newError(category, code, name+what, s.name, err)
	e.Tool = tool
	if call, ok := err.(*mcp.CallError); ok {
		e.text = call.Err.Error() // Error adds the server and the tool
	}
	if started != nil {
		e.text = started.Hide(e.text)
	}
	return e
}

// callCategory returns the category and code of an error, and the end of a
// message about the call.
func callCategory(err error) (category Category, code, what string) {
	switch {
	case errors.Is(err, errArguments):
		return ToolCategory, "INVALID_ARGUMENTS", " was not called"
	case errors.Is(err, ErrDenied):
		return ToolCategory, "NOT_PERMITTED", " was not called"
	case errors.Is(err, ErrUnknownTool):
		return ToolCategory, "UNKNOWN_TOOL", " was not called"
	case errors.Is(err, context.DeadlineExceeded):
		return Connection, "TIMEOUT", " timed out"
	case errors.Is(err, context.Canceled):
		return Connection, "CANCELED", " was canceled"
	case errors.Is(err, mcp.ErrTooLarge):
		return Resource, "TOO_LARGE", " failed"
	case errors.Is(err, mcp.ErrOutcomeUnknown):
		return Connection, "CONNECTION_LOST", " may or may not have been executed"
	case errors.Is(err, mcp.ErrClosed):
		return Connection, "CONNECTION_LOST", " was not executed"
	case errors.Is(err, mcp.ErrMalformed):
		return Protocol, "PROTOCOL_ERROR", " failed"
	}
	return ToolCategory, "TOOL_FAILED", " failed"
}
