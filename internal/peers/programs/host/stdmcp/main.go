// A program that calls one tool of the servers of .mcp.json with stdmcp. It starts
// the servers.
package main

import (
	"github.com/stdmcp/stdmcp/internal/peers/programs/hosts"
	"github.com/stdmcp/stdmcp/mcp/host"
)

func main() { hosts.Run(nil, (*host.Host).Tools) }
