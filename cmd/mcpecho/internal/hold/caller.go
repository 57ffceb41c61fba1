package hold

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// The methods between a caller and the holder. MCP has none of them.
const (
	// Kept asks for the notifications that arrived while no caller watched: the holder sends
	// them before it responds.
	Kept = "mcpecho/kept"

	methodAsk    = "mcpecho/ask"    // has the holder answer a request of the server, which a result contained
	methodAsking = "mcpecho/asking" // the holder asks the user a question, or no longer
	methodEnded  = "mcpecho/ended"  // says why the session ends
)

// maxAnswer is the limit for a message of the holder: that of a server's message, and what
// its text may grow by, as some characters are escaped.
const maxAnswer = 160 << 20

// A Transport leads to the holder of a session.
type Transport struct {
	Name   string
	Asking func()        // called when the holder asks the user a question; may be nil
	Tools  config.Filter // of the server's entry; set by Open

	conn atomic.Pointer[callerConn]
}

// Features names the session.
func (t *Transport) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{Name: "@" + t.Name}
}

// Open connects to the holder.
func (t *Transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	s, hello, err := dial(ctx, t.Name, "calls")
	if err != nil {
		return nil, err
	}
	t.Tools = config.Filter{Allow: texts(hello, "allow"), Deny: texts(hello, "deny")}
	c := &callerConn{name: t.Name, key: text(hello, "key")}
	message, resume := h.Message, func() {}
	h.Message = func(conn jsonrpc.Conn, m *jsonrpc.Message) {
		switch m.Method {
		case methodAsking:
			if string(wire.Lookup(m.Params, "now")) != "true" {
				resume()
			} else if h.Pause != nil {
				resume = h.Pause()
				if t.Asking != nil {
					t.Asking()
				}
			}
		case methodEnded:
			c.reason.Store(decodeFailure(m.Params))
		default:
			message(conn, m)
		}
	}
	stream := stdio.Stream(s)
	stream.MaxMessage = maxAnswer
	if c.Conn, err = stream.Open(ctx, h); err != nil {
		return nil, err
	}
	t.conn.Store(c)
	return c, nil
}

// Handlers returns handlers that have the holder answer what a result of the server
// requests.
func (t *Transport) Handlers() []mcp.Handler {
	elicit := func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		params, err := p.MarshalJSON()
		if err != nil {
			return nil, err
		}
		raw, err := t.ask(ctx, "elicitation/create", params)
		res := new(mcp.ElicitResult)
		if err == nil {
			err = res.UnmarshalJSON(raw)
		}
		return res, err
	}
	handlers := []mcp.Handler{mcp.Elicitation{Form: elicit, OpenURL: func(ctx context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
		res, err := elicit(ctx, &mcp.ElicitParams{Mode: "url", Message: r.Message, URL: r.URL, ElicitationID: r.ID})
		if err != nil {
			return "", err
		}
		return res.Action, nil
	}}}
	for _, method := range [...]string{"sampling/createMessage", "roots/list"} {
		handlers = append(handlers, mcp.HandleRequest(method, func(ctx context.Context, params mcp.RawMessage) (any, error) { return t.ask(ctx, method, params) }))
	}
	return handlers
}

func (t *Transport) ask(ctx context.Context, method string, params mcp.RawMessage) (mcp.RawMessage, error) {
	conn := t.conn.Load()
	if conn == nil {
		return nil, jsonrpc.ErrClosed
	}
	b := wire.AppendString(wire.AppendKey([]byte{'{'}, "method"), method)
	if params != nil {
		b = append(wire.AppendKey(b, "params"), params...)
	}
	return conn.Call(ctx, &jsonrpc.Request{Method: methodAsk, Params: append(b, '}'), Cancel: cancelRequest})
}

func cancelRequest(id jsonrpc.ID) *jsonrpc.Request {
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: mcp.RawMessage(`{"requestId":` + id.String() + "}")}
}

// A callerConn is the connection of a caller.
type callerConn struct {
	jsonrpc.Conn
	name, key string
	reason    atomic.Pointer[failure.Error] // why the session has ended; nil if the holder did not say
}

func (c *callerConn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	raw, err := c.Conn.Call(ctx, req)
	if err != nil {
		err = c.explain(err)
	}
	return raw, err
}

func (c *callerConn) Err() error { return c.explain(c.Conn.Err()) }

// explain returns the holder's own error, and the reason why the session has ended.
func (c *callerConn) explain(err error) error {
	var answer *jsonrpc.Error
	switch reason := c.reason.Load(); {
	case errors.As(err, &answer) && answer.Message == c.key:
		return decodeFailure(answer.Data)
	case answer != nil, !errors.Is(err, jsonrpc.ErrClosed), err == jsonrpc.ErrClosed: // which the caller has closed
		return err
	case reason == nil:
		return ended(c.name, "its process was killed", err)
	default:
		f := *reason
		f.Err = err
		return &f
	}
}

// encodeFailure returns a failure as JSON.
func encodeFailure(f *failure.Error) []byte {
	b := wire.AppendInt(wire.AppendKey([]byte{'{'}, "status"), int64(f.Status))
	return append(append(b, ','), f.AppendJSON(nil)[1:]...)
}

// decodeFailure returns the failure that encodeFailure has encoded.
func decodeFailure(data []byte) *failure.Error {
	f := &failure.Error{Kind: text(data, "error", "kind"), Message: text(data, "error", "message"), Hint: text(data, "error", "hint")}
	f.Status, _ = strconv.Atoi(string(wire.Lookup(data, "status")))
	f.Code, _ = strconv.ParseInt(string(wire.Lookup(data, "error", "code")), 10, 64)
	f.Data = wire.Lookup(data, "error", "data")
	return f
}

// texts returns the strings of a list of an object; nil without the list.
func texts(object []byte, key string) (list []string) {
	r := wire.NewReader(wire.Lookup(object, key))
	if r.Kind() != wire.Array {
		return nil
	}
	list = []string{}
	for r.Array(); r.More(); {
		list = append(list, r.String())
	}
	return list
}
