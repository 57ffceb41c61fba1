// A program that calls one tool of the servers of .mcp.json with stdmcp. It starts
// servers, and connects to those at a URL, with authorization.
package main

import (
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/hosts"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

func main() {
	hosts.Run(config.LoadFile(".mcp.json").Servers, &host.Options{Dialers: dialers.All(nil)}, (*host.Host).Tools)
}
