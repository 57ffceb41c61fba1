// Package hosts is a program that calls one tool of the servers of .mcp.json, but for
// the options of its host.
package hosts

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// Run connects a host to the servers, prints the tools that list returns, and calls
// the tool that the first argument names.
func Run(o *host.Options, list func(h *host.Host) []*host.Tool) {
	ctx := context.Background()
	h := host.New(o)
	defer h.Shutdown(ctx)
	h.SetServers(ctx, config.Load(".").Servers)
	for _, t := range list(h) {
		os.Stdout.WriteString(t.Name() + ": " + t.Description() + "\n")
	}
	text, err := h.Tool(os.Args[1]).Execute(ctx, mcp.RawMessage(`{"message":"hello"}`))
	if err != nil {
		text = err.Error()
	}
	os.Stdout.WriteString(text + "\n")
}

// Search lists what a model uses to search for tools.
func Search(h *host.Host) []*host.Tool { return h.ToolSearch(nil).Tools() }
