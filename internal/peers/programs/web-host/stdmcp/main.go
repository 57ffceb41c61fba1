// A program that calls one tool of the servers of .mcp.json with stdmcp. It starts
// servers, and connects to those at a URL, with authorization.
package main

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

func main() {
	ctx := context.Background()
	h := host.New(&host.Options{Dialers: dialers.All(nil)})
	defer h.Shutdown(ctx)
	h.SetServers(ctx, config.Load(".").Servers)
	for _, t := range h.Tools() {
		os.Stdout.WriteString(t.Name() + ": " + t.Description() + "\n")
	}
	text, err := h.Tool(os.Args[1]).Execute(ctx, mcp.RawMessage(`{"message":"hello"}`))
	if err != nil {
		text = err.Error()
	}
	os.Stdout.WriteString(text + "\n")
}
