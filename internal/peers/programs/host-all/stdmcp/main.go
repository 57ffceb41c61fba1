// A program that calls one tool of the servers of .mcp.json with stdmcp, with a
// catalog and pins, and lets a model search for tools. It starts the servers.
package main

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func main() {
	ctx := context.Background()
	h := host.New(&host.Options{Catalog: host.OpenCatalog(".mcp-catalog.json"), Pins: host.PinBlock})
	defer h.Shutdown(ctx)
	h.SetServers(ctx, config.Load(".").Servers)
	for _, change := range h.Changed() {
		os.Stdout.WriteString(change.Name + " has changed:\n" + change.Diff())
		h.Pin(change.Name)
	}
	for _, t := range h.ToolSearch(nil).Tools() {
		os.Stdout.WriteString(t.Name() + ": " + t.Description() + "\n")
	}
	text, err := h.Tool(os.Args[1]).Execute(ctx, mcp.RawMessage(`{"message":"hello"}`))
	if err != nil {
		text = err.Error()
	}
	os.Stdout.WriteString(text + "\n")
}
