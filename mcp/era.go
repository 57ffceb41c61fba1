package mcp

import (
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// An era is how the server wants to be spoken to: one of the two ways that MCP
// has had. Everything in which they differ for a client is behind it.
type era interface {
	// stamp fills in the protocol version of a request and its relation to the
	// session, for HTTP transports.
	stamp(req *jsonrpc.Request)

	// appendMeta appends what every request carries in its _meta, beside the
	// caller's part.
	appendMeta(b []byte, own map[string]any) []byte

	// ping is the method that asks the server for a sign of life.
	ping() string

	// serves reports whether the server may ask the client for something.
	legacy() bool

	// logLevel sets the least severity of log messages. It returns the call
	// that informs the server, or nil if later requests do.
	logLevel(level LoggingLevel) *call

	// classify returns an error unless res is a final result: ErrInputRequired
	// itself if it is one that asks for more, errTask if it says that the call
	// has become a task.
	classify(q *request, res *Result) error
}
