package host_test

import (
	"context"
	"fmt"
	"log"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func ExampleNew() {
	ctx := context.Background()
	h := host.New(nil) // starts servers as child processes
	defer h.Shutdown(ctx)
	diff := h.SetServers(ctx, []*host.Server{{Name: "files", Type: config.Stdio, Command: "no-such-program"}})
	for name, err := range diff.Errors {
		fmt.Println(name, err.(*host.Error).Code)
	}
	fmt.Println(len(h.Tools()))
	// Output:
	// files PROGRAM_NOT_FOUND
	// 0
}

func ExampleHost_SetServers() {
	ctx := context.Background()
	h := exampleHost(ctx, nil) // with one server, echo
	defer h.Shutdown(ctx)
	diff := h.SetServers(ctx, nil)
	fmt.Println(diff.Removed, diff.Err())
	// Output: [echo] <nil>
}

func ExampleHost_Tools() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	for _, t := range h.Tools()[:2] {
		fmt.Println(t.Name(), t.Required())
	}
	// Output:
	// mcp__echo__echo [message]
	// mcp__echo__add [a b]
}

func ExampleHost_CallTool() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	res, err := h.CallTool(ctx, "echo", "add", map[string]any{"a": 2, "b": 40})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(host.Text(res))
	// Output: 42
}

func ExampleTool_Execute() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	text, err := h.Tool("mcp__echo__echo").Execute(ctx, mcp.RawMessage(`{"message":"hi"}`))
	fmt.Println(text, err)
	// Output: hi <nil>
}
