package host

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A watchKind is the way in which a watch detects changes.
type watchKind string

const (
	watchResource watchKind = "resource" // the server sends notifications
	watchPolling  watchKind = "polling"  // the host reads periodically
)

// A watch is a subscription that a model has requested through ResourceTools.
// It survives reconnections and ends when its server is removed.
type watch struct {
	id                string
	kind              watchKind
	server, uri, tool string
	reason            string
	cancel            context.CancelFunc
}

// watches holds the watches of a host.
type watches struct {
	mu   sync.Mutex
	last int
	list []*watch
}

// maxWatches limits the number of watches, because models create them.
const maxWatches = 256

const (
	// Polling intervals: the default and the limits.
	defaultInterval = 5 * time.Second
	minInterval     = time.Second
	maxInterval     = 24 * time.Hour
)

// watch adds a watch and calls run in a goroutine, with a context that ends
// with the watch.
func (h *Host) watch(w *watch, run func(context.Context)) error {
	h.lock()
	defer h.unlock()
	if h.closed {
		return ErrShutdown
	}
	ws := &h.watches
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.list) >= maxWatches {
		return newError(Resource, "TOO_MANY_SUBSCRIPTIONS", "not subscribed", w.server,
			errors.New("the limit of "+strconv.Itoa(maxWatches)+" subscriptions is reached"))
	}
	ws.last++
	w.id = string(w.kind) + "-" + strconv.Itoa(ws.last)
	ctx, cancel := context.WithCancel(h.ctx)
	w.cancel = cancel
	ws.list = append(ws.list, w)
	h.running.Add(1)
	go func() { // ends with ctx, or with the server
		defer h.running.Done()
		defer h.unwatch(func(o *watch) bool { return o == w })
		run(ctx)
	}()
	return nil
}

// unwatch ends the matching watches and reports whether there were any.
func (h *Host) unwatch(match func(*watch) bool) bool {
	ws := &h.watches
	ws.mu.Lock()
	defer ws.mu.Unlock()
	before := len(ws.list)
	ws.list = slices.DeleteFunc(ws.list, func(w *watch) bool {
		if !match(w) {
			return false
		}
		w.cancel()
		return true
	})
	return len(ws.list) < before
}

// subscribed returns the result of the tools that subscribe.
func subscribed(w *watch) []byte {
	return append(wire.AppendString([]byte(`{"subscribed":true,"subscriptionId":`), w.id), '}')
}

func (v *View) subscribeResource(ctx context.Context, raw mcp.RawMessage) ([]byte, error) {
	in, err := readInput(raw)
	if err == nil {
		err = v.require(&in, "server", in.server, "uri", in.uri)
	}
	if err != nil {
		return nil, err
	}
	h := v.host
	client, err := h.Client(ctx, in.server)
	if err != nil {
		return nil, err
	}
	sub, err := subscribe(ctx, client, in.uri)
	if err != nil {
		return nil, h.resourceError(in.server, err)
	}
	w := &watch{kind: watchResource, server: in.server, uri: in.uri, reason: in.reason}
	if err := h.watch(w, func(ctx context.Context) { h.follow(ctx, w, client, sub) }); err != nil {
		sub.Close()
		return nil, err
	}
	return subscribed(w), nil
}

// subscribe subscribes to changes of a resource.
func subscribe(ctx context.Context, client *mcp.Client, uri string) (*mcp.Subscription, error) {
	info := client.Server()
	if c := info.Capabilities.Resources; c == nil || c.Subscribe == nil || !*c.Subscribe {
		return nil, errors.New("the server does not support subscriptions to resources; use SubscribePolling")
	}
	sub, err := client.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
	if err != nil {
		return nil, err
	}
	if info.Modern() && len(sub.Honored().ResourceSubscriptions) == 0 {
		sub.Close()
		return nil, errors.New("the server refused to subscribe to this resource; use SubscribePolling")
	}
	return sub, nil
}

// follow emits an event for each change of a resource. It subscribes again when
// the server reconnects.
func (h *Host) follow(ctx context.Context, w *watch, client *mcp.Client, sub *mcp.Subscription) {
	emit := func(uri string) {
		h.bus.emit(&Event{Kind: ResourceChanged, Server: w.server, URI: uri, Subscription: w.id, Reason: w.reason})
	}
	for {
		change, err := sub.Next(ctx)
		if err == nil {
			emit(change.URI)
			continue
		}
		sub.Close()
		for sub = nil; sub == nil; {
			if client.Err() == nil && !retry.Sleep(ctx, reopenDelay) { // the server ended the subscription
				return
			}
			if client = h.nextClient(ctx, w.server); client == nil {
				return
			}
			if sub, err = subscribe(ctx, client, w.uri); err != nil {
				sub = nil
			}
		}
		emit(w.uri) // it may have changed in the meantime
	}
}

// nextClient waits until a server is connected, without connecting to it. It
// returns nil if ctx ends or the server is removed.
func (h *Host) nextClient(ctx context.Context, server string) *mcp.Client {
	for {
		h.lock()
		s := h.servers[server]
		if s == nil || h.closed {
			h.unlock()
			return nil
		}
		client, changed := s.client, s.changed
		h.unlock()
		if client != nil && client.Err() == nil {
			return client
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// unsubscribe implements the tools that end subscriptions.
func (v *View) unsubscribe(kind watchKind) func(context.Context, mcp.RawMessage) ([]byte, error) {
	return func(_ context.Context, raw mcp.RawMessage) ([]byte, error) {
		in, err := readInput(raw)
		if err == nil {
			err = v.require(&in)
		}
		if err != nil {
			return nil, err
		}
		target := in.uri + in.target
		if in.id == "" && in.server == "" && target == "" {
			return nil, errors.New(`one of "subscriptionId", "server" and the target is required`)
		}
		ended := v.host.unwatch(func(w *watch) bool {
			return w.kind == kind && v.sees(w.server) && (in.id == "" || in.id == w.id) &&
				(in.server == "" || in.server == w.server) && (target == "" || target == w.uri || target == w.tool)
		})
		return append(wire.AppendBool([]byte(`{"unsubscribed":`), ended), '}'), nil
	}
}

func (v *View) subscribePolling(ctx context.Context, raw mcp.RawMessage) ([]byte, error) {
	in, err := readInput(raw)
	if err != nil {
		return nil, err
	}
	w := &watch{kind: watchPolling, server: in.server, reason: in.reason}
	var read func(context.Context) ([]byte, error)
	switch in.kind {
	case "resource":
		w.uri, err = in.uri, v.require(&in, "server", in.server, "uri", in.uri)
		read = func(ctx context.Context) ([]byte, error) {
			res, err := v.host.ReadResource(ctx, in.server, in.uri)
			if err != nil {
				return nil, err
			}
			return appendContents(nil, res), nil
		}
	case "tool":
		w.tool, err = in.tool, v.require(&in, "server", in.server, "toolName", in.tool)
		read = func(ctx context.Context) ([]byte, error) {
			t, err := v.host.tool(ctx, in.server, in.tool)
			if err != nil {
				return nil, err
			}
			if t = v.limit(t); t == nil {
				return nil, ErrUnknownTool
			}
			text, err := t.Execute(ctx, in.arguments)
			return []byte(text), err
		}
	default:
		err = errors.New(`"type" must be "tool" or "resource"`)
	}
	every := defaultInterval
	if in.interval != 0 {
		if in.interval < int64(minInterval/time.Millisecond) || in.interval > int64(maxInterval/time.Millisecond) {
			err = errors.Join(err, errors.New(`"intervalMs" must be between 1000 and 86400000`))
		}
		every = time.Duration(in.interval) * time.Millisecond
	}
	if err == nil {
		_, err = v.host.get(in.server)
	}
	if err != nil {
		return nil, err
	}
	if err := v.host.watch(w, func(ctx context.Context) { v.host.poll(ctx, w, every, read) }); err != nil {
		return nil, err
	}
	return subscribed(w), nil
}

// poll emits the first value that look returns and each different one.
func (h *Host) poll(ctx context.Context, w *watch, every time.Duration, read func(context.Context) ([]byte, error)) {
	var last []byte
	failed := false // the previous time
	for first := true; ; first = false {
		text, err := read(ctx)
		if ctx.Err() != nil || errors.Is(err, ErrUnknownServer) || errors.Is(err, ErrShutdown) {
			return
		}
		if changed := !bytes.Equal(text, last) || (err != nil) != failed; first || changed {
			h.bus.emit(&Event{Kind: Polled, Server: w.server, URI: w.uri, Tool: w.tool,
				Subscription: w.id, Reason: w.reason, Text: string(text), Err: err})
		}
		last, failed = text, err != nil
		if !retry.Sleep(ctx, every) {
			return
		}
	}
}
