package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A tracer stands for one of OpenTelemetry, which has methods like these.
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

// Each request becomes a span, by the semantic conventions for MCP, and carries
// the trace to the server.
func ExampleOptions_intercept() {
	trace := new(tracer)
	spans := func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		name := call.Method
		if call.Name != "" {
			name += " " + call.Name
		}
		ctx, span := trace.Start(ctx, name)
		defer span.End() // which knows the time, too
		call.SetMeta("traceparent", span.id)
		res, err := call.Send(ctx)
		var answer *jsonrpc.Error
		switch {
		case errors.As(err, &answer):
			span.Set("rpc.response.status_code", answer.Code)
		case err != nil:
			span.Set("error.type", fmt.Sprintf("%T", err))
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
	_, _ = client.CallTool(ctx, "divide", nil)
	// Output:
	// server/discover []
	// tools/call echo []
	// tools/call divide [rpc.response.status_code=-32602]
}

// exampleTasks is a client of a server that makes tasks of calls.
func exampleTasks(ctx context.Context) *mcp.Client {
	server := testserver.New(&testserver.Options{Tasks: true})
	client, err := mcp.Connect(ctx, stdio.Stream(server.Pipe()), &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}})
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// research takes a moment.
var research = mcp.ToolCall{
	Name:      "research",
	Arguments: map[string]any{"topic": "frogs", "step_ms": 10, "poll_ms": 100},
}

func ExampleTasks() {
	ctx := context.Background()
	client := exampleTasks(ctx)
	defer client.Close()
	call := research
	call.Task = func(task *mcp.Task) {
		if task.Status.Done() {
			fmt.Println(task.Status)
		}
	}
	res, err := client.Do(ctx, &call) // waits for the end of the task
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	// Output:
	// completed
	// A report on frogs.
}

func ExampleClient_StartTool() {
	ctx := context.Background()
	client := exampleTasks(ctx)
	defer client.Close()
	task, err := client.StartTool(ctx, &research)
	if err != nil {
		log.Fatal(err)
	}
	saved := task.Save() // to a file, say

	// Later, in another process, with another client of that server:
	task, err = client.ResumeTask(saved)
	if err != nil {
		log.Fatal(err)
	}
	res, err := task.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	// Output: A report on frogs.
}

func ExampleTaskHandle_Cancel() {
	ctx := context.Background()
	client := exampleTasks(ctx)
	defer client.Close()
	task, err := client.StartTool(ctx, &mcp.ToolCall{Name: "research", Arguments: map[string]any{"topic": "π", "end": "never"}})
	if err != nil {
		log.Fatal(err)
	}
	if err := task.Cancel(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = task.Wait(ctx)
	fmt.Println(errors.Is(err, mcp.ErrTaskCancelled))
	// Output: true
}

func ExampleClient_ListTasks() {
	ctx := context.Background()
	server := testserver.New(&testserver.Options{Tasks: true, Revisions: []string{mcp.Revision20251125}})
	client, err := mcp.Connect(ctx, stdio.Stream(server.Pipe()), &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if _, err := client.StartTool(ctx, &research); err != nil {
		log.Fatal(err)
	}
	tasks, err := client.ListTasks(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, task := range tasks {
		_, err := client.Task(task.TaskID).Wait(ctx)
		fmt.Println(task.Status, err)
	}
	// Output: working <nil>
}
