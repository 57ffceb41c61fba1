package main

import (
	"context"
	"errors"
	"strconv"
	"time"

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

var errNotBase64 = errors.New("a blob that is not in base64")

func (c *invocation) readResource(ctx context.Context, s *conversation, uri string) (*mcp.ReadResourceResult, error) {
	return s.ReadResource(ctx, uri)
}

func runPing(ctx context.Context, c *invocation) error {
	return c.withServer(ctx, func(s *conversation) error {
		began := time.Now()
		if err := s.Ping(ctx); err != nil {
			return err
		}
		if c.flags.json {
			return c.printJSON([]byte("{}"))
		}
		took := strconv.FormatFloat(float64(time.Since(began).Microseconds())/1000, 'f', 1, 64) + " ms"
		return c.print(escapeLine(s.Server().Name) + " answered in " + took + "\n")
	})
}
