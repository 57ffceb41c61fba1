package stdio

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A StreamTransport connects to a server over a stream that the program
// provides: a socket, or one end of an in-memory pipe. [Stream] and [Dial]
// return one.
type StreamTransport struct {
	// MaxMessage is the maximum length in bytes of a message of the server.
	// The default is 64 MiB; negative means the same, as there is always a limit.
	MaxMessage int

	dial func(context.Context) (io.ReadWriteCloser, error)
	once bool // dial succeeds once only
}

// Stream returns a StreamTransport over rwc, which can be opened once: a second
// Open returns [ErrOpened]. Closing rwc must make a blocked Read or Write
// return, as it does for the connections of package net.
//
// Because the client cannot connect again, it sends initialize first: some
// servers close the connection if the first request is a different one. If the
// server supports both eras, the client therefore uses the legacy era, unless
// the options allow only modern protocol versions. [Dial] has no such
// restriction.
func Stream(rwc io.ReadWriteCloser) *StreamTransport {
	var opened atomic.Bool
	t := Dial(func(context.Context) (io.ReadWriteCloser, error) {
		if opened.Swap(true) {
			return nil, ErrOpened
		}
		return rwc, nil
	})
	t.once = true
	return t
}

// Features reports whether the transport can be opened only once: true for
// [Stream], false for [Dial].
func (t *StreamTransport) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{SingleUse: t.once}
}

// Dial returns a StreamTransport that calls dial for each Open, with the
// context of Open, so that a client can connect again. For a server in the same
// program, dial starts it on one end of a [net.Pipe] and returns the other; for
// a server with a socket, dial connects to it:
//
//	stdio.Dial(func(ctx context.Context) (io.ReadWriteCloser, error) {
//		var d net.Dialer
//		return d.DialContext(ctx, "unix", "/run/server.sock")
//	})
//
// The streams must meet the requirement of [Stream]. Open returns the error of
// dial.
func Dial(dial func(context.Context) (io.ReadWriteCloser, error)) *StreamTransport {
	return &StreamTransport{dial: dial}
}

// Open returns a connection, which closes the stream when it ends.
func (t *StreamTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	s, err := t.OpenStream(ctx, h)
	if err != nil {
		return nil, err
	}
	return jsonrpc.NewConn(s, h), nil
}

// OpenStream returns a stream of the messages, to relay them. It uses the functions
// Dropped and Odd of h. The stream is a [jsonrpc.MessageLimiter].
func (t *StreamTransport) OpenStream(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Stream, error) {
	if ctx.Err() != nil {
		return nil, retry.Cause(ctx)
	}
	if t.dial == nil {
		return nil, errNoDial
	}
	rwc, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	if rwc == nil {
		return nil, errNoStream
	}
	return &stream{rwc, newLines(rwc, t.MaxMessage, h)}, nil
}

// ErrOpened is the error for a [Stream] that is opened a second time.
var ErrOpened = errors.New("the stream is already in use; stdio.Dial returns a transport that can be opened again")

var (
	errNoDial   = errors.New("stdio.Dial: the function is nil")
	errNoStream = errors.New("the stream is nil")
)

// A stream writes to the stream of a program, and reads lines from it.
type stream struct {
	io.WriteCloser
	*lines
}
