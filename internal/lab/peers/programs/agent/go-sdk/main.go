// An agent with the tools of one MCP server, a command or a URL, with the official
// SDK.
package main

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
)

func main() { agent.Main(load) }

func load(ctx context.Context, args []string) ([]agent.Tool, func(), error) {
	var transport mcp.Transport = &mcp.CommandTransport{Command: exec.Command(args[0], args[1:]...)}
	if strings.Contains(args[0], "://") {
		transport = &mcp.StreamableClientTransport{Endpoint: args[0]}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, nil, err
	}
	var tools []agent.Tool
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, nil, err
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, nil, err
		}
		tools = append(tools, agent.Tool{Name: t.Name, Description: t.Description, Schema: schema,
			Call: func(ctx context.Context, arguments json.RawMessage) (string, error) {
				res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: t.Name, Arguments: arguments})
				if err != nil {
					return "", err
				}
				return res.Content[0].(*mcp.TextContent).Text, nil
			}})
	}
	return tools, func() { session.Close() }, nil
}
