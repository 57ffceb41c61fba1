// A program that calls one tool of the servers of .mcp.json with stdmcp, with a
// catalog and pins, and lets a model search for tools. It starts the servers.
package main

import (
	"os"

	"github.com/stdmcp/stdmcp/internal/peers/programs/hosts"
	"github.com/stdmcp/stdmcp/mcp/host"
)

func main() {
	hosts.Run(&host.Options{Catalog: host.OpenCatalog(".mcp-catalog.json"), Pins: host.PinBlock}, func(h *host.Host) []*host.Tool {
		for _, change := range h.Changed() {
			os.Stdout.WriteString(change.Name + " has changed:\n" + change.Diff())
			h.Pin(change.Name)
		}
		return hosts.Search(h)
	})
}
