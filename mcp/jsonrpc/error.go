package jsonrpc

import (
	"errors"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// The error codes of JSON-RPC 2.0, section 5.1.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// Errors of this side. Nothing that a peer sends is turned into one of them,
// and none of them is ever sent.
var (
	// ErrClosed is matched by the errors of calls on a connection that was
	// closed, by either side.
	ErrClosed = errors.New("connection closed")

	// ErrOutcomeUnknown is matched, beside ErrClosed, by the error of a call
	// that was pending when the connection ended: the peer may have done what
	// it was asked for, or not.
	ErrOutcomeUnknown = errors.New("outcome unknown")

	// ErrNoSession is matched by the error of a call that was refused because
	// the peer doesn't know the session any more, and so did nothing.
	ErrNoSession = errors.New("session lost")

	// ErrTooLarge is matched when a message is longer than the connection
	// takes.
	ErrTooLarge = errors.New("message too large")

	// ErrMalformed is matched when an answer is no valid JSON-RPC response.
	ErrMalformed = errors.New("malformed message")

	// ErrStuck is what Conn.Close returns when the stream, a request or a
	// handler has not returned within a few seconds.
	ErrStuck = errors.New("the connection is closed, but its stream, a request or a handler has not returned")

	// ErrUnknownID is given to Handler.Dropped for an answer that no pending
	// call waits for: a late one, a second one, or one that nobody asked for.
	ErrUnknownID = errors.New("answer to no pending call")
)

// An Error is an error answer: one that a peer sent, or one to be sent.
type Error struct {
	Code    int64
	Message string
	Data    RawMessage // nil when there is none
}

func (e *Error) Error() string {
	msg := e.Message
	if msg == "" {
		msg = "error without a message"
	}
	if e.Code == 0 {
		return msg
	}
	return msg + " (code " + strconv.FormatInt(e.Code, 10) + ")"
}

// MarshalJSON returns the error object of JSON-RPC.
func (e *Error) MarshalJSON() ([]byte, error) { return e.append(nil), nil }

// UnmarshalJSON reads an error object of JSON-RPC, or a string that stands for
// one.
func (e *Error) UnmarshalJSON(data []byte) error {
	r := wire.NewReader(append([]byte(nil), data...))
	v := readError(&r)
	if err := r.End(); err != nil {
		return err
	}
	*e = *v
	return nil
}

func (e *Error) append(b []byte) []byte {
	b = append(b, '{')
	b = wire.AppendInt(wire.AppendKey(b, "code"), e.Code)
	b = wire.AppendString(wire.AppendKey(b, "message"), e.Message)
	if len(e.Data) > 0 {
		b = wire.AppendLine(wire.AppendKey(b, "data"), e.Data)
	}
	return append(b, '}')
}

// readError reads an error object. Servers exist that send a bare string,
// which is taken as the message.
func readError(r *wire.Reader) *Error {
	e := new(Error)
	if r.Kind() == wire.String {
		e.Message = r.String()
		return e
	}
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "code":
			e.Code = r.Int()
		case "message":
			if !r.Null() {
				e.Message = r.String()
			}
		case "data":
			e.Data = r.Raw()
		default:
			r.Skip()
		}
	}
	return e
}

// closedError is the end of a connection, with what ended it.
type closedError struct{ cause error }

// Closed returns an error that matches both ErrClosed and cause. Without a
// cause it is ErrClosed.
func Closed(cause error) error {
	if cause == nil {
		return ErrClosed
	}
	if errors.Is(cause, ErrClosed) {
		return cause
	}
	return &closedError{cause}
}

func (e *closedError) Error() string        { return ErrClosed.Error() + ": " + e.cause.Error() }
func (e *closedError) Is(target error) bool { return target == ErrClosed }
func (e *closedError) Unwrap() error        { return e.cause }

// Lost returns an error for a call that was sent and gets no answer any more,
// because of cause. It matches ErrClosed and ErrOutcomeUnknown.
func Lost(cause error) error { return &unanswered{Closed(cause)} }

// Malformed returns an error that matches ErrMalformed and cause.
func Malformed(cause error) error { return &malformedError{cause} }

// unanswered is the end of a call that was pending when the connection ended.
type unanswered struct{ cause error }

func (e *unanswered) Error() string        { return e.cause.Error() }
func (e *unanswered) Is(target error) bool { return target == ErrOutcomeUnknown }
func (e *unanswered) Unwrap() error        { return e.cause }
