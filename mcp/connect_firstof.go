package mcp

import (
	"context"
	"errors"
	"fmt"

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
// Only Connect can open it. Wrap each of the transports instead of FirstOf:
// Connect returns an error for a transport that hides them.
//
// If no transport succeeds, the error contains the error of each, with the name
// of its protocol (see [jsonrpc.TransportFeatures]).
func FirstOf(transports ...Transport) Transport { return &firstOf{transports} }

type firstOf struct{ all []Transport }

// Features returns those of the first transport.
func (f *firstOf) Features() jsonrpc.TransportFeatures {
	if len(f.all) == 0 || f.all[0] == nil {
		return jsonrpc.TransportFeatures{}
	}
	return f.all[0].Features()
}

var (
	errNoTransport = errors.New("FirstOf has no transport")
	errHidden      = errors.New("only Connect can open FirstOf; wrap each of its transports instead of FirstOf")
)

// Open opens nothing. Connect takes the transports from the error.
func (f *firstOf) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) { return nil, f }

// Format implements fmt.Formatter, as fmt calls no method of what f holds.
func (f *firstOf) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(f.Error())) }

func (f *firstOf) Error() string { return errHidden.Error() }

// connect tries the transports, unless opened hides them: what it adds to its
// connections would be lost.
func (f *firstOf) connect(ctx context.Context, opened Transport, opts *Options) (*Client, error) {
	op := connectOp(opts.name(), f.Features().Name)
	if opened != f {
		return nil, diag.Op(op, errHidden)
	}
	if len(f.all) == 0 {
		return nil, diag.Op(op, errNoTransport)
	}
	tried := &firstOfError{op: op, transports: f.all}
	for _, t := range f.all {
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
	transports []Transport
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
		if kind := e.transports[i].Features().Kind; kind != "" {
			s += "over " + kind + ": "
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
