package jsonrpc

import (
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Message is a request, a notification or an answer, as it was received.
type Message struct {
	ID     ID     // zero for a notification
	Method string // empty for an answer
	Params RawMessage
	Result RawMessage
	Error  *Error
}

// IsRequest reports whether the message is to be answered.
func (m *Message) IsRequest() bool { return m.Method != "" && !m.ID.IsZero() }

// isAnswer reports whether the message answers a call.
func (m *Message) isAnswer() bool { return m.Method == "" }

// Parse reads one message. What it returns shares memory with data.
//
// The error matches ErrMalformed. The id is filled in all the same when the
// message seems to answer a call, with null when only that could be made out,
// so that the call can be failed. It is not when data looks like a request of
// the peer, whose ids are its own, or like a line of a log.
func Parse(data []byte) (Message, error) {
	r := wire.NewReader(data)
	m, err := parse(&r)
	if err == nil {
		err = r.End()
	}
	if err == nil {
		return m, nil
	}
	return Message{ID: salvageID(data)}, &malformedError{err}
}

func parse(r *wire.Reader) (m Message, err error) {
	var version, hasMethod bool
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "jsonrpc":
			version = r.Kind() == wire.String && string(r.Bytes()) == "2.0"
			if !version {
				r.Fail(errVersion)
			}
		case "id":
			m.ID = readID(r)
		case "method":
			m.Method, hasMethod = r.String(), true
		case "params":
			m.Params = r.Raw()
		case "result":
			m.Result = r.Raw()
		case "error":
			// Null is what some servers write beside a result.
			if !r.Null() {
				m.Error = readError(r)
			}
		default:
			r.Skip()
		}
	}
	if m.Error != nil && string(m.Result) == "null" {
		m.Result = nil
	}
	switch {
	case r.Err() != nil:
		return m, r.Err()
	case !version:
		return m, errVersion
	case hasMethod && m.Method == "":
		return m, errNoMethod
	case hasMethod && m.ID == nullID:
		return m, errNullID
	case hasMethod:
		m.Result, m.Error = nil, nil
	case m.Result != nil && m.Error != nil:
		return m, errBoth
	case m.Result == nil && m.Error == nil:
		return m, errNeither
	case m.ID.IsZero() && m.Error == nil:
		return m, errNoID
	case m.ID.IsZero():
		m.ID = nullID // the id of an error may be absent
	}
	return m, nil
}

// What makes a JSON object no message.
var (
	errVersion  = malformed(`"jsonrpc" is not "2.0"`)
	errNoMethod = malformed("the method is empty")
	errNullID   = malformed("a request with the id null")
	errBoth     = malformed("an answer with a result and an error")
	errNeither  = malformed("neither a method nor a result nor an error")
	errNoID     = malformed("a result without an id")
)

type malformed string

func (e malformed) Error() string { return string(e) }

// A malformedError is a message that cannot be used, and why.
type malformedError struct{ cause error }

func (e *malformedError) Error() string        { return ErrMalformed.Error() + ": " + e.cause.Error() }
func (e *malformedError) Is(target error) bool { return target == ErrMalformed }
func (e *malformedError) Unwrap() error        { return e.cause }

// salvageID returns the id of an answer that cannot be used: null when no id
// can be read, and the zero ID when it doesn't look like an answer.
func salvageID(data []byte) (id ID) {
	r := wire.NewReader(data)
	r.Lax()
	var version, answer bool
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "jsonrpc":
			version = true
		case "id":
			if k := r.Kind(); k == wire.Number || k == wire.String {
				if v := readID(&r); r.Err() == nil {
					id = v
				}
				continue
			}
		case "method", "params":
			if !r.Null() {
				return ID{}
			}
			continue
		case "result", "error":
			answer = true
		}
		r.Skip()
	}
	switch {
	case !id.IsZero() && (answer || version):
		return id
	case answer && (version || r.Err() != nil):
		return nullID
	}
	return ID{} // some other JSON: servers write logs with "error" and "id" in them
}

// grow is slices.Grow, out of line because it is long.
//
//go:noinline
func grow(b []byte, n int) []byte { return slices.Grow(b, n) }

// AppendRequest appends a call, or a notification when id is zero, and the
// line break that ends every message.
func AppendRequest(b []byte, id ID, req *Request) []byte {
	b = grow(b, len(req.Method)+len(req.Params)+80)
	b = append(b, `{"jsonrpc":"2.0"`...)
	if !id.IsZero() {
		b = id.append(append(b, `,"id":`...))
	}
	b = wire.AppendString(append(b, `,"method":`...), req.Method)
	if len(req.Params) > 0 {
		b = wire.AppendLine(append(b, `,"params":`...), req.Params)
	}
	return append(b, '}', '\n')
}

// AppendResponse appends the answer to the peer's request id.
func AppendResponse(b []byte, id ID, result RawMessage, err *Error) []byte {
	b = grow(b, len(result)+80)
	b = id.append(append(b, `{"jsonrpc":"2.0","id":`...))
	if err != nil {
		b = err.append(append(b, `,"error":`...))
	} else if len(result) > 0 {
		b = wire.AppendLine(append(b, `,"result":`...), result)
	} else {
		b = append(b, `,"result":{}`...)
	}
	return append(b, '}', '\n')
}
