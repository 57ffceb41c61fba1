package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// exampleTasks returns a client of a server that creates tasks.
func exampleTasks(ctx context.Context) *mcp.Client {
	server := testserver.New(&testserver.Options{Tasks: true})
	client, err := mcp.Connect(ctx, stdio.Stream(server.Pipe()), &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}})
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// research is a tool that takes a moment.
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
	saved := task.Save() // for example to a file

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
	server := testserver.New(&testserver.Options{Tasks: true, ProtocolVersions: []string{mcp.ProtocolVersion20251125}})
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
