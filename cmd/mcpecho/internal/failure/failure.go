// Package failure has the error of a command as mcpecho reports it: an exit status,
// a kind for scripts, a message and what the user can do.
package failure

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/internal/blocks"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// Exit statuses. 2 is the status of a Go panic.
const (
	Done        = 0
	Usage       = 1
	Forbidden   = 3
	Unreachable = 4
	Refused     = 5
	HungUp      = 129 // SIGHUP
	Interrupted = 130
	ClosedPipe  = 141 // SIGPIPE, of which a shell says nothing
	Terminated  = 143 // SIGTERM
)

// An Error is the error of a command as it is reported.
type Error struct {
	Status  int    // exit status
	Kind    string // category, for scripts
	Message string
	Code    int64        // the server's error code, or 0
	Data    []byte       // the data of the server's error, JSON; nil if there is none
	Hint    string       // what to do about it, for the user
	Line    cmdline.Line // what Hint tells the user to type; may be nil
	Err     error        // the cause, or nil

	Reported bool // the user has seen it
}

func (f *Error) Error() string { return f.Message }
func (f *Error) Unwrap() error { return f.Err }

// Local returns a failure to read or write a file, and nil for nil. An interrupt is not one.
func Local(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Status: Usage, Kind: "file", Message: err.Error(), Err: err}
}

// NotFound returns a failure for a tool, resource or prompt that the server does
// not have.
func NotFound(message string, err error) error {
	return &Error{Status: Refused, Kind: "not_found", Message: message, Code: Code(err), Err: err}
}

// Code returns the code of the server's error, or 0.
func Code(err error) int64 {
	var answer *jsonrpc.Error
	if errors.As(err, &answer) {
		return answer.Code
	}
	return 0
}

// Text returns the text of an error with [Indent].
func Text(err error) string {
	text := err.Error()
	if before, rest, ok := strings.Cut(text, "the program was not found; searched "); ok { // all of PATH
		if dirs, after, ok := strings.Cut(rest, "; "); ok && strings.Count(dirs, ", ") > 2 {
			text = before + "the program was not found; " + after
		}
	}
	return Indent(text)
}

// Indent indents the further lines of a text, so that those of a server cannot pass for
// lines of mcpecho.
func Indent(text string) string {
	return strings.NewReplacer("\n\t", "\n\t", "\n", "\n\t").Replace(text)
}

// Classify returns err as a failure.
func Classify(err error) *Error {
	var f *Error
	var answer *jsonrpc.Error
	var exit *stdio.ExitError
	var web *httperr.StatusError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &web) && (web.Status == http.StatusUnauthorized || web.Status == http.StatusForbidden):
		return &Error{Status: Forbidden, Kind: "authorization", Message: Text(err), Err: err}
	case errors.Is(err, context.Canceled):
		return &Error{Status: Interrupted, Kind: "interrupted", Message: "interrupted"}
	case errors.Is(err, mcp.ErrInputRequired): // which a handler, or this client, does not provide
		return &Error{Status: Refused, Kind: "input", Message: Text(err), Err: err}
	case errors.As(err, &answer):
		return &Error{Status: Refused, Kind: "server_error", Message: Text(err) + blocks.Reason(err), Code: answer.Code, Data: answer.Data}
	}
	f = &Error{Status: Unreachable, Kind: "unreachable", Message: Text(err), Err: err}
	switch {
	case errors.As(err, &exit):
		f.Kind = "crashed"
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind, f.Hint = "timeout", "use --timeout to wait longer"
	case errors.Is(err, mcp.ErrUnsupportedVersion), errors.Is(err, mcp.ErrMalformed), errors.Is(err, mcp.ErrTooLarge),
		errors.Is(err, mcp.ErrListLimit), errors.Is(err, stdio.ErrNotJSON):
		f.Kind = "protocol"
	}
	return f
}

func (f *Error) AppendJSON(b []byte) []byte {
	b = append(wire.AppendKey(append(b, '{'), "error"), '{')
	b = wire.AppendString(wire.AppendKey(b, "kind"), f.Kind)
	b = wire.AppendString(wire.AppendKey(b, "message"), f.Message)
	if f.Code != 0 {
		b = wire.AppendInt(wire.AppendKey(b, "code"), f.Code)
	}
	if f.Data != nil && wire.Valid(f.Data) == nil {
		b = wire.AppendLine(wire.AppendKey(b, "data"), f.Data)
	}
	if f.Hint != "" {
		b = wire.AppendString(wire.AppendKey(b, "hint"), f.Hint)
	}
	return append(b, "}}"...)
}
