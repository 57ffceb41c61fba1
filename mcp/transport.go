package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// RawMessage is encoding/json's RawMessage, a JSON value as it was written.
type RawMessage = jsonrpc.RawMessage

// A Transport opens connections to one MCP server. It is a recipe, so that a
// server that died can be opened again. Packages stdio, streamhttp and sse
// have transports; anything else that carries JSON-RPC can be one.
type Transport interface {
	// Open opens a connection. ctx bounds the opening only: the connection
	// keeps its values, not its cancellation. h is called for what the server
	// sends that is no answer.
	Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error)
}

// nameOf returns how a transport calls the server that it opens, as far as it
// has a String method.
func nameOf(t Transport) string {
	if s, ok := t.(interface{ String() string }); ok {
		return s.String()
	}
	return ""
}

// An attacher is a handler with a watcher, which it adds before anything is
// sent.
type attacher interface{ attach(c *Client) }
