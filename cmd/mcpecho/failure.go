package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// Exit statuses. 2 is the status of a Go panic.
const (
	statusDone        = 0
	statusUsage       = 1
	statusForbidden   = 3
	statusUnreachable = 4
	statusRefused     = 5
	statusInterrupted = 130
)

// A failure is the error of a command as it is reported.
type failure struct {
	status  int    // exit status
	kind    string // category, for scripts
	message string
	code    int64  // the server's error code, or 0
	hint    string // what to do about it, for the user
	err     error  // the cause, or nil

	reported bool // the user has seen it
}

func (f *failure) Error() string { return f.message }
func (f *failure) Unwrap() error { return f.err }

// usage returns a failure of wrong usage.
func (c *invocation) usage(message string) error {
	f := &failure{status: statusUsage, kind: "usage", message: message, hint: "for a list, type: " + c.name + " help"}
	if c.command != nil && c.command.name != "" {
		f.hint = "usage: " + c.name + " " + c.command.usage(c.server != nil)
		if c.inShell() {
			f.hint = "usage: " + c.command.usageInShell()
		}
	}
	return f
}

// usageHint returns a failure of wrong usage with its own hint.
func (c *invocation) usageHint(message, hint string) error {
	return &failure{status: statusUsage, kind: "usage", message: message, hint: hint}
}

// localFailure returns a failure to read or write a file, and nil for nil.
func localFailure(err error) error {
	if err == nil {
		return nil
	}
	return &failure{status: statusUsage, kind: "file", message: err.Error(), err: err}
}

// notFound returns a failure for a tool, resource or prompt that the server does
// not have.
func notFound(message string, err error) error {
	return &failure{status: statusRefused, kind: "not_found", message: message, code: errorCode(err), err: err}
}

// errorCode returns the code of the server's error, or 0.
func errorCode(err error) int64 {
	var answer *jsonrpc.Error
	if errors.As(err, &answer) {
		return answer.Code
	}
	return 0
}

// textOf returns the text of an error. It indents further lines, so that a
// server's text cannot pass for a line of mcpecho.
func textOf(err error) string {
	return strings.NewReplacer("\n\t", "\n\t", "\n", "\n\t").Replace(err.Error())
}

// classify returns err as a failure.
func classify(err error) *failure {
	var f *failure
	var answer *jsonrpc.Error
	var exit *stdio.ExitError
	var web *httpx.StatusError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &web) && (web.Status == http.StatusUnauthorized || web.Status == http.StatusForbidden):
		return &failure{status: statusForbidden, kind: "authorization", message: textOf(err), err: err}
	case errors.Is(err, context.Canceled):
		return &failure{status: statusInterrupted, kind: "interrupted", message: "interrupted"}
	case errors.Is(err, mcp.ErrInputRequired): // which a handler, or this client, does not provide
		return &failure{status: statusRefused, kind: "input", message: textOf(err), err: err}
	case errors.As(err, &answer):
		return &failure{status: statusRefused, kind: "server_error", message: textOf(err), code: answer.Code}
	}
	f = &failure{status: statusUnreachable, kind: "unreachable", message: textOf(err), err: err}
	switch {
	case errors.As(err, &exit):
		f.kind = "crashed"
	case errors.Is(err, context.DeadlineExceeded):
		f.kind, f.hint = "timeout", "use --timeout to wait longer"
	case errors.Is(err, mcp.ErrUnsupportedVersion), errors.Is(err, mcp.ErrMalformed), errors.Is(err, mcp.ErrTooLarge),
		errors.Is(err, mcp.ErrListLimit), errors.Is(err, stdio.ErrNotJSON):
		f.kind = "protocol"
	}
	return f
}

// report prints err to standard error and returns the exit status.
func (c *invocation) report(ctx context.Context, err error) int {
	if err == nil || isClosedPipe(err) {
		return statusDone // the reader closed the pipe and needs no more output
	}
	f := *classify(err)
	if ctx.Err() != nil && f.status != statusUsage {
		if c.command != nil && c.command.endless {
			return statusInterrupted // the normal end
		}
		if f.status != statusInterrupted {
			f = *classify(context.Canceled) // err is a consequence of the interrupt
		}
	}
	if f.reported {
		return f.status
	}
	if f.status == statusForbidden && f.hint == "" {
		f.hint = c.loginHint()
	}
	if f.status == statusRefused && f.hint == "" {
		f.hint = c.missingAnswer(err)
	}
	f.message = c.hide(f.message)
	if c.flags.json {
		_, _ = io.WriteString(c.stderr, escape(string(f.appendJSON(nil)))+"\n")
		return f.status
	}
	first, more, _ := strings.Cut(f.message, "\n")
	first = "mcpecho: " + first
	text := c.folded(first) + "\n"
	if f.hint != "" && f.status == statusUsage { // on one line, if it is long enough
		text = c.folded(first+"; "+f.hint) + "\n"
	}
	if more != "" {
		text += more + "\n"
	}
	if f.hint != "" && f.status != statusUsage {
		text += f.hint + "\n"
	}
	st := c.styler(c.stderr)
	text = strings.TrimPrefix(escape(text), "mcpecho:")
	if before, line, ok := strings.Cut(text, "type: "); ok && strings.Contains(f.hint, "type: ") {
		line, after, _ := strings.Cut(line, "\n")
		text = before + "type: " + st(bold, line) + "\n" + after
	}
	_, _ = io.WriteString(c.stderr, st(red, "mcpecho:")+text)
	return f.status
}

// folded breaks a message between words if it is longer than a line of the terminal.
// What the user may type stays whole.
func (c *invocation) folded(message string) string {
	width := c.terminalWidth(c.stderr)
	if width == 0 || textWidth(message) < width {
		return message
	}
	reason, typed, ok := strings.Cut(message, "type: ")
	if !ok {
		return wrap(message, width-1)
	}
	if reason, alone := strings.CutSuffix(reason, "; "); alone {
		return wrap(reason, width-1) + "\ntype: " + typed
	}
	text := wrap(reason+"type:", width-1)
	if last := text[strings.LastIndexByte(text, '\n')+1:]; textWidth(last+" "+typed) >= width {
		return text + "\n" + typed
	}
	return text + " " + typed
}

func (f *failure) appendJSON(b []byte) []byte {
	b = append(wire.AppendKey(append(b, '{'), "error"), '{')
	b = wire.AppendString(wire.AppendKey(b, "kind"), f.kind)
	b = wire.AppendString(wire.AppendKey(b, "message"), f.message)
	if f.code != 0 {
		b = wire.AppendInt(wire.AppendKey(b, "code"), f.code)
	}
	return append(b, "}}"...)
}

// isClosedPipe reports whether writing failed because the reader of standard
// output closed the pipe.
func isClosedPipe(err error) bool {
	var out *outputError
	return errors.As(err, &out) && (isBrokenPipe(out) || errors.Is(out, io.ErrClosedPipe))
}
