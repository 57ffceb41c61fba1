// Package streamhttp connects to MCP servers over Streamable HTTP, with sessions
// and without them.
//
//	client, err := mcp.Connect(ctx, streamhttp.New("https://example.com/mcp", nil), nil)
//
// # Calls
//
// Each message is its own POST. A call reads the response to its POST on the
// caller's goroutine: one JSON message, or a stream of events. A failure, such
// as a status of 503, therefore affects only that call; errors.As finds a
// *[StatusError] or *[RedirectError]. After the result of a call, the call
// waits a few milliseconds for the end of the stream, so that the connection
// can be reused.
//
// If the server closes an idle connection while a request without side effects
// is being sent on it, the transport sends the request again on another
// connection. It does not repeat a tool call.
//
// If a response is interrupted, the call fails with an error that matches
// mcp.ErrOutcomeUnknown, unless the server permits the client to resume the
// stream, as it may in a session.
//
// # Sessions
//
// A server with a protocol version before 2026-07-28 may open a session. The
// transport sends the session id only to the server; no error contains it. If
// the server loses the session, the client opens another one and repeats the
// requests that were refused. Close asks the server to end the session, and
// waits for up to 2 s.
//
// In a session the server may have a stream for messages that belong to no
// call, such as changes and log messages. The transport reads it in the
// background and requests it again when it ends; its failures do not affect
// calls. Many servers lose messages that they send before the stream is open,
// so the handshake waits up to 200 ms for it.
//
// # Stateless servers
//
// From 2026-07-28 on there are no sessions. Headers repeat the method of a
// request, the tool, prompt or resource, and the arguments for which the tool's
// schema requires it. Lists omit a tool whose schema violates the rules for
// such headers. The transport cancels a call by closing the response.
//
// # Redirects, proxies, credentials
//
// The transport follows only redirects with status 307 and 308 to the same
// scheme, host and port. The environment configures proxies, as for net/http.
// The transport sends Options.Header and the header of a call (mcp.ToolCall) only
// to the origin of the URL.
//
// # Limits
//
// A message may be up to 64 MiB, decompressed, unless Options.MaxMessage is set.
// The timeouts of calls, Options.HeaderTimeout and Options.IdleTimeout apply.
// http.Client.Timeout is not used, as it would cut streams.
//
// # Concurrency
//
// Transports and their connections are safe for concurrent use. The fields of a
// Transport must not change during Open.
package streamhttp
