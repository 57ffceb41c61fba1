package host

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/blocks"
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
	CategoryConfiguration  Category = "configuration"  // a retry cannot help
	CategoryConnection     Category = "connection"     // a retry may help
	CategoryAuthentication Category = "authentication" // the user must authorize the program
	CategoryTool           Category = "tool"           // the tool failed, or the call was refused
	CategoryProtocol       Category = "protocol"       // the server violated the specification
	CategoryResource       Category = "resource"       // a limit was exceeded
)

// The codes of errors.
const (
	CodeInvalidConfiguration = "INVALID_CONFIGURATION"  // the settings of the server are invalid
	CodeProgramNotFound      = "PROGRAM_NOT_FOUND"      // the program of the server does not exist
	CodeUnknownServer        = "UNKNOWN_SERVER"         // no server has that name
	CodeDisabled             = "DISABLED"               // the server is disabled
	CodeNotConnected         = "NOT_CONNECTED"          // the server is not connected
	CodeConnectionFailed     = "CONNECTION_FAILED"      // the server could not be connected
	CodeConnectionLost       = "CONNECTION_LOST"        // the connection ended during the call
	CodeCrashLoop            = "CRASH_LOOP"             // the server crashed too often
	CodeTimeout              = "TIMEOUT"                // there was no response in time
	CodeCanceled             = "CANCELED"               // the context of the program ended
	CodeAuthenticationFailed = "AUTHENTICATION_FAILED"  // the user must authorize the program
	CodeProtocolError        = "PROTOCOL_ERROR"         // the server violated the specification
	CodeTooLarge             = "TOO_LARGE"              // a message or an argument is too large
	CodeTooManyServers       = "TOO_MANY_SERVERS"       // see Options.MaxServers
	CodeTooManySubscriptions = "TOO_MANY_SUBSCRIPTIONS" // a model has too many subscriptions
	CodeCatalogFailed        = "CATALOG_FAILED"         // the file of Options.Catalog was not read or written
	CodeUnknownTool          = "UNKNOWN_TOOL"           // no tool has that name
	CodeInvalidArguments     = "INVALID_ARGUMENTS"      // the arguments of the model are invalid
	CodeNotPermitted         = "NOT_PERMITTED"          // the call was not approved
	CodeToolFailed           = "TOOL_FAILED"            // the call failed
	CodeToolError            = "TOOL_ERROR"             // the tool itself failed
)

// An Error describes the failure of a server or a call. Its text names both and
// contains no secrets of the server's settings.
type Error struct {
	Category Category
	Code     string // such as CodeConnectionFailed
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
func (e *Error) Retryable() bool { return e.Category == CategoryConnection }

// A failure is the category and the code of an Error.
type failure struct {
	Category
	code string
}

// The failures. A dialer may correct the category; see DialParams.Classify.
var (
	invalidConfiguration = &failure{CategoryConfiguration, CodeInvalidConfiguration}
	programNotFound      = &failure{CategoryConfiguration, CodeProgramNotFound}
	unknownServer        = &failure{CategoryConfiguration, CodeUnknownServer}
	disabled             = &failure{CategoryConfiguration, CodeDisabled}
	notConnected         = &failure{CategoryConnection, CodeNotConnected}
	connectionFailed     = &failure{CategoryConnection, CodeConnectionFailed}
	connectionLost       = &failure{CategoryConnection, CodeConnectionLost}
	crashLoop            = &failure{CategoryConnection, CodeCrashLoop}
	timedOut             = &failure{CategoryConnection, CodeTimeout}
	canceled             = &failure{CategoryConnection, CodeCanceled}
	unauthorized         = &failure{CategoryAuthentication, CodeAuthenticationFailed}
	protocolError        = &failure{CategoryProtocol, CodeProtocolError}
	tooLarge             = &failure{CategoryResource, CodeTooLarge}
	tooManyServers       = &failure{CategoryResource, CodeTooManyServers}
	tooManyWatches       = &failure{CategoryResource, CodeTooManySubscriptions}
	catalogFailed        = &failure{CategoryResource, CodeCatalogFailed}
	unknownTool          = &failure{CategoryTool, CodeUnknownTool}
	invalidArguments     = &failure{CategoryTool, CodeInvalidArguments}
	notPermitted         = &failure{CategoryTool, CodeNotPermitted}
	toolFailed           = &failure{CategoryTool, CodeToolFailed}
	toolError            = &failure{CategoryTool, CodeToolError}
)

// newError returns an Error. err may be nil.
func newError(f *failure, message, server string, err error) *Error {
	e := &Error{Category: f.Category, Code: f.code, Message: message, Server: server, Err: err, Time: time.Now()}
	if err != nil {
		e.text = errorText(err)
	}
	return e
}

// errorText returns the text of err and the reason in the data of an error response.
// Variables that a server did not get are named in its settings.
func errorText(err error) string {
	text := err.Error() + blocks.Reason(err)
	if env, ok := diag.Find[*diag.NotPassedError](err); ok {
		text = env.Reword(text, "; "+env.Advice("add", ` to "env" of the server`))
	}
	return text
}

// noServer returns the Error for a server that does not exist.
func noServer(name string) *Error {
	return newError(unknownServer, "not found", name, ErrUnknownServer)
}

// connectError returns the Error for a failed connection attempt. started holds
// the expanded settings.
func connectError(name string, err error, started *DialParams) *Error {
	missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, exec.ErrDot) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) // it may not be executable
	f := connectionFailed
	switch {
	case missing:
		f = programNotFound
	case errors.Is(err, context.DeadlineExceeded):
		f = timedOut
	case errors.Is(err, mcp.ErrTooLarge) || errors.Is(err, mcp.ErrOverloaded):
		f = tooLarge
	case isProtocol(err):
		f = protocolError
	}
	e := newError(f, "failed to connect", name, err)
	e.categorize(started)
	err = withoutOp(err)
	if call, ok := err.(*mcp.CallError); ok {
		err = call.Err
	}
	e.text = started.Hide(errorText(err))
	if missing && strings.Contains(started.Command, " ") {
		e.text += "; put arguments into args, not into command"
	}
	return e
}

// configurationError returns the Error for invalid settings. It names their
// file.
func configurationError(cfg *Server, err error) *Error {
	e := newError(invalidConfiguration, "failed to connect", cfg.Name, err)
	if cfg.Source != "" {
		e.text = cfg.Source + ": " + e.text
	}
	return e
}

// categorize lets the dialer correct the category of an error.
func (e *Error) categorize(d *DialParams) {
	if d == nil || d.Classify == nil {
		return
	}
	class := d.Classify(e.Err)
	switch {
	case class == "":
		return
	case class == CategoryAuthentication:
		e.Code = unauthorized.code
	case class == CategoryConnection && e.Code == toolFailed.code:
		e.Code = connectionFailed.code
	}
	e.Category = class
}

func isProtocol(err error) bool {
	_, answered := diag.Find[*jsonrpc.Error](err)
	return answered || errors.Is(err, mcp.ErrMalformed) || errors.Is(err, mcp.ErrUnsupportedVersion)
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
	f, what := callFailure(err)
	e := newError(f, name+what, s.name, err)
	e.categorize(started)
	e.Tool = tool
	if call, ok := err.(*mcp.CallError); ok {
		e.text = errorText(call.Err) // Error adds the server and the tool
	}
	if started != nil {
		e.text = started.Hide(e.text)
	}
	return e
}

// callError returns the Error for a failed call of the tool. Its text has the name
// that the model knows.
func (t *Tool) callError(err error, started *DialParams) *Error {
	e := t.server.callError(t.nameInServer(), err, started)
	e.Tool = t.def.Name
	return e
}

// callFailures has the failure for errors that an error of a call may match, and the
// end of a message about the call.
var callFailures = [...]struct {
	match *error
	*failure
	what string
}{
	{&errArguments, invalidArguments, " was not called"},
	{&ErrDenied, notPermitted, " was not called"},
	{&ErrUnknownTool, unknownTool, " was not called"},
	{&context.DeadlineExceeded, timedOut, " timed out"},
	{&context.Canceled, canceled, " was canceled"},
	{&mcp.ErrTooLarge, tooLarge, " failed"},
	{&mcp.ErrOutcomeUnknown, connectionLost, " may or may not have been executed"},
	{&mcp.ErrClosed, connectionLost, " was not executed"},
	{&mcp.ErrMalformed, protocolError, " failed"},
}

// callFailure returns the failure for an error of a call, and the end of a message.
func callFailure(err error) (f *failure, what string) {
	for i := range callFailures {
		if c := &callFailures[i]; errors.Is(err, *c.match) {
			return c.failure, c.what
		}
	}
	return toolFailed, " failed"
}
