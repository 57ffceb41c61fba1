package main

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp/host"
)

// functions returns all tools as functions, by their names. For names such as
// github__create_issue, set Options.Naming to host.ServerTool.
func functions(h *host.Host) map[string]Function {
	all := make(map[string]Function)
	for _, t := range h.Tools() {
		all[t.Name()] = func(ctx context.Context, args map[string]any) (string, error) { return t.CallText(ctx, args) }
	}
	return all
}
