package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// FirstOf returns a Transport for a server that supports one of several
// transports. [Connect] tries them in order. It tries the next one only if the
// error is an [OtherTransportError] that reports another transport, not if the
// server fails or refuses.
//
//	mcp.FirstOf(streamhttp.New(url, nil), sse.New(url, nil))
//
// If no transport succeeds, the error contains the error of each, with the name
// of the transport if it implements [Kinded].
func FirstOf(transports ...Transport) Transport { return firstOf(transports) }

type firstOf []Transport

func (f firstOf) String() string {
	if len(f) == 0 {
		return ""
	}
	return diag.NameOf(f[0])
}

var errNoTransport = errors.New("FirstOf has no transport")

// Open opens the first transport.
func (f firstOf) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	if len(f) == 0 || f[0] == nil {
		return nil, errNoTransport
	}
	return f[0].Open(ctx, h)
}

func (f firstOf) connect(ctx context.Context, opts *Options) (*Client, error) {
	op := connectOp(opts.name(), diag.NameOf(f))
	if len(f) == 0 {
		return nil, diag.Op(op, errNoTransport)
	}
	tried := &firstOfError{op: op, transports: f}
	for _, t := range f {
		c, err := Connect(ctx, t, opts)
		if err == nil {
			return c, nil
		}
		tried.errs = append(tried.errs, err)
		if !isOtherKind(err) {
			break
		}
	}
	if len(tried.errs) == 1 {
		return nil, tried.errs[0]
	}
	return nil, tried
}

// isOtherKind reports whether the server apparently uses another transport.
func isOtherKind(err error) bool {
	if e := serverError(err); e != nil && CodeUnsupportedVersion <= e.Code && e.Code <= CodeHeaderMismatch {
		return false // only modern servers use these codes (Streamable HTTP, backward compatibility)
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(OtherTransportError); ok {
			return e.OtherTransport()
		}
	}
	return false
}

// A firstOfError holds the errors of the first transports.
type firstOfError struct {
	op         string // see connectOp
	transports firstOf
	errs       []error
}

func (e *firstOfError) Error() string {
	s := e.op
	for i, err := range e.errs {
		if i == 0 {
			s += ": "
		} else {
			s += "; then "
		}
		if t, ok := e.transports[i].(Kinded); ok {
			s += "over " + t.Kind() + ": "
		}
		if op, ok := err.(*diag.OpError); ok {
			err = op.Err // without the name of the server, which is in e.op
		}
		s += err.Error()
	}
	if isOtherKind(e.errs[len(e.errs)-1]) {
		s += "; check that this is the URL of an MCP server, path included"
	}
	return s
}

func (e *firstOfError) Unwrap() []error { return e.errs }
