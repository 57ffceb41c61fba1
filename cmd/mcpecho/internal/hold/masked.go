package hold

import (
	"bytes"
	"net"
	"slices"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// methodMasked is sent before a message that has secrets of the server's settings, with the
// message as a recording may show it. The caller does not know them.
const methodMasked = ownMethods + "masked"

// A maskingConn writes to a caller, and if that records, what it may record.
type maskingConn struct {
	net.Conn
	hide    func(string) string
	records atomic.Bool
}

// Write writes whole messages, as a jsonrpc.Conn does.
func (c *maskingConn) Write(p []byte) (int, error) {
	if !c.records.Load() {
		return c.Conn.Write(p)
	}
	var b []byte
	for line := range bytes.Lines(p) {
		masked, err := recording.MaskJSON(line, c.hide)
		if err != nil {
			masked = []byte(`"` + diag.Mask + `"`)
		}
		if bytes.Contains(masked, []byte(diag.Mask)) {
			b = wire.AppendString(append(b, `{"jsonrpc":"2.0","method":`...), methodMasked)
			b = append(append(append(b, `,"params":`...), masked...), "}\n"...)
		}
		b = append(b, line...)
	}
	if _, err := c.Conn.Write(b); err != nil {
		return 0, err
	}
	return len(p), nil
}

// traceMasked returns a function that traces messages as a recording may show them: those of a
// maskingConn, and questions of the server, which the caller sends to the holder, without params.
func traceMasked(trace func(sent bool, data []byte)) func(sent bool, data []byte) {
	var masked []byte // the next message; only the goroutine that reads uses it
	return func(sent bool, data []byte) {
		switch method := wire.TextOf(data, "method"); {
		case sent && slices.Contains(inputMethods, method):
			trace(sent, []byte(`{"jsonrpc":"2.0","id":`+string(wire.Lookup(data, "id"))+`,"method":"`+method+`"}`))
		case sent:
			trace(sent, data)
		case method == methodMasked:
			masked = bytes.Clone(wire.Lookup(data, "params"))
		case masked != nil:
			trace(sent, masked)
			masked = nil
		default:
			trace(sent, data)
		}
	}
}
