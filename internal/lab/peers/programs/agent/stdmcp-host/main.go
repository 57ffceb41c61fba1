// An agent with the tools of all servers of configuration files, over any
// transport and with authorization, with stdmcp.
package main

import (
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent/tools"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

func main() { agent.Main(tools.OfHost(&host.Options{Dialers: dialers.All(nil)}, nil)) }
