// An agent with the tools of all servers of configuration files, over stdio and
// Streamable HTTP and without OAuth, with stdmcp.
package main

import (
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent/tools"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

func main() {
	agent.Main(tools.OfHost(&host.Options{Dialers: host.Dialers{config.Stdio: host.Stdio, config.HTTP: dialers.HTTP(nil)}}, nil))
}
