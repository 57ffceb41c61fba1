package host

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
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
// It survives reconnections and ends when its server is removed, or when the URL or
// the command changes.
type watch struct {
	id                string
	kind              watchKind
	view              *View
	server, uri, tool string
	reason            string
	cancel            context.CancelFunc
}

// watches holds the watches of a host.
type watches struct {
	mu   lock.Mutex
	last int
	list []*watch

	moved func(old, cfg *Server) // linked only if a program has watches; the host's mu guards it
}

// maxWatches limits the number of watches, because models create them.
const maxWatches = 256

// watch adds a watch and calls run in a goroutine, with a context that ends
// with the watch. client is that of the subscription, or nil.
func (h *Host) watch(w *watch, client *mcp.Client, run func(context.Context)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrShutdown
	}
	if s := h.serverLocked(w.server); s == nil || client != nil && s.state.client != client {
		return newError(connectionLost, "not subscribed", w.server, mcp.ErrClosed)
	}
	ws := &h.watches
	ws.moved = h.moved
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.list) >= maxWatches {
		return newError(tooManyWatches, "not subscribed", w.server,
			errors.New("the limit of "+strconv.Itoa(maxWatches)+" subscriptions is reached"))
	}
	ws.last++
	w.id = string(w.kind) + "-" + strconv.Itoa(ws.last)
	ctx, cancel := context.WithCancel(h.ctx)
	w.cancel = cancel
	ws.list = append(ws.list, w)
	h.running.Go(func() { // ends with ctx, or with the server
		defer h.unwatch(func(o *watch) bool { return o == w })
		_ = h.guard(w.server, func() { run(ctx) }) // a panic of an Interceptor ends the watch
	})
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

// moved ends the watches of a server that has other settings now, or nil if it is
// removed, unless they lead to the same server.
func (h *Host) moved(old, cfg *Server) {
	if cfg == nil || old.URL != cfg.URL || old.Command != cfg.Command || old.ID != cfg.ID || !slices.Equal(old.Args, cfg.Args) {
		h.unwatch(func(w *watch) bool { return w.server == old.Name })
	}
}

// subscribed returns the result of the tools that subscribe.
func subscribed(w *watch) []byte {
	return append(wire.AppendString([]byte(`{"subscribed":true,"subscriptionId":`), w.id), '}')
}

// unsubscribe implements the tools that end subscriptions.
func (v *View) unsubscribe(kind watchKind) func(context.Context, *CallReport) ([]byte, error) {
	return func(_ context.Context, r *CallReport) ([]byte, error) {
		in, err := v.input(r.Arguments)
		if err != nil {
			return nil, err
		}
		target := in.uri + in.target
		if in.id == "" && in.server == "" && target == "" {
			return nil, errors.New(`one of "subscriptionId", "server" and the target is required`)
		}
		ended := v.host.unwatch(func(w *watch) bool {
			return w.kind == kind && w.view == v && (in.id == "" || in.id == w.id) &&
				(in.server == "" || in.server == w.server) && (target == "" || target == w.uri || target == w.tool)
		})
		return append(wire.AppendBool([]byte(`{"unsubscribed":`), ended), '}'), nil
	}
}

// subscribeResource implements SubscribeMcpResource.
func (v *View) subscribeResource(ctx context.Context, r *CallReport) ([]byte, error) {
	in, err := v.permittedResource(ctx, r)
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
		return nil, h.requestError("resource", in.server, err)
	}
	w := &watch{kind: watchResource, view: v, server: in.server, uri: in.uri, reason: in.reason}
	if err := h.watch(w, client, func(ctx context.Context) { h.follow(ctx, w, client, sub) }); err != nil {
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
	backoff := retry.Backoff{First: firstReopen, Max: lastReopen}
	opened := time.Now()
	for {
		change, err := sub.Next(ctx)
		if err == nil {
			emit(change.URI)
			continue
		}
		sub.Close()
		if time.Since(opened) >= lastReopen {
			backoff.Reset()
		}
		for sub = nil; sub == nil; opened = time.Now() {
			if client.Err() == nil && !backoff.Wait(ctx, 0) { // the server ended the subscription
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
		h.mu.Lock()
		s := h.serverLocked(server)
		if s == nil || h.closed {
			h.mu.Unlock()
			return nil
		}
		client, changed := s.state.client, s.changed
		h.mu.Unlock()
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

const (
	// Polling intervals: the default and the limits.
	defaultInterval = 5 * time.Second
	minInterval     = time.Second
	maxInterval     = 24 * time.Hour
)

func (v *View) subscribePolling(ctx context.Context, r *CallReport) ([]byte, error) {
	in, err := readInput(r.Arguments)
	if err != nil {
		return nil, err
	}
	w := &watch{kind: watchPolling, view: v, server: in.server, reason: in.reason}
	read, err := v.pollReader(&in, w)
	every, invalid := pollInterval(in.interval)
	if err = errors.Join(err, invalid); err == nil {
		_, err = v.host.get(in.server)
	}
	if err == nil {
		err = v.permitted(ctx, &in, r)
	}
	if err == nil {
		err = v.host.watch(w, nil, func(ctx context.Context) { v.host.poll(ctx, w, every, read) })
	}
	if err != nil {
		return nil, err
	}
	return subscribed(w), nil
}

// pollReader returns the function that reads the resource or calls the tool of
// a watch.
func (v *View) pollReader(in *input, w *watch) (func(context.Context) ([]byte, error), error) {
	switch in.kind {
	case "resource":
		w.uri = in.uri
		return func(ctx context.Context) ([]byte, error) {
			res, err := v.host.ReadResource(ctx, in.server, in.uri)
			if err != nil {
				return nil, err
			}
			return appendContents(nil, res), nil
		}, v.require(in, "server", "uri")
	case "tool":
		w.tool = in.tool
		return func(ctx context.Context) ([]byte, error) {
			t, err := v.host.serverTool(ctx, in.server, in.tool)
			if err != nil {
				return nil, err
			}
			text, err := v.limit(t).Execute(ctx, in.arguments)
			return []byte(text), err
		}, v.require(in, "server", "toolName")
	}
	return nil, errors.New(`"type" must be "tool" or "resource"`)
}

// pollInterval returns the interval for a number of milliseconds, or the
// default for 0.
func pollInterval(ms int64) (time.Duration, error) {
	switch {
	case ms == 0:
		return defaultInterval, nil
	case ms < int64(minInterval/time.Millisecond) || ms > int64(maxInterval/time.Millisecond):
		return 0, errors.New(`"intervalMs" must be between 1000 and 86400000`)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// poll emits the first value that look returns and each different one.
func (h *Host) poll(ctx context.Context, w *watch, every time.Duration, read func(context.Context) ([]byte, error)) {
	var last []byte
	failed := false // the previous time
	for first := true; ; first = false {
		text, err := read(ctx)
		if ctx.Err() != nil || errors.Is(err, ErrShutdown) {
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
