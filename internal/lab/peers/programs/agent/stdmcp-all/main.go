// An agent with the tools of all servers of configuration files and with all that a
// host has: logins in the browser, catalog, pins, limits of results and search, with
// stdmcp.
package main

import (
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent/tools"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

func main() {
	agent.Main(tools.OfHost(&host.Options{
		Dialers: dialers.All(&dialers.Options{OAuth: &oauth.Options{Authorizer: &oauth.Loopback{}}}), Catalog: host.OpenCatalog("catalog"), Pins: host.PinAsk, Limits: &host.ResultLimits{},
	}, func(h *host.Host) []*host.Tool { return h.ToolSearch(nil).Tools() }))
}
