// Package slogtrace writes what [mcp.Trace] reports to a logger of log/slog.
//
//	opts := &mcp.Options{Trace: slogtrace.New(slog.Default().With("server", "weather"))}
package slogtrace

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// New returns a Trace that writes to a logger, or to slog.Default() if that is nil, each line
// with the context of the client. Its functions may be replaced, or set to nil. The levels are:
//
//   - error: a panic of the program, with its stack
//   - warn: a session, a connection or a stream is lost; data was discarded
//   - info: a request is sent again; data breaks the protocol and is used nevertheless
//   - debug: the protocol version; the direction and the size of each message
//
// No line has the content of a message or of discarded data, which may be secret. Errors have
// no credential; they may quote up to some 100 bytes of what a server wrote.
func New(l *slog.Logger) *mcp.Trace {
	if l == nil {
		l = slog.Default()
	}
	failed := func(level slog.Level, text string) func(context.Context, error) {
		return func(ctx context.Context, err error) { l.LogAttrs(ctx, level, text, errorOf(err)) }
	}
	data := func(level slog.Level, text string) func(context.Context, error, []byte) {
		return func(ctx context.Context, reason error, data []byte) {
			l.LogAttrs(ctx, level, text, errorOf(reason), slog.Int("bytes", len(data)))
		}
	}
	return &mcp.Trace{
		Message: func(ctx context.Context, sent bool, data []byte) {
			l.LogAttrs(ctx, slog.LevelDebug, "MCP message", slog.Bool("sent", sent), slog.Int("bytes", len(data)))
		},
		Discarded: data(slog.LevelWarn, "MCP data discarded"),
		Odd:       data(slog.LevelInfo, "MCP data breaks the protocol"),
		Retry: func(ctx context.Context, method string, err error) {
			l.LogAttrs(ctx, slog.LevelInfo, "MCP request sent again", slog.String("method", method), errorOf(err))
		},
		Reconnect: func(ctx context.Context, err error, wait time.Duration) {
			l.LogAttrs(ctx, slog.LevelWarn, "MCP connection lost", errorOf(err), slog.Duration("wait", wait))
		},
		SessionLost: failed(slog.LevelWarn, "MCP session lost"),
		StreamLost:  failed(slog.LevelWarn, "MCP stream lost"),
		EraChosen: func(ctx context.Context, s mcp.ServerInfo) {
			l.LogAttrs(ctx, slog.LevelDebug, "MCP connected", slog.String("name", s.Name), slog.String("protocol", s.ProtocolVersion))
		},
		HandlerPanic: func(ctx context.Context, value any, stack []byte) {
			l.LogAttrs(ctx, slog.LevelError, "MCP handler panicked", slog.String("panic", fmt.Sprint(value)), slog.String("stack", string(stack)))
		},
	}
}

// errorOf returns the text of an error, so that no handler prints its fields.
func errorOf(err error) slog.Attr {
	if err == nil {
		return slog.Attr{}
	}
	return slog.String("error", err.Error())
}
