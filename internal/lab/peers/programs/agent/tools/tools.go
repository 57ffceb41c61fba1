// Package tools offers the tools of an MCP server to package agent.
package tools

import (
	"context"
	"encoding/json"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// OfServer returns the tools of one server.
func OfServer(ctx context.Context, transport mcp.Transport) ([]agent.Tool, func(), error) {
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

// OfHost returns a function that loads the tools of the servers of configuration
// files, and those that more returns unless it is nil.
func OfHost(o *host.Options, more func(*host.Host) []*host.Tool) func(context.Context, []string) ([]agent.Tool, func(), error) {
	return func(ctx context.Context, files []string) (tools []agent.Tool, stop func(), err error) {
		h := host.New(o)
		err = h.SetServers(ctx, config.Load(".", files...).Servers).Err()
		list := h.Tools()
		if more != nil {
			list = append(list, more(h)...)
		}
		for _, t := range list {
			tools = append(tools, agent.Tool{Name: t.Name(), Description: t.Description(), Schema: json.RawMessage(t.InputSchema()),
				Call: func(ctx context.Context, arguments json.RawMessage) (string, error) {
					return t.Execute(ctx, mcp.RawMessage(arguments))
				}})
		}
		return tools, func() { h.Shutdown(ctx) }, err
	}
}
