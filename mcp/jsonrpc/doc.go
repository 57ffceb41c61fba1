// Package jsonrpc speaks JSON-RPC 2.0 over any stream of messages. It knows
// neither MCP nor any transport: those stand on it.
//
// # Messages and ids
//
// [Parse] reads one message and says what it is: a request has a method and an
// id, a notification a method only, an answer no method. Params, results and
// error data stay as the peer wrote them, byte for byte, in the memory that
// was read: numbers keep their digits, objects the order of their keys.
//
// Reading is strict where a tolerant reader could be led to see what others
// don't: a key counts only when it is spelled exactly so, none may occur twice
// in the envelope, text must be valid UTF-8, and nesting ends at 128 levels.
// It is tolerant where servers are known to stray without harm: an error may
// be a string, null beside a result, or come without an id.
//
// An [ID] is kept as it was received, so that 1, 1.0 and "1" differ and go
// back as they came. Ids that are sent are 1, 2, 3 and so on, up to 2^31-1 and
// then from 1 again, without those that are still in use: some servers keep
// ids in 32 bits. Some send every id back as a string, or as a float: an
// answer to "1" or 1.0 is taken as one to the call 1, if that is pending. An
// error with the id null goes to the only pending call, if there is just one.
//
// # Connections
//
// A [Conn] carries calls, not messages: [Conn.Call] sends a request and
// returns its answer, and everything that may happen in between concerns that
// call alone. [NewConn] makes a connection of a [Stream]; transports for which
// a call is something else, such as an HTTP exchange, implement Conn
// themselves. All of them match answers to calls with a [Table].
//
// A call is in the table before its request is sent, and every way out removes
// it: the answer, the end of its context, the end of the connection. When the
// context ends, the notification that [Request].Cancel returns is sent beside,
// and the caller doesn't wait for that. An answer that comes later finds no
// call and goes to [Handler].Dropped.
//
// An answer that cannot be used fails the call that it was meant for, as far
// as that can be made out, instead of letting it wait.
//
// [Pipe] is a stream in memory, for servers in the same process and for tests.
//
// # Limits
//
//   - How long a message may be is for the Stream to say, with [ErrTooLarge].
//   - What waits to be sent is bounded: beyond 1 MiB senders wait, no longer
//     than their context.
//   - A batch, where batches are accepted at all, holds at most 1000 messages.
//   - A [Queue] holds as many functions as it was told.
//   - [Conn.Close] gives what is still to be sent 50 ms, and the stream six
//     seconds to let go.
//
// How many calls are pending is for the callers to bound.
//
// # Errors
//
// What the peer answers is an [*Error], found with errors.As. What goes wrong
// on this side never is one, and matches one of the sentinels with errors.Is:
// [ErrClosed], beside what ended the connection; [ErrOutcomeUnknown] too, when
// the request may have reached the peer; [ErrMalformed] and [ErrTooLarge]. The
// end of a context is reported as its cause.
//
// # Concurrency
//
// A connection has two goroutines. One reads, hands answers to their calls,
// and calls the [Handler]: so a handler must return without waiting, and gives
// work to a Queue or a goroutine of its own. While it runs, no answer arrives.
// The other goroutine writes. Callers only add to what it is to write, so a
// peer that doesn't read holds back neither a caller whose context ends nor
// Close; and what several callers add while one write is under way goes out
// together in the next. A call that is alone writes its request itself, if the
// stream is a [TryWriter], as far as that takes no waiting.
//
// No lock that anybody waits for is held while a stream, a handler or any other
// function of the caller runs. All methods of Conn, Table and Queue may be used by several
// goroutines at once, and Close may be called often. When it has returned nil,
// nothing of the connection is left.
package jsonrpc
