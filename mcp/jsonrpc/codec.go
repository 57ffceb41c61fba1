package jsonrpc

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// Parse reads one message. The Message shares memory with data, unless data has escapes
// of lone surrogates, which JavaScript writes for a text that was cut in the middle of
// a character: the Message has U+FFFD in their place.
//
// The error matches ErrMalformed. If data appears to be a response, the Message
// contains its id nevertheless, or null if the id is unreadable, so that its
// call can fail. If data appears to be a line of a log, or a request of the
// peer, which has ids of its own, the Message is empty.
func Parse(data []byte) (Message, error) {
	m, _, err := parse(data)
	return m, err
}

// parse is Parse that also returns what the message breaks that was read nevertheless.
func parse(data []byte) (m Message, odd string, err error) {
	r := wire.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))
	r.Mend()
	var version, hasMethod bool
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "jsonrpc":
			version = r.Kind() == wire.String && string(r.Bytes()) == "2.0"
			if !version {
				r.Fail(errVersion)
			}
		case "id":
			m.ID = readID(&r)
		case "method":
			if hasMethod = !null(&r); hasMethod { // some servers write all members
				m.Method = r.String()
			}
		case "params":
			if !null(&r) {
				m.Params = r.Raw()
			}
		case "result":
			m.Result = r.Raw()
		case "error":
			// Some servers write null beside a result.
			if !null(&r) {
				m.Error = readError(&r)
			}
		default:
			r.Skip()
		}
	}
	if m.Error != nil && string(m.Result) == "null" {
		m.Result = nil
		r.Note(nullMember)
	}
	err = r.Err()
	switch {
	case err != nil:
	case !version:
		err = errVersion
	case hasMethod && m.Method == "":
		err = errNoMethod
	case hasMethod && m.ID == nullID:
		err = errNullID
	case hasMethod:
		m.Result, m.Error = nil, nil
	case m.Result != nil && m.Error != nil:
		err = errBoth
	case m.Result == nil && m.Error == nil:
		err = errNeither
	case m.ID.IsZero() && m.Error == nil:
		err = errNoID
	case m.ID.IsZero():
		m.ID = nullID // the id of an error may be absent
	}
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return Message{ID: recoverID(data)}, "", Malformed(err)
	}
	return m, r.Odd(), nil
}

const nullMember = "a member of a message that is null"

// null reads a null in place of an absent member.
func null(r *wire.Reader) bool {
	if !r.Null() {
		return false
	}
	r.Note(nullMember)
	return true
}

// Reasons why a JSON object is not a message.
var (
	errVersion  = diag.Message(`"jsonrpc" is not "2.0"`)
	errNoMethod = diag.Message("the method is empty")
	errNullID   = diag.Message("a request with the id null")
	errBoth     = diag.Message("a response with a result and an error")
	errNeither  = diag.Message("neither a method nor a result nor an error")
	errNoID     = diag.Message("a result without an id")
)

// recoverID returns the id of a malformed response: null if the id is
// unreadable, and the zero ID if data does not appear to be a response.
func recoverID(data []byte) (id ID) {
	r := wire.NewReader(data)
	r.Lax()
	var version, response bool
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
			response = true
		}
		r.Skip()
	}
	switch {
	case !id.IsZero() && (response || version):
		return id
	case response && (version || r.Err() != nil):
		return nullID
	}
	return ID{} // other JSON, such as a log record with "error" and "id"
}

// frame is about the size of a message without what it holds.
const frame = 80

func (r *Request) size() int { return len(r.Method) + len(r.Params) + frame }

// AppendRequest appends req and a line feed to b: a request with the given id,
// or a notification if id is zero. It appends nothing if req is nil.
func AppendRequest(b []byte, id ID, req *Request) []byte {
	if req == nil {
		return b
	}
	b = wire.Grow(b, req.size())
	start := len(b)
	b = append(b, `{"jsonrpc":"2.0"`...)
	if !id.IsZero() {
		b = id.append(append(b, `,"id":`...))
	}
	b = wire.AppendString(append(b, `,"method":`...), req.Method)
	if len(req.Params) > 0 {
		b = wire.AppendLine(append(b, `,"params":`...), req.Params)
	}
	return oneLine(append(b, '}', '\n'), start)
}

// AppendResponse appends the response to the peer's request id, and a line feed,
// to b: err unless it is nil, and result otherwise.
func AppendResponse(b []byte, id ID, result RawMessage, err *Error) []byte {
	b = wire.Grow(b, len(result)+frame)
	start := len(b)
	b = id.append(append(b, `{"jsonrpc":"2.0","id":`...))
	if err != nil {
		b = err.append(append(b, `,"error":`...))
	} else if len(result) > 0 {
		b = wire.AppendLine(append(b, `,"result":`...), result)
	} else {
		b = append(b, `,"result":{}`...)
	}
	return oneLine(append(b, '}', '\n'), start)
}

// oneLine escapes U+2028, U+2029 and U+0085 in the message at b[start:], which may hold
// them in strings only: JSON does not count them as line breaks, but the readers of some
// servers split lines there.
func oneLine(b []byte, start int) []byte {
	if bytes.IndexByte(b[start:], 0xC2) < 0 && bytes.IndexByte(b[start:], 0xE2) < 0 { // in UTF-8
		return b
	}
	text, from := string(b[start:]), 0
	for i, c := range text {
		if c == '\u0085' || c == '\u2028' || c == '\u2029' {
			if from == 0 {
				b = b[:start]
			}
			b = append(append(b, text[from:i]...), `\u`...)
			b = append(b, strconv.FormatInt(int64(c)+0x10000, 16)[1:]...)
			from = i + utf8.RuneLen(c)
		}
	}
	if from == 0 {
		return b
	}
	return append(b, text[from:]...)
}
