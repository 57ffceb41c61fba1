// A program that calls one tool over stdio, with stdmcp.
package main

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func main() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, stdio.Command(os.Args[1], os.Args[2:]...), nil)
	one.Check(err)
	res, err := client.CallTool(ctx, "echo", map[string]any{"message": "hello"})
	one.Check(err)
	one.Result(res.Text())
	one.Check(client.Close())
}
