// An agent with the tools of all servers of configuration files, over any
// transport and with authorization, with stdmcp.
package main

import (
	"context"
	"encoding/json"

	"github.com/stdmcp/stdmcp/internal/peers/programs/agent"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

func main() { agent.Main(load) }

func load(ctx context.Context, args []string) ([]agent.Tool, func(), error) {
	h := host.New(&host.Options{Dialers: dialers.All(nil)})
	err := h.SetServers(ctx, config.Load(".", args...).Servers).Err()
	var tools []agent.Tool
	for _, t := range h.Tools() {
		tools = append(tools, agent.Tool{Name: t.Name(), Description: t.Description(), Schema: json.RawMessage(t.InputSchema()),
			Call: func(ctx context.Context, arguments json.RawMessage) (string, error) {
				return t.Execute(ctx, mcp.RawMessage(arguments))
			}})
	}
	return tools, func() { h.Shutdown(ctx) }, err
}
