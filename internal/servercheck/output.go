package servercheck

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// callTool calls a tool. The arguments are samples, so a tool may refuse them, but its
// result must fit the output schema.
func (c *check) callTool(ctx context.Context, t *mcp.Tool, args mcp.RawMessage) {
	where := "tool " + wire.Quote(t.Name)
	res, err := c.client.CallTool(ctx, t.Name, args)
	var refused *jsonrpc.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, jsonrpc.ErrClosed):
		c.silence(where+" with "+string(args), err)
	case errors.As(err, &refused), errors.Is(err, mcp.ErrInputRequired):
	case err != nil:
		c.errorf(where, "the call with %s fails: %v", args, err)
	default:
		c.output(ctx, t, where, res)
	}
}

// output checks the structured content of a result.
func (c *check) output(ctx context.Context, t *mcp.Tool, where string, res *mcp.CallToolResult) {
	if res.IsError || t.OutputSchema == nil {
		return
	}
	if res.StructuredContent == nil {
		if c.client.Server().ProtocolVersion >= mcp.ProtocolVersion20250618 {
			c.errorf(where, "it has an output schema, but its result has no structuredContent")
		}
		return
	}
	schema, err := jsonschema.Compile(ctx, t.OutputSchema)
	if err != nil {
		return // a finding already
	}
	if err := schema.Validate(ctx, res.StructuredContent); err != nil {
		c.errorf(where, "its result violates its output schema: structuredContent: %v", err)
	}
	if len(res.Content) == 0 {
		c.warnf(where, "its result has structuredContent and no text, which is all that earlier clients read")
	}
}
