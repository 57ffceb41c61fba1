// Package streamhttp connects to MCP servers over Streamable HTTP, with sessions
// and without them.
//
//	client, err := mcp.Connect(ctx, streamhttp.New("https://example.com/mcp", nil), nil)
//
// # Calls
//
// Each message is its own POST. A call reads the response to its POST on the
// caller's goroutine: one JSON message, or a stream of events. So a failure, such
// as a status of 503, concerns that call alone. [StatusError] and [RedirectError]
// are found with errors.As. After the result of a call, the call waits a few
// milliseconds for the end of the stream, so that the connection can be reused.
//
// If the server closes an idle connection on which a message has just been sent,
// a request without side effects is sent again on another connection; a tool call
// is not.
//
// If a response breaks off, the call fails with an error that matches
// mcp.ErrOutcomeUnknown, unless the server lets the client continue the stream in
// another response, as it may in a session.
//
// # Sessions
//
// A server with an older protocol version may open a session. Its id is sent to
// the server only and appears in no error. If the server loses the session, the
// client opens another one and repeats the requests that were refused. Close asks
// the server to end the session, and waits for up to 2 s.
//
// In a session the server may have a stream for messages that belong to no call,
// such as changes and log messages. It is read in the background and requested
// again when it ends. Its failures have no effect on calls. Many servers lose
// messages that they would send before the stream is open, so the client waits
// for it after the handshake, for up to 200 ms.
//
// # Stateless servers
//
// Newer protocol versions have no sessions. Headers repeat the method of a
// request, the tool, prompt or resource, and the arguments for which the tool's
// schema requires it. A tool whose schema breaks the rules for that is left out of
// lists. Closing the response cancels a call.
//
// # Redirects, proxies, credentials
//
// Only redirects with status 307 and 308 to the same scheme, host and port are
// followed. The environment configures proxies, as for net/http. Options.Header is
// sent to the origin of the URL and nowhere else.
//
// # Limits
//
// A message may be up to 64 MiB, decompressed, unless Options.MaxMessage is set.
// The timeouts are those of the calls, Options.HeaderTimeout and
// Options.IdleTimeout. http.Client.Timeout is not used, as it would cut streams.
//
// # Concurrency
//
// Transports and their connections are safe for concurrent use. The fields of a
// Transport must not change during Open.
package streamhttp
