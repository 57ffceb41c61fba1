// An agent with the tools of all servers of configuration files and with all that
// a host has: authorization, catalog, pins, limits of results and search, with
// stdmcp.
package main

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/peers/programs/agent"
	"github.com/stdmcp/stdmcp/internal/peers/programs/agent/tools"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

func main() {
	agent.Main(func(ctx context.Context, args []string) ([]agent.Tool, func(), error) {
		h := host.New(&host.Options{
			Dialers: dialers.All(nil), Catalog: host.OpenCatalog("catalog"), Pins: host.PinAsk, Limits: &host.ResultLimits{},
		})
		err := h.SetServers(ctx, config.Load(".", args...).Servers).Err()
		list, stop := tools.OfHost(ctx, h)
		for _, t := range h.ToolSearch(nil).Tools() {
			list = append(list, agent.Tool{Name: t.Name(), Description: t.Description()})
		}
		return list, stop, err
	})
}
