// An agent with the tools of one MCP server, a command, with stdmcp.
package main

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent/tools"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func main() {
	agent.Main(func(ctx context.Context, args []string) ([]agent.Tool, func(), error) {
		return tools.OfServer(ctx, stdio.Command(args[0], args[1:]...))
	})
}
