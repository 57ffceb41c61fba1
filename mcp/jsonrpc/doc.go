// Package jsonrpc implements JSON-RPC 2.0 over any stream of messages. Package mcp and
// the transports build on it, and its types carry what those tell each other, although
// the package itself uses none of it: [Request].HTTP and [Session] from mcp to HTTP
// transports; [Features] and [TransportFeatures] from transports to mcp, of which
// Stateless, Legacy, AcceptBatches, BindArguments and ForgetArguments are about the
// protocol versions of MCP; [Handler].Pause, Lost and Reconnect, [ErrNoSession] and
// [ErrSessionInDoubt] from HTTP transports to mcp. A program that uses only JSON-RPC
// ignores them.
//
// The vocabulary is [Message], [Request], [ID] and [Error], the sentinel errors,
// and the interfaces [Conn] and [Stream] with [Handler]. [NewConn] makes a Conn
// from a Stream, and [Pipe] is a Stream in memory.
//
// # Messages and ids
//
// [Parse] reads one message. A request has a method and an id, a notification
// only a method, and a response no method. Params, results and error data share
// memory with the input and stay byte for byte as the peer wrote them: numbers
// keep their digits, and objects the order of their keys. Only an escape of half a
// character becomes U+FFFD.
//
// Parse is strict where leniency would be ambiguous: keys are case-sensitive
// and may not be repeated in a message, text must be valid UTF-8, and nesting
// is limited to 128 levels. It is lenient about harmless deviations of known
// servers: an error may be a string, be null beside a result, or have no id.
//
// An [ID] keeps its spelling, so 1, 1.0 and "1" differ and are returned as they
// were received. The ids of calls are 1, 2, 3 and so on up to 2^31-1, because
// some servers keep ids in 32 bits, and then start again at 1, skipping ids in
// use. Other servers return every id as a string or a float: a response with
// the id "1" or 1.0 belongs to the pending call 1. If exactly one call is pending
// and the peer has handled every notification, an error with the id null and the
// code [CodeParseError] or [CodeInvalidRequest] belongs to that call.
//
// # Connections
//
// A [Conn] carries calls: [Conn.Call] sends a request and returns the result. A
// transport whose calls are not messages on one stream, such as one over HTTP,
// implements Conn itself.
//
// When the context of a call ends, the call returns, and the connection sends
// the notification that [Request].Cancel returns. A response that arrives later
// goes to [Handler].Dropped. A malformed response fails its call if the id is
// readable, so that the call does not wait for its timeout.
//
// # Limits
//
//   - The Stream limits the length of a message, with [ErrTooLarge].
//   - The write queue is limited to 1 MiB. Beyond that, senders wait until their
//     contexts end.
//   - A batch, on connections that accept batches, is limited to 1000 messages.
//   - [Conn.Close] allows 50 ms for queued messages, and six seconds for the
//     stream to close.
//
// The number of pending calls is not limited.
//
// # Errors
//
// An error that the peer returned is an [*Error], found with errors.As. All
// other errors match a sentinel with errors.Is: [ErrClosed] and the cause that
// ended the connection, and also [ErrOutcomeUnknown] if the request may have
// reached the peer; [ErrMalformed]; [ErrTooLarge]. When the context of a call
// ends, the error is its cause.
//
// # Concurrency
//
// A connection has two goroutines. One reads, delivers responses and calls the
// [Handler], whose functions must therefore not wait: no response arrives while
// one runs. The other goroutine writes. Callers only add to its queue, so a
// peer that does not read blocks neither Close nor a caller whose context ends.
// The messages queued during one write go into the next. If no other message is
// queued and the stream is a [TryWriter], the caller writes without waiting.
//
// No lock is held while a stream, a handler or another function of the caller
// runs. When Close has returned nil, all resources of the connection are
// released.
//
// # For transports
//
// A transport for a byte stream frames messages in a [Stream] and passes that to
// [NewConn]. The stream may be a [TryWriter], a [MessageLimiter], an [Explainer] and a
// [SlowCloser]. Other transports implement [Conn], and use the parts of the engine:
//
//   - [Dispatcher], one per connection, carries out calls with [Dispatcher.Do],
//     and takes each received message with [Dispatcher.Receive]: responses go to
//     their [PendingCall], everything else to the Handler. [Dispatcher.Fail] and
//     [Dispatcher.Close] end calls, [Dispatcher.Sent] reports other messages that
//     were sent, and [Dispatcher.AcceptBatches] allows batches.
//   - [Features] are what the connection is able to do beyond calls. Explain adds what
//     it knows about the reason to an error.
//   - [Handler] takes what belongs to no call: Dropped what is invalid, Odd what breaks a
//     rule and is used nevertheless, Lost a session or a stream that is gone.
//   - [Parse], [AppendRequest] and [AppendResponse] are the codec.
//   - [Closed], [OutcomeUnknown] and [Malformed] make errors that match the
//     sentinels. [ErrStuck], [ErrNoSession], [ErrSessionInDoubt] and [ErrUnknownID]
//     are errors that only connections return or report.
//
// A transport may use or ignore fields of the [Request]; before a notification it
// calls [Request.Check]. In tests of a transport, [Pipe] is a Stream to a server, and
// [StringID] makes ids for the server's requests.
package jsonrpc
