package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
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

// Each request becomes a span, according to the semantic conventions for MCP, and
// propagates the trace to the server.
func ExampleOptions_intercept() {
	trace := new(tracer)
	spans := func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		name := call.Method
		if call.Name != "" {
			name += " " + call.Name
		}
		ctx, span := trace.Start(ctx, name)
		defer span.End() // it also records the duration
		call.SetMeta("traceparent", span.id)
		res, err := call.Send(ctx)
		var answer *jsonrpc.Error
		switch {
		case errors.As(err, &answer):
			span.Set("rpc.response.status_code", answer.Code)
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

	ctx := context.Background()
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{Intercept: spans})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	_, _ = client.CallTool(ctx, "echo", map[string]any{"message": "hi"})
	_, _ = client.CallTool(ctx, "fail", nil)
	_, _ = client.CallTool(ctx, "divide", nil)
	// Output:
	// server/discover []
	// tools/call echo []
	// tools/call fail [error.type=tool_error]
	// tools/call divide [rpc.response.status_code=-32602]
}
