// An agent with the tools of one MCP server, a command or a URL, with stdmcp.
package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stdmcp/stdmcp/internal/peers/programs/agent"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func main() { agent.Main(load) }

func load(ctx context.Context, args []string) ([]agent.Tool, func(), error) {
	var transport mcp.Transport = stdio.Command(args[0], args[1:]...)
	if strings.Contains(args[0], "://") {
		transport = streamhttp.New(args[0], nil)
	}
	client, err := mcp.Connect(ctx, transport, nil)
	if err != nil {
		return nil, nil, err
	}
	list, err := client.ListTools(ctx)
	tools := make([]agent.Tool, len(list))
	for i, t := range list {
		tools[i] = agent.Tool{Name: t.Name, Description: t.Description, Schema: json.RawMessage(t.InputSchema),
			Call: func(ctx context.Context, arguments json.RawMessage) (string, error) {
				res, err := client.CallTool(ctx, t.Name, arguments)
				if err != nil {
					return "", err
				}
				return res.Text(), nil
			}}
	}
	return tools, func() { client.Close() }, err
}
