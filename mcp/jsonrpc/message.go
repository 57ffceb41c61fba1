package jsonrpc

// A Message is a request, a notification or a response, as it was received.
type Message struct {
	ID     ID     // zero for a notification
	Method string // empty for a response
	Params RawMessage
	Result RawMessage
	Error  *Error

	// Call is the call on whose own stream the message arrived, over HTTP. It is
	// zero if calls share the stream.
	Call ID
}

// IsRequest reports whether the message expects a response.
func (m *Message) IsRequest() bool { return m.Method != "" && !m.ID.IsZero() }
