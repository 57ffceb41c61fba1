package host

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// CallTool calls a tool by the names of the server in the settings and of the
// tool in the server. If the server is not connected, CallTool connects to it
// and lists its tools first. The error is an *Error.
func (h *Host) CallTool(ctx context.Context, server, tool string, args any) (*mcp.CallToolResult, error) {
	t, err := h.serverTool(ctx, server, tool)
	if err != nil {
		return nil, err
	}
	return t.Call(ctx, args)
}

// serverTool returns a tool by the names of the server in the settings and of the
// tool in the server.
func (h *Host) serverTool(ctx context.Context, server, tool string) (*Tool, error) {
	s, err := h.get(server)
	if err != nil {
		return nil, err
	}
	if _, _, err := h.clientWithin(ctx, s, h.timeout(s)); err != nil {
		return nil, err
	}
	t := h.toolOf(s, tool)
	if t == nil { // the server may have reported it
		if err := h.awaitTools(ctx, s); err != nil {
			return nil, err
		}
		t = h.toolOf(s, tool)
	}
	if t == nil {
		return nil, noTool(server, tool)
	}
	return t, nil
}

// toolOf returns the tool of a server by its name in the server, or nil.
func (h *Host) toolOf(s *server, name string) *Tool {
	h.mu.Lock()
	tools := s.tools // never modified
	h.mu.Unlock()
	for _, t := range tools {
		if t.def.Name == name {
			return t
		}
	}
	return nil
}

// noTool returns the Error for a tool that a server does not have.
func noTool(server, tool string) *Error {
	e := newError(unknownTool, "tool "+wire.Quote(tool)+" was not called", server, ErrUnknownTool)
	e.Tool = tool
	return e
}

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

// request sends a request for what to a server, after its calls that run if it has
// the setting Serial. It connects if necessary, within the server's call timeout.
func (h *Host) request(ctx context.Context, server, what string, send func(*mcp.Client) error) error {
	s, err := h.get(server)
	if err != nil {
		return err
	}
	client, _, err := h.clientWithin(ctx, s, h.timeout(s))
	if err != nil {
		return err
	}
	done, err := s.takeTurn(ctx, h)
	if err == nil {
		defer done()
		err = send(client)
	}
	return h.requestError(what, server, err)
}

// takeTurn waits until no other call runs, if the server has the setting Serial. The
// caller calls done after its call.
func (s *server) takeTurn(ctx context.Context, h *Host) (done func(), err error) {
	h.mu.Lock()
	serial := s.cfg.Serial
	h.mu.Unlock()
	if !serial {
		return func() {}, nil
	}
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn }, nil
	case <-ctx.Done():
		return nil, retry.Cause(ctx)
	}
}

// ListResources returns the resources of a server. It connects if necessary. The
// error is an *Error.
func (h *Host) ListResources(ctx context.Context, server string) (list []*mcp.Resource, err error) {
	err = h.request(ctx, server, "resource", func(c *mcp.Client) (err error) {
		list, err = c.ListResources(ctx)
		return err
	})
	return list, err
}

// ReadResource reads a resource of a server. It connects if necessary. The error
// is an *Error.
func (h *Host) ReadResource(ctx context.Context, server, uri string) (res *mcp.ReadResourceResult, err error) {
	err = h.request(ctx, server, "resource", func(c *mcp.Client) (err error) {
		res, err = c.ReadResource(ctx, uri)
		return err
	})
	return res, err
}

// ListResourceTemplates returns the resource templates of a server. It connects if
// necessary. The error is an *Error.
func (h *Host) ListResourceTemplates(ctx context.Context, server string) (list []*mcp.ResourceTemplate, err error) {
	err = h.request(ctx, server, "resource", func(c *mcp.Client) (err error) {
		list, err = c.ListResourceTemplates(ctx)
		return err
	})
	return list, err
}

// Complete returns a server's completions for an argument of a prompt or a variable
// of a resource template; see mcp.Client.Complete. It connects if necessary. The
// error is an *Error.
func (h *Host) Complete(ctx context.Context, server string, ref mcp.Reference, name, value string, given map[string]string) (res *mcp.Completion, err error) {
	err = h.request(ctx, server, "completion", func(c *mcp.Client) (err error) {
		res, err = c.Complete(ctx, ref, name, value, given)
		return err
	})
	return res, err
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
func (h *Host) ListPrompts(ctx context.Context, server string) (list []*mcp.Prompt, err error) {
	err = h.request(ctx, server, "prompt", func(c *mcp.Client) (err error) {
		list, err = c.ListPrompts(ctx)
		return err
	})
	return list, err
}

// GetPrompt fetches a prompt of a server. It connects if necessary. The error is an
// *Error.
func (h *Host) GetPrompt(ctx context.Context, server, name string, args map[string]string) (res *mcp.GetPromptResult, err error) {
	err = h.request(ctx, server, "prompt", func(c *mcp.Client) (err error) {
		res, err = c.GetPrompt(ctx, name, args)
		return err
	})
	return res, err
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
