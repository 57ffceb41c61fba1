package hold

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
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
	Kept = ownMethods + "kept"

	methodHello   = ownMethods + "hello"   // is the first request
	methodRelease = ownMethods + "release" // is that of all versions of mcpecho; the holder ends before it responds
	methodAsk     = ownMethods + "ask"     // has the holder answer a request of the server, which a result contained
	methodAsking  = ownMethods + "asking"  // a question of the server is open, or no longer
	ownMethods    = "mcpecho/"
)

// codeOwn is the code of the holder's own errors, whose data is a failure.
const codeOwn = 1

// maxAnswer is the limit for a message of the holder: that of a server's message, and what
// its text may grow by, as some characters are escaped.
const maxAnswer = 160 << 20

// A Transport leads to the holder of a session.
type Transport struct {
	Name
	Asking  func() // called when the terminal of the holder shows a question; may be nil
	Records bool   // whether Trace receives messages without the secrets of the server's settings

	// Entry has the name, the source, the tools and the timeout of the entry that the holder
	// has connected to; nil for another server. Open sets it.
	Entry *config.Server

	conn atomic.Pointer[callerConn]
}

// Features names the session.
func (t *Transport) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{Name: "@" + t.Text}
}

// Open connects to the holder, and waits until it has a server.
func (t *Transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	if t.Records && h.Trace != nil {
		h.Trace = traceMasked(h.Trace)
	}
	c, err := t.dial(ctx, h, t.Asking)
	if err != nil {
		return nil, err
	}
	raw, err := c.Call(ctx, &jsonrpc.Request{Method: methodHello, Params: append(wire.AppendBool([]byte(`{"records":`), t.Records), '}')})
	if version := text(raw, "version"); err == nil && version != mcp.Version {
		err = usage("the session @"+t.Text+" belongs to mcpecho "+terminal.EscapeLine(version)+", and this is "+mcp.Version, "end it, and hold the server with this one: "+t.Program+" release "+t.Text)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	if name := text(raw, "name"); name != "" {
		ns, _ := strconv.ParseInt(string(wire.Lookup(raw, "timeout")), 10, 64)
		t.Entry = &config.Server{Name: name, Source: text(raw, "source"), Timeout: time.Duration(ns), Tools: config.Filter{Allow: texts(raw, "allow"), Deny: texts(raw, "deny")}}
	}
	t.conn.Store(c)
	return c, nil
}

// Release ends a session, and returns when its server has ended.
func (n Name) Release(ctx context.Context) error {
	c, err := n.dial(ctx, jsonrpc.Handler{}, nil)
	if err == nil {
		_, err = c.Call(ctx, &jsonrpc.Request{Method: methodRelease})
		_ = c.Close()
		if isEnded(err) {
			return nil
		}
	} else if isEnded(err) { // before: only what is left of it goes
		l, _, err := n.listen(ctx)
		if err == nil {
			err = l.Close()
		}
		return err
	}
	return err
}

func isEnded(err error) bool {
	var f *failure.Error
	return errors.As(err, &f) && f.Kind == "ended"
}

// dial connects to the holder. Messages for a client go to h.
func (n Name) dial(ctx context.Context, h jsonrpc.Handler, asking func()) (*callerConn, error) {
	path, err := n.path(false)
	if err != nil {
		return nil, err
	}
	socket, err := new(net.Dialer).DialContext(ctx, "unix", path+".sock")
	if err != nil {
		return nil, n.lost(err)
	}
	c := &callerConn{name: n}
	message, resume := h.Message, func() {}
	h.Message = func(conn jsonrpc.Conn, m *jsonrpc.Message) {
		switch {
		case m.Method == methodMasked: // which Trace has received
		case m.Method == methodAsking && string(wire.Lookup(m.Params, "now")) != "true":
			resume()
		case m.Method == methodAsking && h.Pause != nil:
			if resume = h.Pause(); asking != nil && string(wire.Lookup(m.Params, "shown")) == "true" {
				asking()
			}
		case message != nil:
			message(conn, m)
		}
	}
	stream := stdio.Stream(socket)
	stream.MaxMessage = maxAnswer
	c.Conn, err = stream.Open(ctx, h)
	return c, err
}

// Handlers returns handlers that have the holder answer what a result of the server
// requests.
func (t *Transport) Handlers() (handlers []mcp.Handler) {
	for _, method := range [...]string{"elicitation/create", "sampling/createMessage", "roots/list"} {
		handlers = append(handlers, mcp.HandleRequest(method, func(ctx context.Context, params mcp.RawMessage) (any, error) {
			conn := t.conn.Load()
			if conn == nil {
				return nil, jsonrpc.ErrClosed
			}
			b := wire.AppendString(wire.AppendKey([]byte{'{'}, "method"), method)
			if params != nil {
				b = append(wire.AppendKey(b, "params"), params...)
			}
			return conn.Call(ctx, &jsonrpc.Request{Method: methodAsk, Params: append(b, '}'), Cancel: cancelRequest})
		}))
	}
	return handlers
}

func cancelRequest(id jsonrpc.ID) *jsonrpc.Request {
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: mcp.RawMessage(`{"requestId":` + id.String() + "}")}
}

// A callerConn is the connection of a caller.
type callerConn struct {
	jsonrpc.Conn
	name Name
}

func (c *callerConn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	raw, err := c.Conn.Call(ctx, req)
	return raw, c.explain(err)
}

func (c *callerConn) Err() error { return c.explain(c.Conn.Err()) }

// explain returns the holder's own error, and the reason why the session has ended.
func (c *callerConn) explain(err error) error {
	var answer *jsonrpc.Error
	switch {
	case errors.As(err, &answer) && answer.Code == codeOwn:
		return decodeFailure(answer.Data)
	case answer != nil, !errors.Is(err, jsonrpc.ErrClosed), err == jsonrpc.ErrClosed: // the last if the caller has closed it
		return err
	}
	return c.name.lost(err)
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

// text returns the string at a path of an object, or "".
func text(object []byte, path ...string) string {
	r := wire.NewReader(wire.Lookup(object, path...))
	if r.Kind() != wire.String {
		return ""
	}
	return r.String()
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
