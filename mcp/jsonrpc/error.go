package jsonrpc

import (
	"errors"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
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

// Sentinel errors. They describe the local side; an error that the peer sent
// never matches one of them.
var (
	// ErrClosed is matched by errors of a connection that either side has
	// closed.
	ErrClosed = errors.New("connection closed")

	// ErrOutcomeUnknown is matched by the error of a call that was pending when
	// its connection ended. The peer may have executed it.
	ErrOutcomeUnknown = errors.New("outcome unknown")

	// ErrNoSession is matched by the error of a call that the peer rejected,
	// without executing it, because the peer does not know the session.
	ErrNoSession = errors.New("session lost")

	// ErrSessionInDoubt is matched by the error of a call that the peer
	// rejected, without executing it, for a reason that may be an unknown
	// session. Another request in the session shows whether it is.
	ErrSessionInDoubt = errors.New("session in doubt")

	// ErrTooLarge is matched by the error for a message that exceeds the limit
	// of the connection.
	ErrTooLarge = errors.New("message too large")

	// ErrMalformed is matched by the error for a message that is not valid
	// JSON-RPC.
	ErrMalformed = errors.New("malformed message")

	// ErrStuck is the error of Conn.Close if the stream, a request or a handler
	// has not returned within a few seconds.
	ErrStuck = errors.New("the connection is closed, but its stream, a request or a handler has not returned")

	// ErrUnknownID is the reason that Handler.Dropped receives for a response
	// that matches no pending call: it is late, a duplicate, or has an unknown
	// id.
	ErrUnknownID = errors.New("response to no pending call")
)

// An Error is the error of a response, received or to be sent.
type Error struct {
	Code    int64
	Message string
	Data    RawMessage // nil if there is none
}

// Error returns the message with the code, unless the message has it.
func (e *Error) Error() string {
	msg := e.Message
	if msg == "" {
		msg = "error without a message"
	}
	code := strconv.FormatInt(e.Code, 10)
	if e.Code == 0 || strings.Contains(msg, " error "+code+":") { // servers of the TypeScript SDK repeat the code
		return msg
	}
	return msg + " (code " + code + ")"
}

// MarshalJSON returns a JSON-RPC error object.
func (e Error) MarshalJSON() ([]byte, error) { return e.append(nil), nil }

// UnmarshalJSON reads a JSON-RPC error object, or a string, which it takes as the
// message.
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

// readError reads an error object. Some servers send a string, which is the message, and
// some a text as the code.
func readError(r *wire.Reader) *Error {
	e := new(Error)
	if r.Kind() == wire.String {
		r.Note("an error that is a string")
		e.Message = r.String()
		return e
	}
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "code":
			if r.Kind() == wire.String {
				r.Note("a code of an error that is a string")
				e.Code, _ = strconv.ParseInt(r.String(), 10, 64)
			} else if !r.Null() {
				e.Code = r.Int()
			}
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

// Closed returns an error that matches ErrClosed and cause, for a connection
// that cause ended. If cause is nil or matches ErrClosed, Closed adds nothing.
func Closed(cause error) error {
	if errors.Is(cause, ErrClosed) {
		return cause
	}
	return kindError(ErrClosed, ErrClosed.Error()+": ", cause)
}

// Malformed returns an error that matches ErrMalformed and cause, for a message
// that is invalid because of cause. If cause is nil, Malformed adds nothing.
func Malformed(cause error) error {
	return kindError(ErrMalformed, ErrMalformed.Error()+": ", cause)
}

// OutcomeUnknown returns an error with the text of cause that matches
// ErrOutcomeUnknown and cause, for a request that was sent and has no response
// because of cause. If cause is nil, OutcomeUnknown adds nothing.
func OutcomeUnknown(cause error) error { return kindError(ErrOutcomeUnknown, "", cause) }

// kindError returns cause, with text in front, as an error that also matches kind, a
// sentinel of this package.
func kindError(kind error, text string, cause error) error {
	if cause == nil {
		return kind
	}
	return diag.Error(text+cause.Error(), kind, cause)
}
