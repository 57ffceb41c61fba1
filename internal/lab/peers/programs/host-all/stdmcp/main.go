// A program that calls one tool of two servers with stdmcp, with a catalog and pins,
// and lets a model search for tools. It starts the servers, and loads no
// configuration file.
package main

import (
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/hosts"
	"github.com/stdmcp/stdmcp/mcp/host"
)

func main() {
	hosts.RunAll([]*host.Server{
		{Name: "everything", Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-everything"}},
		{Name: "files", Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "."}},
	})
}
