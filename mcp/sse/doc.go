/*
Package sse connects to MCP servers over HTTP+SSE, the transport that preceded
Streamable HTTP.

	client, err := mcp.Connect(ctx, sse.New("https://example.com/sse", nil), nil)

New servers speak Streamable HTTP. For a URL that may be of either kind, let
mcp.FirstOf find out.

# The transport

A GET opens an event stream, on which the server first says where messages go
to. Each message is then a POST of its own, which the server merely accepts;
answers come on the stream. A POST that fails fails the call that it was for,
with a [*StatusError] mostly, and nothing else.

The server's session is tied to the stream. When the stream ends, so does the
connection, with everything that is pending: such calls match
jsonrpc.ErrOutcomeUnknown, since the server may have done what they asked for.
Nothing is resumed or repeated. To open another connection is up to the caller,
who knows what may be repeated.

What is no call waits until the server has accepted it, so that what follows
arrives later. Calls don't wait for each other.

# Where messages go

The endpoint is resolved as RFC 3986 says against the URL that the stream came
from in the end, so that "messages" stays behind a proxy's prefix. "/messages"
does not; for servers that insist on that there is Options.Endpoint. Scheme,
host and port must be those of the stream: credentials go nowhere else
([*OriginError]). An endpoint that is announced later is ignored.

Redirects are followed within the same origin, if their status is 307 or 308
([*RedirectError]). Cookies are kept if Options.Client has a Jar. A user and
password in the URL become an Authorization header. Errors and String leave
out both of them, and what a query says.

# Time

Open waits for the response and then for the endpoint, for each of them no
longer than Options.HeaderTimeout. A call waits as long as its context allows;
when that ends, the server is told beside, for at most five seconds, and nobody
is asked for authorization because of it. The Timeout of Options.Client, which
would cut the stream off, is not used.

A peer that vanished is noticed by TCP keep-alive in a few minutes, and by the
pings of HTTP/2 within one, unless Options.Client does without them. With
Options.IdleTimeout silence ends the connection; a comment breaks it.

Close doesn't wait for the server. It takes longer than a moment only if a
handler or a RoundTripper doesn't return, and five seconds at most.

# Limits

A message may be 64 MiB long unless Options.MaxMessage is set. A line or an
event that is longer ends the connection with an error that matches
jsonrpc.ErrTooLarge, and no more than two and a half times the limit is ever
held in memory. Of a response that says nothing but yes or no, 4 KiB are read.

Events other than message and endpoint, and messages that make no sense, go to
the handler's Dropped. The latter fail the call that they were meant for, if
that can be made out.

# Concurrency

A Transport may be opened by several goroutines at once. The methods of a
connection may be used concurrently, and Close at any time. The handler is
called on the goroutine that reads the stream.
*/
package sse
