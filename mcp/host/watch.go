package host

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
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
	mu   lock.Mutex
	last int
	list []*watch
}

// maxWatches limits the number of watches, because models create them.
const maxWatches = 256

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
		_ = h.guard(func() { run(ctx) }) // a panic of Intercept ends the watch
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
			return w.kind == kind && v.sees(w.server) && (in.id == "" || in.id == w.id) &&
				(in.server == "" || in.server == w.server) && (target == "" || target == w.uri || target == w.tool)
		})
		return append(wire.AppendBool([]byte(`{"unsubscribed":`), ended), '}'), nil
	}
}
