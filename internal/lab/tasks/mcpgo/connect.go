// Package mcpgo does ten tasks of a client with mcp-go, as its documents do them.
package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func Connect(ctx context.Context, command string, args ...string) (string, error) {
	c, err := client.NewStdioMCPClient(command, nil, args...)
	if err != nil {
		return "", err
	}
	defer c.Close()
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return "", err
	}
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "echo", map[string]any{"message": "hello"}
	res, err := c.CallTool(ctx, call)
	if err != nil {
		return "", err
	}
	return mcp.GetTextFromContent(res.Content[0]), nil
}
