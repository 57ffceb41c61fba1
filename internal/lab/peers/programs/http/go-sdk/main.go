// A program that calls one tool over Streamable HTTP, with the official SDK.
package main

import (
	"context"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
)

func main() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "one", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Args[1]}, nil)
	one.Check(err)
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "hello"}})
	one.Check(err)
	one.Result(res.Content[0].(*mcp.TextContent).Text)
	one.Check(session.Close())
}
