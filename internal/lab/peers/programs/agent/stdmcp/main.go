// An agent with the tools of one MCP server, a command or a URL, with stdmcp.
package main

import (
	"context"
	"strings"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent/tools"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func main() {
	agent.Main(func(ctx context.Context, args []string) ([]agent.Tool, func(), error) {
		var transport mcp.Transport = stdio.Command(args[0], args[1:]...)
		if strings.Contains(args[0], "://") {
			transport = streamhttp.New(args[0], nil)
		}
		return tools.OfServer(ctx, transport)
	})
}
