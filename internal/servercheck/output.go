package servercheck

import (
	"context"
	"errors"
	"strings"

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
		if text := strings.TrimSpace(res.Text()); !res.IsError && len(text) >= len("error:") && strings.EqualFold(text[:len("error:")], "error:") {
			c.warnf(where, "its result begins with %q, but isError is not set: a model takes it for a success", text[:len("error:")])
		}
		c.output(ctx, t, where, res)
	}
}

// Output describes how the result of a tool violates the output schema of the tool, on
// which programs rely, or returns "". version is the protocol version of the connection.
// The error is that of an invalid schema.
func Output(ctx context.Context, version string, t *mcp.Tool, res *mcp.CallToolResult) (violation string, err error) {
	switch {
	case res.IsError || t.OutputSchema == nil:
		return "", nil
	case res.StructuredContent == nil && version < mcp.ProtocolVersion20250618:
		return "", nil // the version has no structured content
	case res.StructuredContent == nil:
		return "it has no structuredContent", nil
	}
	schema, err := jsonschema.Compile(ctx, t.OutputSchema)
	if err == nil {
		err = schema.Validate(ctx, res.StructuredContent)
	}
	if mismatch := (*jsonschema.Error)(nil); errors.As(err, &mismatch) {
		return "structuredContent: " + err.Error(), nil
	}
	return "", err
}

// output checks the structured content of a result. It ignores an invalid schema, which
// already is a finding.
func (c *check) output(ctx context.Context, t *mcp.Tool, where string, res *mcp.CallToolResult) {
	if violation, _ := Output(ctx, c.client.Server().ProtocolVersion, t, res); violation != "" {
		c.errorf(where, "its result violates its output schema: %s", violation)
	}
	if res.StructuredContent != nil && !res.IsError && len(res.Content) == 0 {
		c.warnf(where, "its result has structuredContent and no text, which is all that earlier clients read")
	}
}
