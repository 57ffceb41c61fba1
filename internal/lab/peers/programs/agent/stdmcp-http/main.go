// An agent with the tools of one MCP server, a URL, with stdmcp.
package main

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent/tools"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func main() {
	agent.Main(func(ctx context.Context, args []string) ([]agent.Tool, func(), error) {
		return tools.OfServer(ctx, streamhttp.New(args[0], nil))
	})
}
