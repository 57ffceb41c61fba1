package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// checkTime limits what follows a result: a list of the tools, if there was none before
// the call, and the validation.
const checkTime = 10 * time.Second

// checkOutput returns a failure if the result of a tool does not fit the tool's output
// schema, which is the promise on which programs rely. The user has the result already.
func (c *invocation) checkOutput(ctx context.Context, s *conversation, tool string, res *mcp.CallToolResult) error {
	promised := s.Server().ProtocolVersion >= mcp.ProtocolVersion20250618
	if res.IsError || res.StructuredContent == nil && !promised {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	tools, err := c.tools(ctx, s)
	at := slices.IndexFunc(tools, func(t *mcp.Tool) bool { return t.Name == tool })
	if err != nil || at < 0 || tools[at].OutputSchema == nil {
		return nil // the call has succeeded
	}
	violation := func(what string) error {
		return &failure.Error{Status: failure.Refused, Kind: "output", Message: "the result of the tool " + wire.Quote(tool) + " violates its output schema: " + what}
	}
	if res.StructuredContent == nil {
		return violation("it has no structuredContent")
	}
	schema, err := jsonschema.Compile(ctx, tools[at].OutputSchema)
	if err == nil {
		err = schema.Validate(ctx, res.StructuredContent)
	}
	if mismatch := (*jsonschema.Error)(nil); errors.As(err, &mismatch) {
		return violation("structuredContent: " + err.Error())
	}
	if err != nil && ctx.Err() == nil {
		c.note(s, "The result was not checked, as the tool's output schema cannot be used: "+err.Error())
	}
	return nil
}
