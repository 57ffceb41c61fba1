package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// FirstOf returns a Transport for a server that one of several transports
// reaches. [Connect] tries them in turn, and goes on to the next only when the
// server is of another kind, not when it fails or refuses.
//
//	mcp.FirstOf(streamhttp.New(url, nil), sse.New(url, nil))
//
// If none is right, the error has what became of each, and names transports
// that have a method Kind() string.
func FirstOf(transports ...Transport) Transport { return firstOf(transports) }

type firstOf []Transport

func (f firstOf) String() string {
	if len(f) == 0 {
		return ""
	}
	return nameOf(f[0])
}

var errNoTransport = errors.New("FirstOf was given no transport")

// Open opens the first.
func (f firstOf) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	if len(f) == 0 {
		return nil, errNoTransport
	}
	return f[0].Open(ctx, h)
}

func (f firstOf) connect(ctx context.Context, opts *Options) (*Client, error) {
	if len(f) == 0 {
		return nil, errNoTransport
	}
	tried := &firstOfError{op: connectOp(opts.name(), nameOf(f))}
	for _, t := range f {
		c, err := Connect(ctx, t, opts)
		if err == nil {
			return c, nil
		}
		tried.add(t, err)
		if !isOtherKind(err) {
			break
		}
	}
	if len(tried.errs) == 1 {
		return nil, tried.errs[0]
	}
	return nil, tried
}

// isOtherKind reports whether err says that the server wants another transport.
func isOtherKind(err error) bool {
	if e := serverError(err); e != nil && CodeUnsupportedVersion <= e.Code && e.Code <= CodeHeaderMismatch {
		return false // only modern servers answer so (Streamable HTTP, backward compatibility)
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(OtherTransportError); ok {
			return e.OtherTransport()
		}
	}
	return false
}

// A triedError is what became of several attempts.
type firstOfError struct {
	op    string   // the attempt, for Error
	kinds []string // of transport; empty if not known
	errs  []error
}

func (e *firstOfError) add(t Transport, err error) {
	kind := ""
	if t, ok := t.(Kinded); ok {
		kind = t.Kind()
	}
	e.kinds, e.errs = append(e.kinds, kind), append(e.errs, err)
}

func (e *firstOfError) Error() string {
	s := e.op
	for i, err := range e.errs {
		if i == 0 {
			s += ": "
		} else {
			s += "; then "
		}
		if e.kinds[i] != "" {
			s += "over " + e.kinds[i] + ": "
		}
		if op, ok := err.(*diag.OpError); ok {
			err = op.Err // without the server, again
		}
		s += err.Error()
	}
	if isOtherKind(e.errs[len(e.errs)-1]) {
		s += "; check that this is the URL of an MCP server, path included"
	}
	return s
}

func (e *firstOfError) Unwrap() []error { return e.errs }
