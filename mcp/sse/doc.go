/*
Package sse connects to MCP servers over HTTP+SSE, the transport that preceded
Streamable HTTP.

	client, err := mcp.Connect(ctx, sse.New("https://example.com/sse", nil), nil)

Protocol version 2025-03-26 deprecated HTTP+SSE in favor of Streamable HTTP. The
specification may remove it three months after SEP-2596, its policy for
deprecated features, is final. For a URL that may have either transport, use
mcp.FirstOf.

# The transport

A GET request opens an event stream, on which the server first announces the URL
for messages, its endpoint. Each message is then a POST of its own, which the
server only acknowledges; results arrive on the stream. A POST that fails,
usually with a [*StatusError], fails its call and has no other effect.

The session of the server ends with the stream, and so does the connection.
Pending calls then match jsonrpc.ErrOutcomeUnknown, because the server may have
executed them. The transport does not resume the stream. It repeats a request only
if the server closes an idle connection while the request is being sent, and if the
request has no side effects.

Notify and Reply wait until the server has accepted the message, so that messages
arrive in order; the notification that begins a session waits for 2 s at most. Calls do
not wait for each other.

# The endpoint

The endpoint is resolved against the final URL of the stream (RFC 3986), so "messages"
keeps the path prefix of a proxy, and "/messages" does not. Options.Endpoint overrides
it for servers that announce a wrong one. The endpoint must have the scheme, host and
port of the stream, as credentials are sent nowhere else; otherwise Open returns an
[*OriginError]. A later announcement is ignored.

The transport follows redirects with status 307 or 308 within the origin; any other
redirect is a [*RedirectError]. Options.Client says which cookies the transport keeps.
A user and password in the URL become an Authorization header. Errors and String
contain neither of them, nor the query.

# Time

Open waits for the response and then for the endpoint, each for up to
Options.HeaderTimeout. A call waits until its context ends; then the transport
notifies the server in the background, for up to 5 s and without asking the user
for authorization. The Timeout of Options.Client is not used, as it would cut the
stream.

TCP keep-alive detects a vanished server in a few minutes, and HTTP/2 pings
within one minute, unless Options.Client disables them. If Options.IdleTimeout is
set, the connection ends after that time without data or comments.

Close does not wait for the server. It takes up to 5 s if a handler or a
RoundTripper does not return.

# Limits

A message may be up to 64 MiB unless Options.MaxMessage is set. A longer line or
event ends the connection with an error that matches jsonrpc.ErrTooLarge. A
connection never holds more than two and a half times the limit in memory. The
transport reads at most 4 KiB of the response to a POST.

The handler's Dropped receives malformed messages and further endpoint events; events
of other types are ignored. A malformed response fails its call if the id can be
recovered.

# Concurrency

Transports and their connections are safe for concurrent use, Close included. The
fields of a Transport must not change during Open. The handler is called on the
goroutine that reads the stream.
*/
package sse
