package host

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// NewTool returns a tool of the program itself, for a model to use in addition to
// those of servers. def is the definition; its Name should be one that model
// providers accept. run receives the arguments as a JSON object, or nil, and
// returns the text of the result. If run fails, the call returns an *Error.
// Options.Approve is not asked. If def or run is nil, calls of the tool fail.
func (h *Host) NewTool(def *mcp.Tool, run func(ctx context.Context, input mcp.RawMessage) (string, error)) *Tool {
	if def == nil || run == nil {
		return nil
	}
	return &Tool{host: h, def: def, name: def.Name, description: def.Description,
		run: func(ctx context.Context, _ *mcp.ToolCall, r *CallReport) (*mcp.CallToolResult, error) {
			text, err := run(ctx, r.Arguments)
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(text)}}, nil
		}}
}

// Note returns the text that SetNote stored for a server, or "". Package skills
// stores what it knows about the server's skills there.
func (h *Host) Note(server, key string) string {
	h.lock()
	defer h.unlock()
	s := h.server(server)
	if s == nil {
		return ""
	}
	text, _ := mcp.Value(mcp.RawMessage(s.pins[notePrefix+key]))
	note, _ := text.(string)
	return note
}

// SetNote stores a text for a server: for as long as the host has the server, and
// with Options.Catalog also in the server's entry. An empty text removes it.
// SetNote reports whether it was stored: the notes and pins of a server are limited
// to 4 MiB.
func (h *Host) SetNote(server, key, text string) bool {
	h.lock()
	defer h.unlock()
	s := h.server(server)
	if s == nil {
		return false
	}
	stored := true
	if text == "" {
		s.unpin(notePrefix + key)
	} else {
		stored = s.store(notePrefix+key, string(wire.AppendString(nil, text)))
	}
	h.record(s)
	return stored
}

// notePrefix begins the keys of notes among pins. No tool has such a name.
const notePrefix = "\x00note "
