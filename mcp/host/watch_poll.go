package host

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/retry"
)

const (
	// Polling intervals: the default and the limits.
	defaultInterval = 5 * time.Second
	minInterval     = time.Second
	maxInterval     = 24 * time.Hour
)

// subscribePolling implements SubscribePolling.
func (v *View) subscribePolling(ctx context.Context, r *CallReport) ([]byte, error) {
	in, err := readInput(r.Arguments)
	if err != nil {
		return nil, err
	}
	w := &watch{kind: watchPolling, server: in.server, reason: in.reason}
	read, err := v.pollReader(&in, w)
	every, invalid := pollInterval(in.interval)
	if err = errors.Join(err, invalid); err == nil {
		_, err = v.host.get(in.server)
	}
	if err == nil {
		err = v.permitted(ctx, &in, r)
	}
	if err == nil {
		err = v.host.watch(w, func(ctx context.Context) { v.host.poll(ctx, w, every, read) })
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
			t, err := v.host.tool(ctx, in.server, in.tool)
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
