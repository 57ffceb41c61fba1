package host_test

import (
	"context"
	"fmt"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A server that fails does not affect the others. Its error has the reason.
func ExampleHost_SetServers_failed() {
	ctx := context.Background()
	h := host.New(nil)
	defer h.Shutdown(ctx)
	diff := h.SetServers(ctx, []*host.Server{
		{Name: "unset", Type: config.Stdio, Command: "server", Env: []string{"KEY=${NO_SUCH_KEY}"}},
		{Name: "off", Type: config.Stdio, Command: "server", Disabled: true},
	})
	for _, err := range diff.SortedErrors() {
		fmt.Println(err)
	}
	fmt.Println(diff.Added)
	// Output:
	// [MCP:unset] failed to connect: "env" needs the variable "NO_SUCH_KEY", which is not set
	// [off unset]
}

// The tools of all servers, under names that every model provider accepts.
func ExampleHost_Tools_names() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	for _, tool := range h.Tools()[:2] {
		fmt.Println(tool.Name(), "-", tool.Description())
	}
	// Output:
	// mcp__echo__echo - [MCP:echo] Returns the message it is given.
	// mcp__echo__add - [MCP:echo] Adds two numbers.
}
