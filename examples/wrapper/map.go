package main

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp/host"
)

// A mapTool is a MapTool. Its other methods are those of the host's tool.
type mapTool struct{ *host.Tool }

func (t mapTool) Execute(ctx context.Context, args map[string]any) *Result {
	text, err := t.CallText(ctx, args)
	if err != nil { // also if the tool itself failed
		return &Result{ForModel: err.Error(), IsError: true, Err: err}
	}
	return &Result{ForModel: text}
}

// registerMapTools registers the tools of the named servers, or of all.
func registerMapTools(h *host.Host, register func(MapTool), servers ...string) int {
	tools := h.View(servers...).Tools()
	for _, t := range tools {
		register(mapTool{t})
	}
	return len(tools)
}
