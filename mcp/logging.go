package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// SetLogLevel sets the least severity of the log messages that the server is
// to send, in place of Options.LogLevel. Before 2026-07-28 the server is told;
// later every request says so from then on. An empty level asks for no messages
// any more, which servers of before 2026-07-28 don't know.
func (c *Client) SetLogLevel(ctx context.Context, level LoggingLevel) error {
	q := c.era.logLevel(level)
	if q == nil {
		return nil
	}
	_, err := c.inSession(ctx, q)
	return err
}

// log hands a log message on.
func (c *Client) log(params RawMessage) error {
	if c.opts.Log == nil {
		return nil
	}
	var msg LogMessage
	if err := decodeText(params, &msg); err != nil {
		return jsonrpc.Malformed(err)
	}
	if !c.notifications.Add(func() { c.guard(func() { c.opts.Log(c.ctx, &msg) }) }) {
		return ErrOverloaded
	}
	return nil
}
