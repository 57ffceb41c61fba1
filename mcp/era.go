package mcp

import "github.com/stdmcp/stdmcp/mcp/jsonrpc"

// An era is one of the two forms of the protocol, legacy and modern. The
// interface covers everything in which they differ for a client, except for
// tasks; see taskAdvancer.
type era interface {
	// legacy reports whether the era has sessions and requests of the server.
	legacy() bool

	// stamp sets the protocol version of a request and its relation to the
	// session.
	stamp(h *jsonrpc.HTTP)

	// appendMeta appends the members of _meta that every request has, in
	// addition to those of the caller in own.
	appendMeta(b []byte, own map[string]any) []byte

	// ping returns the method by which the client checks that the server
	// responds.
	ping() string

	// logLevel sets the minimum severity of log messages. It returns the call
	// that sends it to the server, or nil if later requests contain it.
	logLevel(level LoggingLevel) *request

	// classify returns nil if res is a final result. The error is
	// ErrInputRequired itself if the server requires input, and errTask if the
	// call has become a task.
	classify(q *request, res *Result) error
}
