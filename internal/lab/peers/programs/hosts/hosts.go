// Package hosts is a program that calls one tool of several servers, but for its
// servers and the options of its host.
package hosts

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// Run connects a host to the servers, prints the tools that list returns, and calls
// the tool that the first argument names.
func Run(servers []*host.Server, o *host.Options, list func(h *host.Host) []*host.Tool) {
	ctx := context.Background()
	h := host.New(o)
	defer h.Shutdown(ctx)
	h.SetServers(ctx, servers)
	for _, t := range list(h) {
		os.Stdout.WriteString(t.Name() + ": " + t.Description() + "\n")
	}
	text, err := h.Tool(os.Args[1]).Execute(ctx, mcp.RawMessage(`{"message":"hello"}`))
	if err != nil {
		text = err.Error()
	}
	os.Stdout.WriteString(text + "\n")
}

// RunAll is Run with a catalog, pins and a model that searches for tools.
func RunAll(servers []*host.Server) {
	Run(servers, &host.Options{Catalog: host.OpenCatalog(".mcp-catalog.json"), Pins: host.PinBlock}, func(h *host.Host) []*host.Tool {
		for _, change := range h.Changed() {
			os.Stdout.WriteString(change.Name + " has changed:\n" + change.Diff())
			h.Pin(change.Name)
		}
		return Search(h)
	})
}

// Search lists what a model uses to search for tools.
func Search(h *host.Host) []*host.Tool { return h.ToolSearch(nil).Tools() }
