// Command trace makes a span of each request, by the semantic conventions for MCP,
// and propagates the trace to the server.
//
//	$ trace mcpecho serve
//	server/discover []
//	tools/call echo []
//	tools/call fail [error.type=tool_error]
//	tools/call divide [rpc.response.status_code=-32602]
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A tracer represents a tracer of OpenTelemetry, which has similar methods.
type tracer struct{ spans int }

type span struct {
	name, id string
	attrs    []string
}

type spanKey struct{}

func (t *tracer) Start(ctx context.Context, name string) (context.Context, *span) {
	t.spans++
	s := &span{name: name, id: fmt.Sprintf("00-%032x-%016x-01", 1, t.spans)}
	return context.WithValue(ctx, spanKey{}, s), s
}

func (s *span) Set(key string, value any) { s.attrs = append(s.attrs, fmt.Sprint(key, "=", value)) }
func (s *span) End()                      { fmt.Println(s.name, s.attrs) }

// intercept returns a function for mcp.Options.Interceptors.
func intercept(t *tracer) func(context.Context, *mcp.OutgoingCall) (mcp.RawMessage, error) {
	return func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		name := call.Method
		if call.Name != "" {
			name += " " + call.Name
		}
		ctx, span := t.Start(ctx, name)
		defer span.End() // it also records the duration
		call.SetMeta("traceparent", span.id)
		res, err := call.Send(ctx)
		var refused *jsonrpc.Error
		switch {
		case errors.As(err, &refused):
			span.Set("rpc.response.status_code", refused.Code)
		case err != nil:
			span.Set("error.type", fmt.Sprintf("%T", err))
		case call.Method == "tools/call":
			var result mcp.CallToolResult
			if result.UnmarshalJSON(res) == nil && result.IsError {
				span.Set("error.type", "tool_error")
			}
		}
		return res, err
	}
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: trace COMMAND [ARG...]")
	}
	ctx := context.Background()
	server := stdio.Command(os.Args[1], os.Args[2:]...)
	client, err := mcp.Connect(ctx, server, &mcp.Options{Interceptors: []mcp.Interceptor{intercept(new(tracer))}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, tool := range []string{"echo", "fail", "divide"} {
		_, _ = client.CallTool(ctx, tool, map[string]any{"message": "hi"}) // the spans show the errors
	}
}
