// Package skills is a program that calls one tool and reads the skills of the
// server, but for its transport.
package skills

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// Run calls the tool and prints the SKILL.md of each skill.
func Run(transport mcp.Transport) {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, transport, nil)
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
