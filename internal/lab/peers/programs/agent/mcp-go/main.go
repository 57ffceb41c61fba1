// An agent with the tools of one MCP server, a command or a URL, with mcp-go.
package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
)

func main() { agent.Main(load) }

func load(ctx context.Context, args []string) ([]agent.Tool, func(), error) {
	var c *client.Client
	var err error
	if strings.Contains(args[0], "://") {
		c, err = client.NewStreamableHttpClient(args[0])
	} else {
		c, err = client.NewStdioMCPClient(args[0], nil, args[1:]...)
	}
	if err == nil {
		err = c.Start(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "agent", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, nil, err
	}
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, nil, err
	}
	var tools []agent.Tool
	for _, t := range list.Tools {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, nil, err
		}
		tools = append(tools, agent.Tool{Name: t.Name, Description: t.Description, Schema: schema,
			Call: func(ctx context.Context, arguments json.RawMessage) (string, error) {
				var call mcp.CallToolRequest
				call.Params.Name, call.Params.Arguments = t.Name, arguments
				res, err := c.CallTool(ctx, call)
				if err != nil {
					return "", err
				}
				return res.Content[0].(mcp.TextContent).Text, nil
			}})
	}
	return tools, func() { c.Close() }, nil
}
