package jsonrpc

import (
	"context"
	"time"
)

// A Conn is an open connection to a peer. It carries calls: what happens to
// one of them concerns that call alone, unless the connection itself ends.
//
// All methods may be used concurrently.
type Conn interface {
	// Call sends a request and waits for its answer. When ctx ends first, the
	// call is withdrawn as req.Cancel says and Call returns the cause.
	//
	// The error is an *Error when the peer answered with one. It matches
	// ErrClosed when the connection ended before the answer came, ErrMalformed
	// or ErrTooLarge when the answer could not be used.
	Call(ctx context.Context, req *Request) (RawMessage, error)

	// Notify sends a notification. It waits, no longer than ctx, for room in
	// what is to be sent, not for the peer.
	Notify(ctx context.Context, req *Request) error

	// Reply answers the peer's request id: with an error unless err is nil,
	// else with result.
	Reply(ctx context.Context, id ID, result RawMessage, err *Error) error

	// Done is closed when the connection has ended, by Close or by itself.
	Done() <-chan struct{}

	// Err returns what ended the connection, matching ErrClosed, or nil while
	// it is open.
	Err() error

	// Close ends the connection, fails what is pending with ErrClosed, and
	// returns when nothing of it is left. It may be called more than once. An
	// error says that something could not be ended in a few seconds.
	Close() error
}

// A Request is a call or a notification to be sent.
type Request struct {
	Method string

	// Params is one valid JSON object, or nil. It is not used any more when
	// Call or Notify has returned.
	Params RawMessage

	// Cancel returns the notification that withdraws the call with the given
	// id. It is used by connections that have no other way to withdraw a call.
	// Without it, or when it returns nil, nothing is sent.
	Cancel func(ID) *Request

	// Timeout bounds the call when it is positive, as ctx does, and TimeoutErr is what
	// Call returns then.
	Timeout    time.Duration
	TimeoutErr error

	// Started is called, when set, with the call's id before it is sent.
	Started func(ID)

	// The fields below are for HTTP transports. Others ignore them.

	// ProtocolVersion is the version that a header states. It is empty until
	// the peers have agreed on one.
	ProtocolVersion string

	// Session is the request's relation to a session of the server.
	Session Session

	// Name is what the request is about, such as a tool or a resource. A header
	// repeats it if the request stands alone.
	Name string

	// Binding is the name under which a connection was told, before, which
	// arguments to repeat in headers. It is empty for requests without arguments.
	Binding string

	// Repeatable reports that the peer may receive the request twice without
	// harm. The transport may then send it again when its connection breaks.
	Repeatable bool
}

// Session is the relation of a request to a session that the server keeps.
type Session uint8

const (
	// NoSession is a request that stands alone: headers describe it, and closing
	// its response cancels it.
	NoSession Session = iota

	// OpensSession is the request whose response opens a session.
	OpensSession

	// BeginsSession is the notification after which the session is in use. It
	// states the version that the peers have agreed on.
	BeginsSession

	// InSession is a request in the session that is in use.
	InSession
)

// A Handler is what a connection calls for everything that is no answer.
// Functions that are nil are not called.
//
// They are called on the goroutine that reads, so they must return without
// waiting for anything, which Conn.Call and Conn.Close do; a [Queue] takes
// what needs more. A connection that reads several streams calls them
// concurrently. None is called any more when Conn.Close has returned nil.
type Handler struct {
	// Message is called for each request and notification of the peer, in the
	// order in which they come. A request is to be answered with Conn.Reply.
	Message func(Conn, *Message)

	// Dropped is called for what was received and could not be used. data may
	// be cut and must not be kept.
	Dropped func(reason error, data []byte)

	// Trace is called for each message that is sent or received: in the order
	// of each direction, and for a call before its answer. The goroutine that
	// writes calls it too, so it must be safe for concurrent use. It must not
	// keep data.
	Trace func(sent bool, data []byte)
}
