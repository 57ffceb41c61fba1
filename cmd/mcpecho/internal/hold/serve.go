package hold

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/secrets"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A caller is a command that uses the session.
type caller struct {
	h       *Holder
	socket  *maskingConn
	conn    jsonrpc.Conn
	ctx     context.Context // of its calls
	leave   context.CancelFunc
	running lock.Group  // of its calls
	queue   queue.Queue // sends notifications. A caller that does not read loses them
	budget  queue.Budget

	// The mutex of the Holder guards these.
	calls      map[jsonrpc.ID]context.CancelFunc // without a response
	watches    bool                              // will watch
	watching   bool
	level      []byte                       // of the logs that it wants, as JSON; nil for none
	listening  jsonrpc.ID                   // its last subscription (2026-07-28)
	subscribed map[string]*mcp.Subscription // by URI, before 2026-07-28
}

// serve serves a caller until it leaves, or the session ends.
func (h *Holder) serve(socket net.Conn) {
	c := &caller{h: h, socket: &maskingConn{Conn: socket, hide: h.hide}, calls: make(map[jsonrpc.ID]context.CancelFunc), subscribed: make(map[string]*mcp.Subscription)}
	c.queue.Max, c.queue.Budget = maxWaiting, &c.budget
	c.budget.SetMax(waitSize)
	c.ctx, c.leave = context.WithCancel(h.ctx)
	defer c.leave()
	var err error
	h.mu.Lock() // for which message waits
	c.conn, err = stdio.Stream(c.socket).Open(c.ctx, jsonrpc.Handler{
		Message: func(_ jsonrpc.Conn, m *jsonrpc.Message) { c.message(m) },
		Dropped: func(error, []byte) { c.leave() }, // it is not mcpecho
	})
	h.mu.Unlock()
	if err != nil {
		_ = socket.Close()
		return
	}
	select {
	case <-c.conn.Done():
	case <-c.ctx.Done():
	}
	c.leave()
	last := time.AfterFunc(lastTime, func() { _ = c.conn.Close() })
	defer last.Stop()
	h.mu.Lock()
	delete(h.callers, c)
	h.mu.Unlock()
	c.running.Wait()
	c.queue.Close(lastTime)
	for _, sub := range c.subscribed {
		sub.Close()
	}
	_ = c.conn.Close()
	if c.level != nil && !h.session.Load().Client.Server().Modern() {
		_ = h.setLevel(h.ctx) // to that of the others
	}
}

// send queues a notification.
func (c *caller) send(n notification) {
	c.queue.AddSize(len(n.params), func() { _ = c.notify(context.WithoutCancel(c.ctx), n.method, n.params) }) // ends with the connection
}

// say has the caller say note.
func (c *caller) say(note string) {
	c.send(asking(true, note))
	c.send(asking(c.h.asking > 0, ""))
}

func (c *caller) notify(ctx context.Context, method string, params []byte) error {
	return c.conn.Notify(ctx, &jsonrpc.Request{Method: method, Params: params})
}

// message handles a message of the caller. It does not wait.
func (c *caller) message(m *jsonrpc.Message) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case len(c.calls) >= maxCalls:
		c.leave()
	case m.Method == "notifications/cancelled":
		var id jsonrpc.ID
		if id.UnmarshalJSON(wire.Lookup(m.Params, "requestId")) == nil && c.calls[id] != nil {
			c.calls[id]()
		}
	case m.Method == "notifications/initialized": // the server has it from the holder
	case !m.IsRequest():
		if s := h.session.Load(); s != nil {
			c.running.Go(func() { _ = s.Client.Notify(c.ctx, m.Method, m.Params) }) // ends when the message is queued
		}
	default:
		ctx, cancel := context.WithCancel(c.ctx)
		c.calls[m.ID] = cancel
		c.running.Go(func() { // ends with the response
			defer cancel()
			raw, err := c.handle(ctx, m)
			h.mu.Lock()
			delete(c.calls, m.ID)
			h.mu.Unlock()
			e, ends := c.wireError(err)
			if ends || ctx.Err() != nil && c.ctx.Err() == nil { // the caller does not wait
				return
			}
			reply := func() { _ = c.conn.Reply(context.WithoutCancel(ctx), m.ID, raw, e) } // ends with the connection
			// After notifications, as the caller may leave with the response.
			if !c.queue.Add(reply) {
				reply()
			}
		})
	}
}

// wireError returns the error of the response: that of the server, or one of the holder,
// which a server cannot imitate. If the call ends with the session, the caller receives no
// response, and learns the reason.
func (c *caller) wireError(err error) (e *jsonrpc.Error, ends bool) {
	h := c.h
	s := h.session.Load()
	if err == nil || s == nil {
		return nil, err != nil
	}
	f := s.Explain(err)
	var answer *jsonrpc.Error
	switch {
	case h.ended.Load() && f.Kind != "crashed":
		return nil, true
	case !errors.As(err, &answer) || f.Status != failure.Refused || isOwn(answer):
		return ownError(f), false
	}
	e = &jsonrpc.Error{Code: answer.Code, Message: h.hide(answer.Message)}
	if answer.Data != nil {
		e.Data = secrets.HideJSON(answer.Data, h.hide)
	}
	return e, false
}

func rank(level []byte) int { return slices.Index(flags.LogLevels, wire.TextOf(level)) }

// level returns the level of the logs that callers want, and the user of hold, as JSON, or nil.
// Of several, it is the one with the most logs.
func (h *Holder) level() (level []byte) {
	if l := h.session.Load().Level; l != "" {
		level = wire.AppendString(nil, string(l))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.callers {
		if c.level != nil && (level == nil || rank(c.level) < rank(level)) {
			level = c.level
		}
	}
	return level
}

// setLevel sets the level of the server, which it has for all callers before 2026-07-28. A
// server cannot turn logs off.
func (h *Holder) setLevel(ctx context.Context) (err error) {
	var sent []byte
	for level := h.level(); err == nil && !bytes.Equal(level, sent); level = h.level() { // another caller may have changed it
		sent = level
		err = h.session.Load().Client.SetLogLevel(ctx, mcp.LoggingLevel(wire.TextOf(level)))
	}
	return err
}

func refused(code int64, message string) error { return &jsonrpc.Error{Code: code, Message: message} }

// handle carries out a request of the caller.
func (c *caller) handle(ctx context.Context, m *jsonrpc.Message) (mcp.RawMessage, error) {
	h := c.h
	switch m.Method {
	case methodRelease:
		h.release()
		<-c.ctx.Done()
		return nil, ctx.Err()
	case methodHello:
		c.socket.records.Store(string(wire.Lookup(m.Params, "records")) == "true")
		h.mu.Lock()
		c.watches = string(wire.Lookup(m.Params, "watches")) == "true"
		h.mu.Unlock()
		return wire.AppendValue(nil, map[string]any{"version": mcp.Version})
	}
	select {
	case <-h.begun:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if m.Method == methodSession {
		return c.describe()
	}
	return c.forward(ctx, m)
}

// forward carries out a request for the server.
func (c *caller) forward(ctx context.Context, m *jsonrpc.Message) (mcp.RawMessage, error) {
	s := c.h.session.Load()
	client, modern := s.Client, s.Client.Server().Modern()
	switch m.Method {
	case "initialize", "server/discover":
		if modern != (m.Method == "server/discover") {
			return nil, refused(jsonrpc.CodeMethodNotFound, "the session is of another protocol version")
		}
		return s.Greeting, nil
	case Kept:
		return mcp.RawMessage("{}"), c.watch(ctx, wire.Lookup(m.Params, "_meta", logLevel))
	case "tools/list":
		var cursor *string
		if r := wire.NewReader(wire.Lookup(m.Params, "cursor")); r.Kind() == wire.String {
			text := r.String()
			cursor = &text
		}
		sending, page := s.Sent(ctx)
		if _, err := client.ListToolsPage(sending, cursor); *page != nil { // the caller judges it
			return *page, nil
		} else if err != nil {
			return nil, err
		}
	case "resources/subscribe", "resources/unsubscribe":
		if !modern {
			return mcp.RawMessage("{}"), c.subscribe(ctx, wire.TextOf(m.Params, "uri"), m.Method == "resources/subscribe")
		}
	case "logging/setLevel":
		if level := wire.Lookup(m.Params, "level"); rank(level) >= 0 && !modern {
			c.h.mu.Lock()
			c.level = bytes.Clone(level)
			c.h.mu.Unlock()
			return mcp.RawMessage("{}"), c.h.setLevel(ctx)
		}
	case "subscriptions/listen":
		if modern {
			return mcp.RawMessage(`{"resultType":"complete"}`), c.listen(ctx, m)
		}
	}
	if slices.Contains(inputMethods, m.Method) {
		return c.h.asker.Call(ctx, &jsonrpc.Request{Method: m.Method, Params: m.Params, Cancel: cancelRequest})
	}
	params := m.Params
	if meta := wire.Lookup(params, "_meta"); meta != nil { // the client adds to it what it has
		own := without(meta, "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/clientCapabilities", "progressToken")
		if level := c.h.level(); level != nil && wire.Lookup(own, logLevel) == nil {
			own = with(own, logLevel, level)
		}
		params = with(without(params, "_meta"), "_meta", own)
		if token := wire.Lookup(meta, "progressToken"); token != nil {
			client = client.With(mcp.CallOptions{Progress: func(p mcp.Progress) { c.progress(ctx, token, p) }})
		}
	}
	return client.Call(ctx, m.Method, params)
}

// describe adds the caller, and describes the session.
func (c *caller) describe() (mcp.RawMessage, error) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unsaid != "" {
		c.say(h.unsaid)
		h.unsaid = ""
	}
	if h.asking > 0 && !h.callers[c] {
		c.send(asking(true, h.shown))
	}
	h.callers[c] = true
	about := map[string]any{}
	if e := h.session.Load().Entry; e != nil {
		about["name"], about["source"], about["entry"] = e.Name, e.Source, &config.Server{Command: "held", Timeout: e.Timeout, Tools: e.Tools}
	}
	return wire.AppendValue(nil, about)
}

// without returns a copy of an object without some of its members.
func without(object []byte, keys ...string) []byte {
	b := []byte{'{'}
	r := wire.NewReader(object)
	for r.Object(); r.More(); {
		if key := string(r.Key()); slices.Contains(keys, key) {
			r.Skip()
		} else {
			b = append(wire.AppendKey(b, key), r.Raw()...)
		}
	}
	return append(b, '}')
}

// with adds a member to an object.
func with(object []byte, key string, value []byte) []byte {
	return append(append(wire.AppendKey(object[:len(object)-1], key), value...), '}')
}

// progress passes progress of a call to the caller, with the caller's token.
func (c *caller) progress(ctx context.Context, token []byte, p mcp.Progress) {
	p.Message = c.h.hide(p.Message)
	if params, err := p.MarshalJSON(); err == nil {
		_ = c.notify(ctx, "notifications/progress", with(without(params, "progressToken"), "progressToken", token))
	}
}

// watch sends what the holder has kept, and from now on nothing is kept. From 2026-07-28 on,
// the calls of all callers ask for logs of the given level then.
func (c *caller) watch(ctx context.Context, level []byte) error {
	h := c.h
	h.mu.Lock()
	kept, id := h.kept, c.listening
	h.kept, h.keptSize, c.watching = nil, 0, true
	if level != nil {
		c.level = level
	}
	h.mu.Unlock()
	for _, n := range kept {
		if isSubscribed(n.method) && h.session.Load().Client.Server().Modern() {
			n.params = changed(id)
		}
		if err := c.notify(ctx, n.method, n.params); err != nil {
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
		if sub, err = c.h.session.Load().Client.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}}); err != nil {
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
	sub, err := c.h.session.Load().Client.Subscribe(ctx, &filter)
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
	for method, params := "notifications/subscriptions/acknowledged", with(changed(m.ID), "notifications", agreed); ; {
		if err := c.notify(ctx, method, params); err != nil {
			return err
		}
		change, err := sub.Next(ctx)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		method, params = string(change.Kind), changed(m.ID)
		if change.URI != "" {
			params = with(params, "uri", wire.AppendString(nil, change.URI))
		}
	}
}

// changed returns the params of the notification of a change, for the subscription id.
func changed(id jsonrpc.ID) []byte {
	return []byte(`{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id.String() + "}}")
}
