package jsonrpc

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// A Conn is an open connection to a peer. It carries calls: a failure affects one
// call only, unless the connection itself ends.
//
// All methods may be used concurrently.
type Conn interface {
	// Call sends a request and waits for its response. If ctx ends first, Call
	// sends the notification from req.Cancel and returns the cause.
	//
	// The error is an *Error if the peer returned one. It matches ErrClosed if
	// the connection ended before the response, and ErrMalformed or ErrTooLarge
	// if the response was invalid.
	Call(ctx context.Context, req *Request) (RawMessage, error)

	// Notify queues a notification. It waits until the write queue has room or
	// ctx ends, and does not wait for the peer.
	Notify(ctx context.Context, req *Request) error

	// Reply responds to the peer's request id: with err unless it is nil, and
	// with result otherwise.
	Reply(ctx context.Context, id ID, result RawMessage, err *Error) error

	// Features returns what the connection is able to do beyond these methods:
	// always the same pointer, never nil, to what does not change once Open has
	// returned.
	Features() *Features

	// Done returns a channel that is closed when the connection has ended,
	// through Close or otherwise.
	Done() <-chan struct{}

	// Err returns nil while the connection is open, and then the error that
	// ended it, which matches ErrClosed.
	Err() error

	// Close ends the connection, fails pending calls with ErrClosed, and returns
	// when all resources are released. It may be called more than once. It
	// returns ErrStuck if something has not ended within a few seconds, or
	// within the time of a SlowCloser.
	Close() error
}

// A Request is a call or a notification to be sent.
type Request struct {
	Method string // must not be empty

	// Params is one valid JSON object, or nil. The connection does not use it
	// after Call or Notify has returned.
	Params RawMessage

	// Cancel returns the notification that cancels the call with the given id.
	// Only connections that have no other way to cancel a call use it. If
	// Cancel is nil, or returns nil, they send nothing.
	Cancel func(ID) *Request

	// Timeout, if positive, limits the call in addition to ctx. When it
	// expires, Call returns TimeoutErr, or context.DeadlineExceeded if that is
	// nil.
	Timeout    time.Duration
	TimeoutErr error

	// Started, if not nil, is called with the call's id before it is sent.
	Started func(ID)

	// HTTP describes the request to HTTP transports. Others ignore it.
	HTTP HTTP
}

// Check returns an error if the request is nil or has no method. A [Conn] calls
// it first.
func (r *Request) Check() error {
	switch {
	case r == nil:
		return errNilRequest
	case r.Method == "":
		return errNoRequestMethod
	}
	return nil
}

const (
	errNilRequest      = diag.Message("the *Request is nil")
	errNoRequestMethod = diag.Message("the Request has no method")
)

// HTTP is what an HTTP transport knows about a request beyond its message. Package mcp
// sets it.
type HTTP struct {
	// ProtocolVersion is the protocol version for the header of an HTTP
	// request. It is empty before the handshake.
	ProtocolVersion string

	// Session is the request's relation to a session of the server.
	Session Session

	// Repeatable reports that the peer may receive the request twice without
	// harm. The transport may then send it again when its connection breaks.
	Repeatable bool

	// Name is the name of the tool or prompt, or the URI of the resource. HTTP
	// transports repeat it in a header if Session is NoSession.
	Name string

	// Binding is the tool name that an earlier BindArguments of the connection
	// associated with the arguments to repeat in headers (see [Features]). It is
	// empty for requests without arguments.
	Binding string

	// Header holds additional header fields for the HTTP requests that send the
	// message (see mcp.ToolCall). The connection does not change it.
	Header map[string][]string `json:"-"`
}

// Session is the relation of a request to a session that the server keeps.
type Session uint8

const (
	// NoSession is a request outside of any session: headers describe it, and
	// closing its response cancels it.
	NoSession Session = iota

	// OpensSession is the request whose response opens a session.
	OpensSession

	// BeginsSession is the notification that completes the handshake of a
	// session.
	BeginsSession

	// InSession is a request in the open session.
	InSession
)

// A Handler receives everything from the peer except responses. Any of its
// functions may be nil.
//
// A connection calls the functions on the goroutine that reads, so they must not
// wait for anything; Conn.Call and Conn.Close wait. A connection that reads
// several streams calls them concurrently. After Conn.Close has returned nil, it
// calls none.
type Handler struct {
	// Message is called for each request and notification of the peer, in order
	// of arrival, with the connection that received it. The program responds to a
	// request with Conn.Reply of that connection, or of one around it.
	Message func(Conn, *Message)

	// Dropped is called for received data that is invalid. data may be
	// truncated; the function must not keep it.
	Dropped func(reason error, data []byte)

	// Odd is called for received data that breaks a rule, and that the connection
	// uses nevertheless because nothing can come of it, such as a text with an
	// escape of half a character. data is as for Dropped.
	Odd func(reason error, data []byte)

	// Trace is called for each message that is sent or received: in order in
	// each direction, and for a call before its response. It must be safe for
	// concurrent use, as the goroutine that writes calls it too. It must not keep
	// data.
	Trace func(sent bool, data []byte)

	// Reconnect is called when a stream of the connection has ended with err,
	// before the connection waits for the given time and opens it again.
	Reconnect func(err error, wait time.Duration)

	// Lost is called when the connection has lost something between calls. If err
	// matches ErrNoSession, that is the session, and if it matches
	// ErrSessionInDoubt, maybe the session: as after a call with this error, the
	// client opens another session, in the latter case only if a ping in the old
	// one fails. After any other error, the connection receives only responses
	// and what belongs to calls, until a session begins: it does not open the
	// stream again that brings changes, log messages and requests of the peer.
	Lost func(err error)

	// Pause is called when the user logs in for a request of the connection, and
	// resume, unless it is nil, after that. The time between them should not count
	// for timeouts. A second call of resume has no effect.
	Pause func() (resume func())

	// Panic is called with the value and the stack when a function of the
	// program, such as a RoundTripper or a method of a stream, has panicked on
	// a goroutine of the connection. The panic ends the work of that goroutine.
	Panic func(value any, stack []byte)
}
