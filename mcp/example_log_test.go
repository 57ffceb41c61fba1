package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// Every event of a client becomes a record of log/slog.
func ExampleTrace_slog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{} // for the output of this example
		}
		return a
	}})).With("server", "echo")
	trace := &mcp.Trace{
		Discarded: func(_ context.Context, reason error, data []byte) {
			logger.Warn("discarded", "err", reason, "size", len(data))
		},
		Retry: func(_ context.Context, method string, err error) { logger.Info("retry", "method", method, "err", err) },
		Reconnect: func(_ context.Context, err error, wait time.Duration) {
			logger.Info("reconnect", "err", err, "wait", wait)
		},
		SessionLost: func(_ context.Context, err error) { logger.Info("session lost", "err", err) },
		EraChosen:   func(_ context.Context, s mcp.ServerInfo) { logger.Info("connected", "version", s.ProtocolVersion) },
		HandlerPanic: func(_ context.Context, value any, stack []byte) {
			logger.Error("panic", "value", value, "stack", string(stack))
		},
	}

	ctx := context.Background()
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{Trace: trace})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	// Output: level=INFO msg=connected server=echo version=2026-07-28
}

// An interceptor sees each request before it is sent, and its result.
type interceptor = func(context.Context, *mcp.OutgoingCall, next) (mcp.RawMessage, error)

// A next sends a request through the interceptors that follow.
type next = func(context.Context) (mcp.RawMessage, error)

// chain makes one interceptor of several; the first one is the outermost.
func chain(list ...interceptor) func(context.Context, *mcp.OutgoingCall) (mcp.RawMessage, error) {
	return func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		send := call.Send
		for i := len(list) - 1; i >= 0; i-- {
			inner := send
			send = func(ctx context.Context) (mcp.RawMessage, error) { return list[i](ctx, call, inner) }
		}
		return send(ctx)
	}
}

// Several interceptors run one inside the other.
func ExampleOptions_interceptors() {
	logging := func(ctx context.Context, call *mcp.OutgoingCall, send next) (mcp.RawMessage, error) {
		res, err := send(ctx)
		fmt.Println(call.Method, call.Name, err)
		return res, err
	}
	refusing := func(ctx context.Context, call *mcp.OutgoingCall, send next) (mcp.RawMessage, error) {
		if call.Name == "fail" {
			return nil, errors.New("not permitted")
		}
		return send(ctx)
	}

	ctx := context.Background()
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{Interceptors: []mcp.Interceptor{chain(logging, refusing)}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	_, _ = client.CallTool(ctx, "echo", map[string]any{"message": "hi"}) // the interceptor prints the error
	_, _ = client.CallTool(ctx, "fail", nil)                             // and here
	// Output:
	// server/discover  <nil>
	// tools/call echo <nil>
	// tools/call fail not permitted
}
