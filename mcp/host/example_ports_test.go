package host_test

import (
	"context"
	"fmt"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func ExampleHost_ListResourceTemplates() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	templates, err := h.ListResourceTemplates(ctx, "echo")
	for _, t := range templates {
		fmt.Println(t.URITemplate)
	}
	fmt.Println(err)
	// Output:
	// echo://greeting/{name}
	// <nil>
}

func ExampleHost_Complete() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	completion, err := h.Complete(ctx, "echo", mcp.PromptRef("review"), "language", "g", nil)
	fmt.Println(completion.Values, err)
	// Output: [go] <nil>
}

func ExampleView_CallTool() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	agent := h.View("echo")
	res, err := agent.CallTool(ctx, "echo", "add", map[string]any{"a": 2, "b": 40})
	fmt.Println(host.Text(res), err)
	_, err = agent.CallTool(ctx, "mail", "send", nil) // the view does not contain the server
	fmt.Println(err)
	// Output:
	// 42 <nil>
	// [MCP:mail] not found: unknown server
}

func ExampleTool_Required() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	fmt.Println(h.Tool("mcp__echo__add").Required())
	// Output: [a b]
}

// While a server reconnects, its tools leave the list, but the host still finds them.
func ExampleHost_Tool() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	_ = h.Disconnect(ctx, "echo") // the only error is an unknown name
	tool := h.Tool("mcp__echo__echo")
	fmt.Println(len(h.Tools()), tool.Connected())
	text, err := tool.Execute(ctx, mcp.RawMessage(`{"message":"hi"}`)) // waits for the server
	fmt.Println(text, err)
	// Output:
	// 0 false
	// hi <nil>
}

func ExampleDiff_SortedErrors() {
	ctx := context.Background()
	h := host.New(nil)
	defer h.Shutdown(ctx)
	diff := h.SetServers(ctx, []*host.Server{
		{Name: "mail", Type: config.Stdio, Command: "no-such-mail"},
		{Name: "files", Type: config.Stdio, Command: "no-such-files"},
	})
	for _, err := range diff.SortedErrors() {
		fmt.Println(err.(*host.Error).Server)
	}
	// Output:
	// files
	// mail
}
