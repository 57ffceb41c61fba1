package semconv_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/semconv"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func TestMain(m *testing.M) { testutil.Main(m) }

func ExampleAttributes() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, stdio.Stream(testserver.New(nil).Pipe()), &mcp.Options{Interceptors: []mcp.Interceptor{
		func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			res, err := call.Send(ctx)
			if call.Method == "tools/call" {
				fmt.Println("span", semconv.SpanName(call)) // a program passes it to its tracer, before Send
				for _, a := range semconv.Attributes(call, res, err) {
					fmt.Println(a.Name, a.Value)
				}
			}
			return res, err
		},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	if _, err := client.CallTool(ctx, "divide", map[string]any{"a": "x"}); err == nil {
		fmt.Println("no error")
	}
	// Output:
	// span tools/call divide
	// mcp.method.name tools/call
	// gen_ai.tool.name divide
	// gen_ai.operation.name execute_tool
	// jsonrpc.request.id 2
	// mcp.protocol.version 2025-11-25
	// rpc.response.status_code -32602
	// error.type -32602
}

// spans returns what requests to a server over HTTP are described by, without ports.
func spans(t *testing.T, do func(context.Context, *mcp.Client)) (list []string) {
	s, err := testserver.StartHTTP(testserver.New(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c, err := mcp.Connect(t.Context(), streamhttp.New(s.URL, nil), &mcp.Options{Interceptors: []mcp.Interceptor{
		func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			res, err := call.Send(ctx)
			text := semconv.SpanName(call) + ":"
			for _, a := range semconv.Attributes(call, res, err) {
				switch a.Name {
				case "server.port":
					if n := a.Value.(int); n < 1024 || !strings.Contains(s.URL, fmt.Sprint(":", n)) {
						t.Errorf("port %d of %s", n, s.URL)
					}
				case "jsonrpc.request.id", "mcp.protocol.version", "mcp.method.name", "gen_ai.operation.name":
				default:
					text += fmt.Sprint(" ", a.Name, "=", a.Value)
				}
			}
			list = append(list, text)
			return res, err
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	do(t.Context(), c)
	c.Close()
	return list
}

func TestSpansOverHTTP(t *testing.T) {
	const where = " network.transport=tcp network.protocol.name=http server.address=127.0.0.1"
	got := spans(t, func(ctx context.Context, c *mcp.Client) {
		_, _ = c.CallTool(ctx, "fail", nil) // the spans show the errors
		_, _ = c.GetPrompt(ctx, "nothing", nil)
		_, _ = c.ReadResource(ctx, "test://joe:sesame@h/secret")
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		_, _ = c.CallTool(canceled, "echo", nil)
	})
	want := []string{
		"server/discover:" + where,
		"tools/call fail: gen_ai.tool.name=fail" + where + " error.type=tool_error",
		"prompts/get nothing: gen_ai.prompt.name=nothing" + where + " rpc.response.status_code=-32602 error.type=-32602",
		"resources/read: mcp.resource.uri=test://***@h/secret" + where + " rpc.response.status_code=-32602 error.type=-32602",
		"tools/call echo: gen_ai.tool.name=echo" + where + " error.type=canceled",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTypesOfErrors(t *testing.T) {
	for want, err := range map[string]error{
		"timeout": context.DeadlineExceeded, "malformed_response": mcp.ErrMalformed, "connection_closed": mcp.ErrOutcomeUnknown,
		"-5": fmt.Errorf("x: %w", &jsonrpc.Error{Code: -5}), "_OTHER": errors.New("a secret"),
	} {
		var got []semconv.Attribute
		s := testserver.New(nil)
		_, _ = mcp.Connect(t.Context(), stdio.Stream(s.Pipe()), &mcp.Options{Interceptors: []mcp.Interceptor{
			func(_ context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				got = semconv.Attributes(call, nil, err)
				return nil, err
			},
		}})
		if len(got) == 0 || got[len(got)-1] != (semconv.Attribute{Name: "error.type", Value: want}) {
			t.Errorf("%v: %v, want %s", err, got, want)
		}
	}
}
