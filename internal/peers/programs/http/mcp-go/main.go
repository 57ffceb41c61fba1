// A program that calls one tool over Streamable HTTP, with mcp-go.
package main

import (
	"context"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func main() {
	ctx := context.Background()
	c, err := client.NewStreamableHttpClient(os.Args[1])
	check(err)
	check(c.Start(ctx))
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "one", Version: "1"}
	_, err = c.Initialize(ctx, hello)
	check(err)
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "echo", map[string]any{"message": "hello"}
	res, err := c.CallTool(ctx, call)
	check(err)
	os.Stdout.WriteString(res.Content[0].(mcp.TextContent).Text + "\n")
	os.Stdin.Read(make([]byte, 1)) // until it is closed
	check(c.Close())
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
