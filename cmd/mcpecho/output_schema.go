package main

import (
	"context"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// checkTime limits what follows a result: a list of the tools, if there was none before
// the call, and the validation.
const checkTime = 10 * time.Second

// checkOutput returns a failure if the result of a tool does not fit the tool's output
// schema, which is the promise on which programs rely. The user has the result already.
func (c *invocation) checkOutput(ctx context.Context, s *conversation, tool string, res *mcp.CallToolResult) error {
	if res.IsError || res.StructuredContent == nil && s.Server().ProtocolVersion < mcp.ProtocolVersion20250618 {
		return nil // without a list of the tools
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	tools, err := c.tools(ctx, s)
	at := slices.IndexFunc(tools, func(t *mcp.Tool) bool { return t.Name == tool })
	if err != nil || at < 0 {
		return nil // the call has succeeded
	}
	violation, err := servercheck.Output(ctx, s.Server().ProtocolVersion, tools[at], res)
	if violation != "" {
		return &failure.Error{Status: failure.Refused, Kind: "output", Message: "the result of the tool " + wire.Quote(tool) + " violates its output schema: " + failure.Indent(violation)}
	}
	if err != nil && ctx.Err() == nil {
		c.note(s, "The result was not checked, as the tool's output schema cannot be used: "+err.Error())
	}
	return nil
}
