// Command trace makes a span of each request, by the semantic conventions for MCP,
// and propagates the trace to the server.
//
//	$ trace mcpecho serve
//	server/discover map[jsonrpc.request.id:1 mcp.method.name:server/discover network.transport:pipe]
//	tools/call echo map[gen_ai.operation.name:execute_tool gen_ai.tool.name:echo jsonrpc.request.id:2 mcp.method.name:tools/call mcp.protocol.version:2026-07-28 network.transport:pipe]
//	tools/call fail map[error.type:tool_error gen_ai.operation.name:execute_tool gen_ai.tool.name:fail jsonrpc.request.id:3 mcp.method.name:tools/call mcp.protocol.version:2026-07-28 network.transport:pipe]
//	tools/call divide map[error.type:-32602 gen_ai.operation.name:execute_tool gen_ai.tool.name:divide jsonrpc.request.id:4 mcp.method.name:tools/call mcp.protocol.version:2026-07-28 network.transport:pipe rpc.response.status_code:-32602]
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/semconv"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A tracer represents a tracer of OpenTelemetry, which has similar methods.
type tracer struct{ spans int }

type span struct {
	name, id string
	attrs    map[string]any
}

type spanKey struct{}

func (t *tracer) Start(ctx context.Context, name string) (context.Context, *span) {
	t.spans++
	s := &span{name, fmt.Sprintf("00-%032x-%016x-01", 1, t.spans), make(map[string]any)}
	return context.WithValue(ctx, spanKey{}, s), s
}

func (s *span) Set(key string, value any) { s.attrs[key] = value }
func (s *span) End()                      { fmt.Println(s.name, s.attrs) }

// intercept returns a function for mcp.Options.Interceptors.
func intercept(t *tracer) mcp.Interceptor {
	return func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		ctx, span := t.Start(ctx, semconv.SpanName(call)) // without the URI of a resource, as names are few
		defer span.End()                                  // it also records the duration
		call.SetMeta("traceparent", span.id)
		res, err := call.Send(ctx)
		for _, a := range semconv.Attributes(call, res, err) {
			span.Set(a.Name, a.Value)
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
