package proxy

import (
	"bytes"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// The keys of _meta that the proxy reads (2026-07-28).
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// codeProxy is the code of the errors with which the proxy responds in place of a
// server that is unable to, and ownPrefix begins their texts.
const (
	codeProxy = -32000
	ownPrefix = "mcpecho proxy: "
)

// parse returns the messages of a line: one, or those of a batch. It leaves out what
// is not a message; of an invalid response it returns only the id.
func parse(line []byte) (messages []jsonrpc.Message) {
	if line = wire.Trim(line); len(line) > 0 && line[0] == '[' {
		r := wire.NewReader(line)
		for r.Array(); r.More(); {
			if m, err := jsonrpc.Parse(r.Raw()); err == nil || !m.ID.IsZero() {
				messages = append(messages, m)
			}
		}
		return messages
	}
	if m, err := jsonrpc.Parse(line); err == nil || !m.ID.IsZero() {
		messages = append(messages, m)
	}
	return messages
}

// version returns the protocol version that a request of the modern era states, or "".
func version(m *jsonrpc.Message) string {
	if !bytes.Contains(m.Params, []byte(metaVersion)) {
		return ""
	}
	return wire.TextOf(m.Params, "_meta", metaVersion)
}

// flat returns a message without line breaks, and without a byte order mark, which clients need
// not read. In JSON line breaks are white space; in other text they become spaces.
func flat(message []byte) []byte {
	message = wire.Trim(bytes.TrimPrefix(message, []byte("\ufeff")))
	if bytes.IndexByte(message, '\n') < 0 && bytes.IndexByte(message, '\r') < 0 {
		return message
	}
	if wire.Valid(message) == nil {
		return wire.AppendLine(nil, message)
	}
	message = bytes.ReplaceAll(message, []byte("\r"), []byte(" "))
	return bytes.ReplaceAll(message, []byte("\n"), []byte(" "))
}

// refusal returns an error response of the proxy.
func refusal(id jsonrpc.ID, code int64, reason string) []byte {
	line := jsonrpc.AppendResponse(nil, id, nil, &jsonrpc.Error{Code: code, Message: ownPrefix + reason})
	return bytes.TrimSuffix(line, []byte("\n"))
}

// isRefusal reports whether refusal has returned a message.
func isRefusal(message []byte) bool {
	if !bytes.Contains(message, []byte(ownPrefix)) {
		return false
	}
	m, _ := jsonrpc.Parse(message)
	return m.Error != nil && strings.HasPrefix(m.Error.Message, ownPrefix)
}

// replace returns a message with another value at a path, if it has one there.
func replace(message []byte, value string, path ...string) []byte {
	from, to := locate(message, path)
	if to == 0 {
		return message
	}
	b := make([]byte, 0, len(message)+len(value))
	return append(append(append(b, message[:from]...), value...), message[to:]...)
}

// locate returns where the value at a path of a JSON text is, or zeros.
func locate(data []byte, path []string) (from, to int) {
	r := wire.NewReader(data)
	if r.Kind() != wire.Object {
		return 0, 0
	}
	for r.Object(); r.More(); {
		found := string(r.Key()) == path[0]
		raw := r.Raw()
		start := r.Offset() - len(raw)
		switch {
		case !found || r.Err() != nil:
		case len(path) == 1:
			return start, start + len(raw)
		default:
			if from, to = locate(raw, path[1:]); to > 0 {
				return start + from, start + to
			}
			return 0, 0
		}
	}
	return 0, 0
}
