package host

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp"
)

// ListPrompts returns the prompts of a server. It connects if necessary. The error
// is an *Error.
func (h *Host) ListPrompts(ctx context.Context, server string) ([]*mcp.Prompt, error) {
	client, err := h.clientWithTimeout(ctx, server)
	if err != nil {
		return nil, err
	}
	list, err := client.ListPrompts(ctx)
	return list, h.requestError("prompt", server, err)
}

// GetPrompt fetches a prompt of a server. It connects if necessary. The error is an
// *Error.
func (h *Host) GetPrompt(ctx context.Context, server, name string, args map[string]string) (*mcp.GetPromptResult, error) {
	client, err := h.clientWithTimeout(ctx, server)
	if err != nil {
		return nil, err
	}
	res, err := client.GetPrompt(ctx, name, args)
	return res, h.requestError("prompt", server, err)
}

// ListPrompts is [Host.ListPrompts] for the servers of the view. The error matches
// ErrUnknownServer if the view does not contain the server, and ErrDenied if the
// capabilities of [View.Can] do not include it.
func (v *View) ListPrompts(ctx context.Context, server string) ([]*mcp.Prompt, error) {
	if err := v.includes(server); err != nil {
		return nil, err
	}
	return v.host.ListPrompts(ctx, server)
}

// GetPrompt is [Host.GetPrompt] for the servers of the view, with the errors of
// [View.ListPrompts].
func (v *View) GetPrompt(ctx context.Context, server, name string, args map[string]string) (*mcp.GetPromptResult, error) {
	if err := v.includes(server); err != nil {
		return nil, err
	}
	return v.host.GetPrompt(ctx, server, name, args)
}

// ListResources is [Host.ListResources] for the servers of the view, with the
// errors of [View.ListPrompts].
func (v *View) ListResources(ctx context.Context, server string) ([]*mcp.Resource, error) {
	if err := v.includes(server); err != nil {
		return nil, err
	}
	return v.host.ListResources(ctx, server)
}

// ReadResource is [Host.ReadResource] for the servers of the view, with the errors
// of [View.ListPrompts].
func (v *View) ReadResource(ctx context.Context, server, uri string) (*mcp.ReadResourceResult, error) {
	if err := v.includes(server); err != nil {
		return nil, err
	}
	return v.host.ReadResource(ctx, server, uri)
}

// includes returns an error unless the view contains a server as a whole.
func (v *View) includes(server string) error {
	if !v.sees(server) {
		return noServer(server)
	}
	if v.limited && !v.can.Allow(server, "") {
		return newError(notPermitted, "not asked", server, ErrDenied)
	}
	return nil
}
