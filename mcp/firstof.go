package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// FirstOf returns a Transport for a server that one of several transports
// reaches. [Connect] tries them in turn, and goes on to the next only when the
// server is of another kind, not when it fails or refuses.
//
//	mcp.FirstOf(streamhttp.New(url, nil), sse.New(url, nil))
func FirstOf(transports ...Transport) Transport { return firstOf(transports) }

type firstOf []Transport

func (f firstOf) String() string {
	if len(f) == 0 {
		return ""
	}
	return nameOf(f[0])
}

// Open opens the first.
func (f firstOf) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	if len(f) == 0 {
		return nil, errors.New("FirstOf was given no transport")
	}
	return f[0].Open(ctx, h)
}

func (f firstOf) connect(ctx context.Context, opts *Options) (*Client, error) {
	var tried triedError
	for _, t := range f {
		c, err := Connect(ctx, t, opts)
		if err == nil {
			return c, nil
		}
		tried = append(tried, err)
		if !isOtherKind(err) {
			break
		}
	}
	if len(tried) == 1 {
		return nil, tried[0]
	}
	return nil, tried
}

// isOtherKind reports whether err says that the server wants another transport.
func isOtherKind(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(interface{ OtherTransport() bool }); ok {
			return e.OtherTransport()
		}
	}
	return false
}

// A triedError is what became of several attempts.
type triedError []error

func (e triedError) Error() string {
	s := make([]string, len(e))
	for i, err := range e {
		s[i] = err.Error()
	}
	return strings.Join(s, "; then ")
}

func (e triedError) Unwrap() []error { return e }
