package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// SetLogLevel replaces [Options].LogLevel, the minimum severity of the log
// messages that the server sends. Before 2026-07-28 the client sends the level
// at once; from 2026-07-28 on, each later request contains it. An empty level
// turns log messages off, which servers before 2026-07-28 do not support.
//
// If the server does not declare logging, the request is sent all the same.
//
// Protocol version 2026-07-28 deprecates log messages; a version released on or
// after 2027-07-28 may remove them. Servers should log to stderr, which
// stdio.Transport.Stderr receives, or use OpenTelemetry instead.
func (c *Client) SetLogLevel(ctx context.Context, level LoggingLevel) error {
	q := c.era().logLevel(level)
	if q == nil {
		return c.ended("logging/setLevel")
	}
	_, err := c.roundTrip(ctx, q)
	return err
}

// beginLogLevel sets the level in a new session. If that is lost, it does not begin
// another one, which would wait for this one or lose the level in turn.
func (c *Client) beginLogLevel(ctx context.Context, e era, level LoggingLevel) error {
	q := e.logLevel(level)
	if q == nil {
		return nil
	}
	q.era = e
	_, err := c.send(ctx, q)
	return err
}

func (c *Client) log(params RawMessage) error {
	if c.opts.Log == nil {
		return nil
	}
	var msg LogMessage
	if err := decodeText(params, &msg); err != nil {
		return jsonrpc.Malformed(err)
	}
	if !c.notifications.AddSize(len(params), func() { c.guard(func() { c.opts.Log(c.ctx, &msg) }) }) {
		return ErrOverloaded
	}
	return nil
}
