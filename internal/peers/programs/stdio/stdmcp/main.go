// A program that calls one tool over stdio, with stdmcp.
package main

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func main() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, stdio.Command(os.Args[1], os.Args[2:]...), nil)
	check(err)
	res, err := client.CallTool(ctx, "echo", map[string]any{"message": "hello"})
	check(err)
	os.Stdout.WriteString(res.Text() + "\n")
	os.Stdin.Read(make([]byte, 1)) // until it is closed
	check(client.Close())
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
