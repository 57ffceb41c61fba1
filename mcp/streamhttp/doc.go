// Package streamhttp reaches MCP servers over Streamable HTTP, with
// sessions and without them.
//
//	client, err := mcp.Connect(ctx, streamhttp.New("https://example.com/mcp", nil), nil)
//
// # Calls
//
// Each message is a POST of its own. A call reads the response to its POST
// itself: one JSON message, or a stream of events that it leaves at the answer,
// for whose end it waits a few milliseconds, so that the connection can be used
// again. So whatever goes wrong, a status of 503 say, concerns that call alone,
// and a call costs no goroutine. A [StatusError] or [RedirectError] is found
// with errors.As.
//
// When the server closes a connection that a message has just been sent on, what
// only reads is sent once more, on another one; a call of a tool is not.
//
// When a response breaks off the call fails with an error that matches
// mcp.ErrOutcomeUnknown, unless the server lets the client go on with the
// stream in another response, as it may in a session.
//
// # Sessions
//
// A server with an older protocol version may open a session. Its id is sent to the server
// only and appears in no error. If the server forgets the session, the client
// opens another and repeats what was refused. Close tells the server, for two
// seconds at most, that the session is over.
//
// In a session the server may have a stream for what belongs to no call, such
// as changes and log messages. It is read in the background, taken up again
// when it ends, and its failures concern nothing else. As many servers lose
// what they would have sent there before, it is waited for in the beginning,
// for a fifth of a second at most.
//
// # Stateless servers
//
// Newer protocol versions have no sessions. Every request repeats in headers which method, which
// tool, prompt or resource, and which arguments, as far as the tool's schema
// asks for that. A tool whose schema asks for it in a way that is not allowed
// is left out of lists. Closing the response cancels a call.
//
// # Redirects, proxies, credentials
//
// Only redirects with status 307 and 308 to the same scheme, host and port are
// followed. Proxies are those of the environment, as net/http has it. What
// Options.Header holds is sent to the origin of the URL and nowhere else.
//
// # Limits
//
// A message may have 64 MiB, decompressed, unless Options.MaxMessage says
// otherwise. There is no time-out beside those of the calls, but for
// Options.HeaderTimeout and IdleTimeout; http.Client.Timeout is not used, as it
// would cut streams.
//
// # Concurrency
//
// A Transport and its connections may be used by any number of goroutines at
// once.
package streamhttp
