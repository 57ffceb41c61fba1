package host

import (
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// forModels reports whether models may see a tool: unless its _meta.ui.visibility
// (MCP Apps, SEP-1865) lacks "model".
func forModels(def *mcp.Tool) (visible bool) {
	list := wire.Lookup(def.Meta, "ui", "visibility")
	r := wire.NewReader(list)
	if r.Kind() != wire.Array {
		return true
	}
	for r.Array(); r.More(); {
		visible = string(r.Raw()) == `"model"` || visible
	}
	return visible
}

// AppTools returns the tools that are not for models, but for the user interface
// of their server in the program (MCP Apps): those whose _meta.ui.visibility lacks
// "model". Tools and the other methods for models leave them out; the program
// calls them like other tools, or with Host.CallTool.
func (h *Host) AppTools() []*Tool {
	h.lock()
	var list []*Tool
	for _, s := range h.servers {
		if s.listed() {
			list = append(list, s.tools...)
		}
	}
	h.unlock()
	return slices.DeleteFunc(list, func(t *Tool) bool { return !t.app })
}
