// A program that calls one tool of the servers of .mcp.json with stdmcp, with a
// catalog and pins, and lets a model search for tools. It starts the servers.
package main

import (
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/hosts"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func main() { hosts.RunAll(config.LoadFile(".mcp.json").Servers) }
