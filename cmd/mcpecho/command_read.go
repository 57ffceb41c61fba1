package main

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/mcp"
)

func runRead(ctx context.Context, c *invocation) error {
	uri := c.args[0]
	return c.withServer(ctx, func(s *conversation) error {
		res, err := c.readResource(ctx, s, uri)
		if err != nil {
			return c.explainUnknown(ctx, s, "resource", uri, lists()["resources"], err)
		}
		if c.flags.json {
			return c.printResult(res)
		}
		parts := make([]part, len(res.Contents))
		for i := range res.Contents {
			p, ok := resourcePart(&res.Contents[i])
			if !ok {
				return malformed("resources/read", errNotBase64)
			}
			parts[i] = p
		}
		return c.printParts(s, parts, true)
	})
}

var errNotBase64 = errors.New("a blob is not valid base64")

func (c *invocation) readResource(ctx context.Context, s *conversation, uri string) (*mcp.ReadResourceResult, error) {
	return s.ReadResource(ctx, uri)
}
