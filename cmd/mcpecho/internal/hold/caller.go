package hold

import (
	"context"
	"errors"
	"net"
	"strings"
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

	methodHello   = ownMethods + "hello"   // is the first request, to which the holder responds at once
	methodRelease = ownMethods + "release" // the holder ends before it responds; it and hello are those of all versions of mcpecho
	methodSession = ownMethods + "session" // waits until the holder has a server, and describes the session
	methodAsking  = ownMethods + "asking"  // a question of the server is open, or no longer
	ownMethods    = "\x00mcpecho/"         // which no argument of a program can have, so that raw does not send it
)

// helloTime is how long the holder may take to respond on a busy machine, unless it is stopped.
var helloTime = 10 * time.Second

// maxAnswer is how many bytes a message of the holder may have: those of a server's message,
// whose text may become longer.
const maxAnswer = 160 << 20

// ownCode plus an exit status is the code of the holder's own errors.
const ownCode = 1 << 40

// A Transport leads to the holder of a session.
type Transport struct {
	Name
	Note    func(string) // receives what the holder says about questions of the server; may be nil
	Records bool         // whether Trace receives messages without the secrets of the server's settings
	Watches bool         // whether the caller will request Kept, and receives kept notifications only then

	// Entry has the name, the source, the tools and the timeout of the entry that the holder
	// has connected to; nil for another server. Open sets it.
	Entry *config.Server

	conn *callerConn // set by Open
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
	c, version, err := t.dial(ctx, h)
	if err != nil {
		return nil, err
	}
	if version != mcp.Version {
		err = usage("the session @"+t.Text+" belongs to mcpecho "+terminal.EscapeLine(version)+", and this is "+mcp.Version, "end it, and hold the server with this one: "+t.Program+" release "+t.Text)
	}
	var raw []byte
	if err == nil {
		raw, err = c.Call(ctx, &jsonrpc.Request{Method: methodSession})
	}
	if name := wire.TextOf(raw, "name"); name != "" {
		t.Entry = &config.Server{Name: name}
		err = t.Entry.UnmarshalJSON(wire.Lookup(raw, "entry"))
		t.Entry.Source = wire.TextOf(raw, "source")
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	t.conn = c
	return c, nil
}

// Handlers returns handlers that have the holder answer what a response of the server
// requests.
func (t *Transport) Handlers() (handlers []mcp.Handler) {
	ask := func(ctx context.Context, method string, params mcp.RawMessage) (mcp.RawMessage, error) {
		return t.conn.Call(ctx, &jsonrpc.Request{Method: method, Params: params, Cancel: cancelRequest})
	}
	for _, method := range inputMethods {
		handlers = append(handlers, mcp.HandleRequest(method, func(ctx context.Context, params mcp.RawMessage) (any, error) {
			return ask(ctx, method, params)
		}))
	}
	return append(handlers, mcp.Elicitation{OpenURL: func(ctx context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
		params, err := wire.AppendValue(nil, map[string]string{"mode": "url", "message": r.Message, "url": r.URL, "elicitationId": r.ID})
		if err != nil {
			return "", err
		}
		raw, err := ask(ctx, "elicitation/create", params)
		return mcp.ElicitAction(wire.TextOf(raw, "action")), err
	}})
}

// inputMethods are those of what a result may request (2026-07-28), and pages of an error (2025-11-25).
var inputMethods = []string{"elicitation/create", "sampling/createMessage", "roots/list"}

func cancelRequest(id jsonrpc.ID) *jsonrpc.Request {
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: mcp.RawMessage(`{"requestId":` + id.String() + "}")}
}

// Release ends a session, and returns when its server has ended.
func (n Name) Release(ctx context.Context) error {
	c, _, err := (&Transport{Name: n}).dial(ctx, jsonrpc.Handler{})
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

// dial connects to the holder, and returns its version. Messages for a client go to h.
func (t *Transport) dial(ctx context.Context, h jsonrpc.Handler) (_ *callerConn, version string, err error) {
	path, err := t.path(false)
	if err != nil {
		return nil, "", err
	}
	socket, err := new(net.Dialer).DialContext(ctx, "unix", path+".sock")
	if err != nil {
		return nil, "", t.lost(err)
	}
	c := &callerConn{name: t.Name}
	message, resume := h.Message, func() {}
	h.Message = func(conn jsonrpc.Conn, m *jsonrpc.Message) {
		switch {
		case m.Method == methodMasked: // which Trace has received
		case m.Method == methodAsking && string(wire.Lookup(m.Params, "now")) != "true":
			resume()
		case m.Method == methodAsking && h.Pause != nil:
			resume()
			resume = h.Pause()
			if note := wire.TextOf(m.Params, "note"); note != "" && t.Note != nil {
				t.Note(note)
			}
		case message != nil:
			message(conn, m)
		}
	}
	stream := stdio.Stream(socket)
	stream.MaxMessage = maxAnswer
	if c.Conn, err = stream.Open(ctx, h); err != nil {
		return nil, "", err
	}
	silent := &failure.Error{Status: failure.Unreachable, Kind: "timeout", Message: "the process that holds @" + t.Text + " does not respond: it may be stopped", Hint: "continue it, with fg in its terminal, or end it"}
	params := append(wire.AppendBool(append(wire.AppendBool([]byte(`{"records":`), t.Records), `,"watches":`...), t.Watches), '}')
	raw, err := c.Call(ctx, &jsonrpc.Request{Method: methodHello, Params: params, Timeout: helloTime, TimeoutErr: silent})
	if err != nil {
		_ = c.Close()
		return nil, "", err
	}
	return c, wire.TextOf(raw, "version"), nil
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
	case errors.As(err, &answer) && isOwn(answer):
		kind, rest, _ := strings.Cut(answer.Message, "\x00")
		hint, message, _ := strings.Cut(rest, "\x00")
		return &failure.Error{Status: int(answer.Code - ownCode), Kind: kind, Message: message, Hint: hint}
	case answer != nil, !errors.Is(err, jsonrpc.ErrClosed), err == jsonrpc.ErrClosed: // the last if the caller has closed it
		return err
	}
	return c.name.lost(err)
}

// isOwn reports whether an error is one of the holder, which ownError has made.
func isOwn(e *jsonrpc.Error) bool { return e.Code>>8 == ownCode>>8 }

// ownError returns a failure as the error of a response.
func ownError(f *failure.Error) *jsonrpc.Error {
	return &jsonrpc.Error{Code: ownCode + int64(f.Status), Message: f.Kind + "\x00" + f.Hint + "\x00" + f.Message}
}
