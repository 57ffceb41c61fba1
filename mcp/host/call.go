package host

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// CallTool calls a tool by the names of the server in the settings and of the
// tool in the server. If the server is not connected, CallTool connects to it
// and lists its tools first. The error is an *Error.
func (h *Host) CallTool(ctx context.Context, server, tool string, args any) (*mcp.CallToolResult, error) {
	t, err := h.tool(ctx, server, tool)
	if err != nil {
		return nil, err
	}
	return t.Call(ctx, args)
}

// tool returns a tool by the names of the server in the settings and of the
// tool in the server.
func (h *Host) tool(ctx context.Context, server, tool string) (*Tool, error) {
	s, err := h.get(server)
	if err != nil {
		return nil, err
	}
	if _, _, err := h.clientWithin(ctx, s, h.timeout(s)); err != nil {
		return nil, err
	}
	h.mu.Lock()
	tools := s.tools // never modified
	h.mu.Unlock()
	for _, t := range tools {
		if t.def.Name == tool {
			return t, nil
		}
	}
	return nil, noTool(server, tool)
}

// noTool returns the Error for a tool that a server does not have.
func noTool(server, tool string) *Error {
	e := newError(unknownTool, "tool "+wire.Quote(tool)+" was not called", server, ErrUnknownTool)
	e.Tool = tool
	return e
}

// timeout returns the call timeout of a server.
func (h *Host) timeout(s *server) time.Duration {
	h.mu.Lock()
	_, d := h.opts.timeouts(s.cfg)
	h.mu.Unlock()
	return d
}

// clientWithin is client with a timeout, if limit is positive.
func (h *Host) clientWithin(ctx context.Context, s *server, limit time.Duration) (*mcp.Client, *DialParams, error) {
	ctx, cancel := within(ctx, limit)
	defer cancel()
	return h.client(ctx, s)
}

// clientWithTimeout is Client with the server's call timeout.
func (h *Host) clientWithTimeout(ctx context.Context, name string) (*mcp.Client, error) {
	s, err := h.get(name)
	if err != nil {
		return nil, err
	}
	client, _, err := h.clientWithin(ctx, s, h.timeout(s))
	return client, err
}

// ListResources returns the resources of a server. It connects if necessary. The
// error is an *Error.
func (h *Host) ListResources(ctx context.Context, server string) ([]*mcp.Resource, error) {
	client, err := h.clientWithTimeout(ctx, server)
	if err != nil {
		return nil, err
	}
	list, err := client.ListResources(ctx)
	return list, h.requestError("resource", server, err)
}

// ReadResource reads a resource of a server. It connects if necessary. The error
// is an *Error.
func (h *Host) ReadResource(ctx context.Context, server, uri string) (*mcp.ReadResourceResult, error) {
	client, err := h.clientWithTimeout(ctx, server)
	if err != nil {
		return nil, err
	}
	res, err := client.ReadResource(ctx, uri)
	return res, h.requestError("resource", server, err)
}

// ListResourceTemplates returns the resource templates of a server. It connects if
// necessary. The error is an *Error.
func (h *Host) ListResourceTemplates(ctx context.Context, server string) ([]*mcp.ResourceTemplate, error) {
	client, err := h.clientWithTimeout(ctx, server)
	if err != nil {
		return nil, err
	}
	list, err := client.ListResourceTemplates(ctx)
	return list, h.requestError("resource", server, err)
}

// Complete returns a server's completions for an argument of a prompt or a variable
// of a resource template; see mcp.Client.Complete. It connects if necessary. The
// error is an *Error.
func (h *Host) Complete(ctx context.Context, server string, ref mcp.Reference, name, value string, given map[string]string) (*mcp.Completion, error) {
	client, err := h.clientWithTimeout(ctx, server)
	if err != nil {
		return nil, err
	}
	res, err := client.Complete(ctx, ref, name, value, given)
	return res, h.requestError("completion", server, err)
}

// requestError returns the *Error for a failed request for what, or nil.
func (h *Host) requestError(what, server string, err error) error {
	if err == nil {
		return nil
	}
	f, _ := callFailure(err)
	e := newError(f, what, server, err)
	if s, missing := h.get(server); missing == nil {
		h.mu.Lock()
		e.text = s.hide(e.text)
		h.mu.Unlock()
	}
	return e
}

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

// ListResourceTemplates is [Host.ListResourceTemplates] for the servers of the view,
// with the errors of [View.ListPrompts].
func (v *View) ListResourceTemplates(ctx context.Context, server string) ([]*mcp.ResourceTemplate, error) {
	if err := v.includes(server); err != nil {
		return nil, err
	}
	return v.host.ListResourceTemplates(ctx, server)
}

// Complete is [Host.Complete] for the servers of the view, with the errors of
// [View.ListPrompts].
func (v *View) Complete(ctx context.Context, server string, ref mcp.Reference, name, value string, given map[string]string) (*mcp.Completion, error) {
	if err := v.includes(server); err != nil {
		return nil, err
	}
	return v.host.Complete(ctx, server, ref, name, value, given)
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
