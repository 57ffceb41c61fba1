package hold

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/secrets"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A caller is a command that uses the session.
type caller struct {
	h       *Holder
	socket  *maskingConn
	conn    jsonrpc.Conn
	soon    chan notification // for it
	ctx     context.Context   // of its calls
	leave   context.CancelFunc
	reading context.Context // of what is written to it
	running lock.Group      // of its calls

	// The mutex of the Holder guards these.
	calls      map[jsonrpc.ID]context.CancelFunc // without a response
	soonSize   int                               // bytes in soon, and of what is written to it
	greeted    bool                              // it has sent its first request
	watching   bool
	listening  jsonrpc.ID                   // its last subscription (2026-07-28)
	subscribed map[string]*mcp.Subscription // by URI, before 2026-07-28
}

// serve serves a caller until it leaves, or the session ends.
func (h *Holder) serve(socket net.Conn) {
	c := &caller{h: h, socket: &maskingConn{Conn: socket, hide: h.hide}, soon: make(chan notification, maxSoon), calls: make(map[jsonrpc.ID]context.CancelFunc), subscribed: make(map[string]*mcp.Subscription)}
	c.ctx, c.leave = context.WithCancel(h.ctx)
	defer c.leave()
	var stop context.CancelFunc
	c.reading, stop = context.WithCancel(context.WithoutCancel(c.ctx))
	defer stop()
	ready := make(chan struct{})
	conn, err := stdio.Stream(c.socket).Open(c.ctx, jsonrpc.Handler{
		Message: func(_ jsonrpc.Conn, m *jsonrpc.Message) {
			<-ready
			c.message(m)
		},
		Dropped: func(error, []byte) { c.leave() }, // it is not mcpecho
	})
	if c.conn = conn; err != nil {
		_ = socket.Close()
		return
	}
	close(ready)
	for c.ctx.Err() == nil {
		select {
		case n := <-c.soon:
			_ = conn.Notify(c.ctx, n.request())
			h.mu.Lock()
			c.soonSize -= len(n.params)
			h.mu.Unlock()
		case <-conn.Done():
			c.leave()
		case <-c.ctx.Done():
		}
	}
	time.AfterFunc(lastTime, stop)
	h.mu.Lock()
	delete(h.callers, c)
	if c.watching {
		h.watchers--
	}
	last := c.watching && h.watchers == 0
	h.mu.Unlock()
	if last {
		h.logAll("")
	}
	c.running.Wait()
	for _, sub := range c.subscribed {
		sub.Close()
	}
	_ = conn.Close()
}

func (n *notification) request() *jsonrpc.Request {
	return &jsonrpc.Request{Method: n.method, Params: n.params}
}

// message handles a message of the caller. It does not wait.
func (c *caller) message(m *jsonrpc.Message) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	switch first := !c.greeted; {
	case first && (!m.IsRequest() || m.Method != methodHello && m.Method != methodRelease):
		c.leave()
	case m.Method == "notifications/cancelled":
		var id jsonrpc.ID
		if id.UnmarshalJSON(wire.Lookup(m.Params, "requestId")) == nil && c.calls[id] != nil {
			c.calls[id]()
		}
	case m.Method == "notifications/initialized": // the server has it from the holder
	case !m.IsRequest():
		if h.session != nil {
			c.running.Go(func() { _ = h.session.Client.Notify(c.ctx, m.Method, m.Params) }) // ends when the message is queued
		}
	case len(c.calls) >= maxCalls:
		c.leave()
	default:
		c.greeted = true
		ctx, cancel := context.WithCancel(c.ctx)
		c.calls[m.ID] = cancel
		c.running.Go(func() { // ends with the response
			raw, err := c.handle(ctx, m)
			h.mu.Lock()
			delete(c.calls, m.ID)
			h.mu.Unlock()
			if e, ends := c.wireError(err); !ends && (ctx.Err() == nil || c.ctx.Err() != nil) { // the caller waits
				_ = c.conn.Reply(c.reading, m.ID, raw, e)
			}
			cancel()
		})
	}
}

// wireError returns the error of the response: that of the server, or one of the holder,
// which a server cannot imitate: its error with that code is sent as the data of another. If
// the call ends with the session, the caller receives no response, and learns the reason.
func (c *caller) wireError(err error) (e *jsonrpc.Error, ends bool) {
	h := c.h
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	if err == nil || s == nil {
		return nil, err != nil
	}
	f := s.Explain(err)
	if h.ended.Load() && f.Kind != "crashed" {
		return nil, true
	}
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || f.Status != failure.Refused || answer.Code == codeOwn {
		return &jsonrpc.Error{Code: codeOwn, Data: encodeFailure(f)}, false
	}
	e = &jsonrpc.Error{Code: answer.Code, Message: h.hide(answer.Message)}
	if answer.Data != nil {
		e.Data = secrets.HideJSON(answer.Data, h.hide)
	}
	return e, false
}

func refused(code int64, message string) error { return &jsonrpc.Error{Code: code, Message: message} }

// handle carries out a request of the caller.
func (c *caller) handle(ctx context.Context, m *jsonrpc.Message) (mcp.RawMessage, error) {
	h := c.h
	if m.Method == methodRelease {
		h.release()
		<-c.ctx.Done()
		return nil, ctx.Err()
	}
	select {
	case <-h.begun:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if m.Method == methodHello {
		c.socket.records.Store(string(wire.Lookup(m.Params, "records")) == "true")
		return c.hello()
	}
	return c.forward(ctx, m)
}

// forward carries out a request for the server.
func (c *caller) forward(ctx context.Context, m *jsonrpc.Message) (mcp.RawMessage, error) {
	h, s := c.h, c.h.session
	client, modern := s.Client, s.Client.Server().Modern()
	switch m.Method {
	case "initialize", "server/discover":
		if modern != (m.Method == "server/discover") {
			return nil, refused(jsonrpc.CodeMethodNotFound, "the session is of another protocol version")
		}
		return s.Greeting, nil
	case Kept:
		return mcp.RawMessage("{}"), c.watch(ctx)
	case methodAsk:
		if !modern {
			return nil, refused(jsonrpc.CodeMethodNotFound, "this session has no such requests")
		}
		return h.asker.Call(ctx, &jsonrpc.Request{Method: text(m.Params, "method"), Params: wire.Lookup(m.Params, "params"), Cancel: cancelRequest})
	case "tools/list":
		var cursor *string
		if r := wire.NewReader(wire.Lookup(m.Params, "cursor")); r.Kind() == wire.String {
			text := r.String()
			cursor = &text
		}
		if page, err := s.List(ctx, cursor); page != nil || err != nil {
			return page, err
		}
	case "tools/call":
		if err := s.Check(text(m.Params, "name")); err != nil {
			return nil, err
		}
	case "resources/subscribe", "resources/unsubscribe":
		if !modern {
			return mcp.RawMessage("{}"), c.subscribe(ctx, text(m.Params, "uri"), m.Method == "resources/subscribe")
		}
	case "subscriptions/listen":
		if modern {
			return mcp.RawMessage(`{"resultType":"complete"}`), c.listen(ctx, m)
		}
	}
	params, token, err := ownParams(m.Params)
	if err != nil {
		return nil, refused(jsonrpc.CodeInvalidParams, err.Error())
	}
	if token != nil {
		client = client.With(mcp.CallOptions{Progress: func(p mcp.Progress) { c.progress(ctx, token, p) }})
	}
	return client.Call(ctx, m.Method, params)
}

// hello adds the caller, and describes the session.
func (c *caller) hello() (mcp.RawMessage, error) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asking > 0 && !h.callers[c] {
		n := asking(true, true)
		c.soon <- n
		c.soonSize += len(n.params)
	}
	h.callers[c] = true
	about := map[string]any{"version": mcp.Version}
	if e := h.session.Entry; e != nil {
		about["name"], about["source"], about["timeout"], about["deny"] = e.Name, e.Source, int64(e.Timeout), e.Tools.Deny
		if e.Tools.Allow != nil {
			about["allow"] = e.Tools.Allow
		}
	}
	return wire.AppendValue(nil, about)
}

// ownParams returns the params of a request without what the client of the holder adds to
// each by itself, and the caller's progress token.
func ownParams(params mcp.RawMessage) (own, token mcp.RawMessage, err error) {
	if params == nil {
		return nil, nil, nil
	}
	r := wire.NewReader(params)
	own = append(own, '{')
	for r.Object(); r.More(); {
		key := string(r.Key())
		own = wire.AppendKey(own, key)
		if key != "_meta" {
			own = append(own, r.Raw()...)
			continue
		}
		own = append(own, '{')
		for r.Object(); r.More(); {
			switch key := string(r.Key()); key {
			case "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/clientCapabilities":
				r.Skip()
			case "progressToken":
				token = append(token, r.Raw()...)
			default:
				own = append(wire.AppendKey(own, key), r.Raw()...)
			}
		}
		own = append(own, '}')
	}
	return append(own, '}'), token, r.End()
}

// progress passes progress of a call to the caller, with the caller's token.
func (c *caller) progress(ctx context.Context, token mcp.RawMessage, p mcp.Progress) {
	own := new(mcp.Progress)
	if own.UnmarshalJSON([]byte(`{"progress":0,"progressToken":`+string(token)+"}")) != nil {
		return
	}
	own.Progress, own.Total, own.Message, own.Meta, own.Extra = p.Progress, p.Total, c.h.hide(p.Message), p.Meta, p.Extra
	if params, err := own.MarshalJSON(); err == nil {
		_ = c.conn.Notify(ctx, &jsonrpc.Request{Method: "notifications/progress", Params: params})
	}
}

// watch sends what the holder has kept, and from now on nothing is kept.
func (c *caller) watch(ctx context.Context) error {
	h := c.h
	h.mu.Lock()
	kept, id := h.kept, c.listening
	h.kept, h.keptSize = nil, 0
	if !c.watching {
		c.watching = true
		h.watchers++
	}
	h.mu.Unlock()
	h.logAll(mcp.LevelDebug)
	for _, n := range kept {
		if isSubscribed(n.method) && h.asker != nil {
			n.params = changed(id, "")
		}
		if err := c.conn.Notify(ctx, n.request()); err != nil {
			return err
		}
	}
	return nil
}

// subscribe subscribes to a resource for the caller, or ends that, before 2026-07-28. The
// client unsubscribes when no other caller has the resource.
func (c *caller) subscribe(ctx context.Context, uri string, begin bool) (err error) {
	var sub *mcp.Subscription
	if begin {
		if sub, err = c.h.session.Client.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}}); err != nil {
			return err
		}
	}
	c.h.mu.Lock()
	old := c.subscribed[uri]
	if delete(c.subscribed, uri); begin {
		c.subscribed[uri] = sub
	}
	c.h.mu.Unlock()
	if old != nil {
		old.Close()
	}
	return nil
}

// listen passes the changes of a subscription to the caller until it ends (2026-07-28).
func (c *caller) listen(ctx context.Context, m *jsonrpc.Message) error {
	var filter mcp.SubscriptionFilter
	if err := filter.UnmarshalJSON(wire.Lookup(m.Params, "notifications")); err != nil {
		return refused(jsonrpc.CodeInvalidParams, err.Error())
	}
	sub, err := c.h.session.Client.Subscribe(ctx, &filter)
	if err != nil {
		return err
	}
	defer sub.Close()
	honored := sub.Honored()
	agreed, err := honored.MarshalJSON()
	if err != nil {
		return err
	}
	c.h.mu.Lock()
	c.listening = m.ID
	c.h.mu.Unlock()
	params := changed(m.ID, "")
	params = append(append(wire.AppendKey(params[:len(params)-1], "notifications"), agreed...), '}')
	for n := (notification{"notifications/subscriptions/acknowledged", params}); ; {
		if err := c.conn.Notify(ctx, n.request()); err != nil {
			return err
		}
		change, err := sub.Next(ctx)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		n = notification{string(change.Kind), changed(m.ID, change.URI)}
	}
}

// changed returns the params of the notification of a change, for the subscription id.
func changed(id jsonrpc.ID, uri string) []byte {
	b := append(wire.AppendKey([]byte(`{"_meta":{`), "io.modelcontextprotocol/subscriptionId"), id.String()...)
	b = append(b, '}')
	if uri != "" {
		b = wire.AppendString(wire.AppendKey(b, "uri"), uri)
	}
	return append(b, '}')
}
