// A program that calls one tool over stdio, and reads the skills of the server.
package main

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/internal/peers/programs/one"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/skills"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func main() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, stdio.Command(os.Args[1], os.Args[2:]...), nil)
	one.Check(err)
	res, err := client.CallTool(ctx, "echo", map[string]any{"message": "hello"})
	one.Check(err)
	list, err := skills.NewReader(client, nil).List(ctx)
	one.Check(err)
	for _, s := range list {
		text, err := s.Read(ctx, "SKILL.md")
		one.Check(err)
		os.Stdout.Write(text)
	}
	one.Result(res.Text())
	one.Check(client.Close())
}
