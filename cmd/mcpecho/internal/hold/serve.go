package hold

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A caller is a command that uses the session.
type caller struct {
	h       *Holder
	conn    jsonrpc.Conn
	soon    chan notification // for it
	ctx     context.Context   // of its calls
	reading context.Context   // of what is written to it
	running lock.Group        // of its calls

	mu         lock.Mutex
	calls      map[jsonrpc.ID]context.CancelFunc // without a response
	greeted    bool                              // it has done the handshake
	watching   bool
	listening  jsonrpc.ID                   // its last subscription (2026-07-28)
	subscribed map[string]*mcp.Subscription // by URI, before 2026-07-28
}

// serve serves a caller until it leaves, or the session ends.
func (h *Holder) serve(s *socket) {
	ctx, cancel := context.WithCancel(h.ctx)
	reading, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	c := &caller{h: h, soon: make(chan notification, maxSoon), ctx: ctx, reading: reading, calls: make(map[jsonrpc.ID]context.CancelFunc), subscribed: make(map[string]*mcp.Subscription)}
	ready := make(chan struct{})
	conn, err := stdio.Stream(s).Open(ctx, jsonrpc.Handler{Message: func(_ jsonrpc.Conn, m *jsonrpc.Message) {
		<-ready
		c.message(m)
	}})
	if err != nil {
		cancel()
		return
	}
	c.conn = conn
	close(ready)
	h.mu.Lock()
	h.callers[c] = true
	if h.asking > 0 {
		c.queue(asking(true))
	}
	h.mu.Unlock()
	for leaving := false; !leaving; {
		select {
		case n := <-c.soon:
			_ = conn.Notify(ctx, n.request())
		case <-conn.Done():
			leaving = true
		case <-h.ctx.Done():
			leaving = true
		}
	}
	cancel()
	time.AfterFunc(lastTime, stop)
	h.mu.Lock()
	delete(h.callers, c)
	if c.watching {
		h.watchers--
	}
	last := c.watching && h.watchers == 0
	reason := h.reason
	h.mu.Unlock()
	if last {
		h.logAll("")
	}
	c.running.Wait()
	for _, sub := range c.subscribed {
		sub.Close()
	}
	if reason != nil {
		_ = conn.Notify(reading, &jsonrpc.Request{Method: methodEnded, Params: encodeFailure(reason)})
	}
	_ = conn.Close()
}

func (n *notification) request() *jsonrpc.Request {
	return &jsonrpc.Request{Method: n.method, Params: n.params}
}

func (c *caller) queue(n notification) {
	select {
	case c.soon <- n:
	default:
	}
}

func (c *caller) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls) > 0
}

// message handles a message of the caller. It does not wait.
func (c *caller) message(m *jsonrpc.Message) {
	switch {
	case m.Method == "notifications/cancelled":
		var id jsonrpc.ID
		if id.UnmarshalJSON(wire.Lookup(m.Params, "requestId")) == nil {
			c.mu.Lock()
			cancel := c.calls[id]
			c.mu.Unlock()
			if cancel != nil {
				cancel()
			}
		}
	case m.Method == "notifications/initialized": // the server has it from the holder
	case !m.IsRequest():
		c.running.Go(func() { _ = c.h.session.Client.Notify(c.ctx, m.Method, m.Params) }) // ends when the message is queued
	default:
		ctx, cancel := context.WithCancel(c.ctx)
		c.mu.Lock()
		full := len(c.calls) >= maxCalls
		if !full {
			c.calls[m.ID] = cancel
		}
		c.mu.Unlock()
		c.running.Go(func() { // ends with the response
			var raw mcp.RawMessage
			err := error(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many calls at once"})
			if !full {
				raw, err = c.handle(ctx, m)
				c.mu.Lock()
				delete(c.calls, m.ID)
				c.mu.Unlock()
			}
			if ctx.Err() == nil || c.ctx.Err() != nil { // the caller waits
				_ = c.conn.Reply(c.reading, m.ID, raw, c.wireError(err))
			}
			cancel()
		})
	}
}

// wireError returns the error of the response: that of the server, or one of the holder,
// which a server cannot imitate because it does not know the key.
func (c *caller) wireError(err error) *jsonrpc.Error {
	if err == nil {
		return nil
	}
	var answer *jsonrpc.Error
	f := c.h.session.Explain(err)
	c.h.mu.Lock()
	if c.h.reason != nil && f.Kind != "crashed" {
		f = c.h.reason
	}
	c.h.mu.Unlock()
	if errors.As(err, &answer) && f.Status == failure.Refused {
		e := &jsonrpc.Error{Code: answer.Code, Message: c.h.hide(answer.Message)}
		if answer.Data != nil {
			e.Data = []byte(c.h.hide(string(answer.Data)))
		}
		return e
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: c.h.key, Data: encodeFailure(f)}
}

// handle carries out a request of the caller.
func (c *caller) handle(ctx context.Context, m *jsonrpc.Message) (mcp.RawMessage, error) {
	s := c.h.session
	client, modern := s.Client, s.Client.Server().Modern()
	rest, own, err := split(m.Params, "_meta")
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the params are not an object"}
	}
	switch m.Method {
	case "initialize", "server/discover":
		c.mu.Lock()
		first := !c.greeted
		c.greeted = c.greeted || modern == (m.Method == "server/discover")
		c.mu.Unlock()
		switch {
		case first && modern == (m.Method == "server/discover"):
			return s.Greeting, nil
		case first:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the session is of another protocol version"}
		}
	case Kept:
		return mcp.RawMessage("{}"), c.watch(ctx)
	case methodAsk, methodAsking, methodEnded:
		if m.Method != methodAsk || c.h.asker == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this session has no such requests"}
		}
		defer c.h.Asking()()
		return c.h.asker.Call(ctx, &jsonrpc.Request{Method: text(m.Params, "method"), Params: wire.Lookup(m.Params, "params"), Cancel: cancelRequest})
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
	// The client adds what belongs to each request by itself.
	meta, own, err := split(own["_meta"], "progressToken", "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/clientCapabilities")
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "_meta is not an object"}
	}
	if token := own["progressToken"]; token != nil {
		client = client.With(mcp.CallOptions{Progress: func(p mcp.Progress) { c.progress(ctx, token, p) }})
	}
	params := m.Params
	if params != nil {
		if len(meta) > 0 {
			rest = append(append(append(wire.AppendKey(rest, "_meta"), '{'), meta...), '}')
		}
		params = append(append([]byte{'{'}, rest...), '}')
	}
	return client.Call(ctx, m.Method, params)
}

// progress passes progress of a call to the caller, with the caller's token.
func (c *caller) progress(ctx context.Context, token mcp.RawMessage, p mcp.Progress) {
	p.Message = c.h.hide(p.Message)
	raw, err := p.MarshalJSON()
	if err != nil {
		return
	}
	members, _, _ := split(raw, "progressToken")
	params := append(wire.AppendKey([]byte{'{'}, "progressToken"), token...)
	params = append(append(append(params, ','), members...), '}')
	_ = c.conn.Notify(ctx, &jsonrpc.Request{Method: "notifications/progress", Params: params})
}

// watch sends what the holder has kept, and from now on nothing is kept.
func (c *caller) watch(ctx context.Context) error {
	h := c.h
	h.mu.Lock()
	kept := h.kept
	h.kept, h.keptSize = nil, 0
	if !c.watching {
		c.watching = true
		h.watchers++
	}
	h.mu.Unlock()
	c.mu.Lock()
	id := c.listening
	c.mu.Unlock()
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
	c.mu.Lock()
	old := c.subscribed[uri]
	delete(c.subscribed, uri)
	if begin {
		c.subscribed[uri] = sub
	}
	c.mu.Unlock()
	if old != nil {
		old.Close()
	}
	return nil
}

// listen passes the changes of a subscription to the caller until it ends (2026-07-28).
func (c *caller) listen(ctx context.Context, m *jsonrpc.Message) error {
	var filter mcp.SubscriptionFilter
	if err := filter.UnmarshalJSON(wire.Lookup(m.Params, "notifications")); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
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
	c.mu.Lock()
	c.listening = m.ID
	c.mu.Unlock()
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

// split returns the members of an object, but those with the given keys, whose values it
// returns. Nil counts as an empty object.
func split(object []byte, keys ...string) (rest []byte, values map[string]mcp.RawMessage, err error) {
	values = make(map[string]mcp.RawMessage)
	if object == nil {
		return nil, values, nil
	}
	r := wire.NewReader(object)
	for r.Object(); r.More(); {
		key := string(r.Key())
		value := r.Raw()
		if slices.Contains(keys, key) {
			values[key] = bytes.Clone(value)
		} else {
			rest = append(wire.AppendKey(rest, key), value...)
		}
	}
	return rest, values, r.End()
}
