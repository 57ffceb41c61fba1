package proxy

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// eras follows the negotiation of a session, which the proxy does not change, to say
// why it failed: a client of one era cannot use a server of only the other one.
type eras struct {
	mu      lock.Mutex            // guards what follows
	opening map[jsonrpc.ID]string // the methods of requests without a response
	client  []string              // the protocol versions that the client has asked for
	server  string                // what the server has said of its own
	agreed  bool
}

// modernVersion is the first protocol version without sessions.
const modernVersion = "2026-07-28"

// request notes a request of the client.
func (e *eras) request(m *jsonrpc.Message) {
	if m.Method != "initialize" && m.Method != "server/discover" {
		return
	}
	v := version(m)
	if m.Method == "initialize" {
		v = wire.TextOf(m.Params, "protocolVersion")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.agreed || v == "" || len(v) > 100 || len(m.ID.String()) > maxID || len(e.client) > 10 {
		return
	}
	if e.opening == nil {
		e.opening = make(map[jsonrpc.ID]string)
	}
	e.opening[m.ID] = m.Method
	e.client = append(e.client, v)
}

// response notes a response of the server.
func (e *eras) response(m *jsonrpc.Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	method, ok := e.opening[m.ID]
	if !ok {
		return
	}
	delete(e.opening, m.ID)
	if e.agreed = e.agreed || m.Result != nil; m.Error == nil {
		return
	}
	var supported []string
	r := wire.NewReader(wire.Lookup(m.Error.Data, "supported"))
	if r.Kind() == wire.Array {
		for r.Array(); r.More(); {
			if v := wire.TextOf(r.Raw()); len(v) < 20 && len(supported) < 20 {
				supported = append(supported, v)
			}
		}
	}
	switch {
	case len(supported) > 0:
		e.server = strings.Join(supported, ", ") + " only"
	case m.Error.Code != jsonrpc.CodeMethodNotFound && m.Error.Code != jsonrpc.CodeInvalidRequest:
	case method == "initialize":
		e.server = modernVersion + " or later only"
	default:
		e.server = "versions before " + modernVersion + " only"
	}
}

// mismatch returns why the negotiation has failed, or "" if it has not.
func (e *eras) mismatch() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.agreed || e.server == "" || len(e.opening) > 0 {
		return ""
	}
	return "this server speaks " + e.server + ", the client " + strings.Join(e.client, ", ")
}
