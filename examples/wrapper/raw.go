package main

import "github.com/stdmcp/stdmcp/mcp/host"

// registerRawTools registers all tools: a *host.Tool is a RawTool.
func registerRawTools(h *host.Host, register func(RawTool)) {
	for _, t := range h.Tools() {
		register(t)
	}
}
