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
	h.lock()
	tools := s.tools // never modified
	h.unlock()
	for _, t := range tools {
		if t.def.Name == tool {
			return t, nil
		}
	}
	e := newError(unknownTool, "tool "+wire.Quote(tool)+" was not called", server, ErrUnknownTool)
	e.Tool = tool
	return nil, e
}

// timeout returns the call timeout of a server.
func (h *Host) timeout(s *server) time.Duration {
	h.lock()
	_, d := h.opts.timeouts(s.cfg)
	h.unlock()
	return d
}

// clientWithin is client with a timeout, if limit is positive.
func (h *Host) clientWithin(ctx context.Context, s *server, limit time.Duration) (*mcp.Client, *DialParams, error) {
	ctx, cancel := within(ctx, limit, nil)
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

// requestError returns the *Error for a failed request for what, or nil.
func (h *Host) requestError(what, server string, err error) error {
	if err == nil {
		return nil
	}
	f, _ := callFailure(err)
	e := newError(f, what, server, err)
	if s, missing := h.get(server); missing == nil {
		h.lock()
		e.text = s.hide(e.text)
		h.unlock()
	}
	return e
}
