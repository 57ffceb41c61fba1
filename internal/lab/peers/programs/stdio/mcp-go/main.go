// A program that calls one tool over stdio, with mcp-go.
package main

import (
	"context"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
)

func main() {
	ctx := context.Background()
	c, err := client.NewStdioMCPClient(os.Args[1], nil, os.Args[2:]...)
	one.Check(err)
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "one", Version: "1"}
	_, err = c.Initialize(ctx, hello)
	one.Check(err)
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "echo", map[string]any{"message": "hello"}
	res, err := c.CallTool(ctx, call)
	one.Check(err)
	one.Result(res.Content[0].(mcp.TextContent).Text)
	one.Check(c.Close())
}
