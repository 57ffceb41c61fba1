package mcp

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Subscriptions in the modern era: requests that stay open.

const (
	// The back-off before a broken subscription is opened again: the first
	// wait, which doubles, and the longest.
	firstReopen, lastReopen = time.Second, time.Minute
)

func (s *Subscription) open(ctx context.Context) error {
	life, cancel := context.WithCancel(s.client.ctx)
	s.cancel = cancel
	go s.keepOpen(life) // ends when life is canceled
	ctx, stop := s.client.withCallTimeout(ctx)
	defer stop()
	select {
	case <-s.acked:
		return nil
	case <-s.ended:
		s.mu.Lock()
		opened, err := s.opened, s.err
		s.mu.Unlock()
		if opened { // both have happened
			return nil
		}
		if err == io.EOF {
			err = s.client.failed(listenRequest(s), errors.New("the server ended the subscription immediately"))
		}
		return err
	case <-ctx.Done():
		return s.client.failed(listenRequest(s), retry.Cause(ctx))
	}
}

func (s *Subscription) keepOpen(ctx context.Context) {
	defer close(s.ended)
	backoff := retry.Backoff{First: firstReopen, Max: lastReopen}
	for {
		began := time.Now()
		err := s.listen(ctx)
		refused := err != nil && isPermanent(err)
		switch {
		case s.client.ctx.Err() != nil || s.client.conn.Err() != nil:
			s.end(ErrClosed)
			return
		case ctx.Err() != nil:
			s.end(err)
			return
		case err == nil && !s.lasting:
			s.end(io.EOF)
			return
		case err == nil:
			err = errEnded
		case refused:
			err = diag.Error(err.Error(), ErrNoChanges, err)
		}
		if s.lasting {
			s.report(err, refused)
		}
		if refused || !s.lasting && (s.isRevoked() || serverError(err) != nil) {
			s.end(err)
			return
		}
		if time.Since(began) > lastReopen {
			backoff.Reset()
		}
		backoff.Observe = func(wait time.Duration) { s.client.reconnecting(err, wait) }
		if !backoff.Wait(ctx, 0) {
			s.end(ErrClosed)
			return
		}
	}
}

var errEnded = errors.New("the server has ended the subscription")

func isPermanent(err error) bool {
	if e, ok := diag.Find[interface {
		error
		Permanent() bool
	}](err); ok {
		return e.Permanent()
	}
	return isUnknownMethod(err)
}

// report tells the program once why changes are not reported: when the server
// refuses the subscription for good, or has never acknowledged it.
func (s *Subscription) report(err error, permanent bool) {
	s.mu.Lock()
	first := !s.opened
	s.opened = true
	s.mu.Unlock()
	if first || permanent {
		s.client.discarded(err, []byte("subscriptions/listen"))
		_ = s.enqueue(Change{Err: err})
	}
	if first {
		close(s.acked)
	}
}

func (s *Subscription) canceled(reason string) {
	if reason != "" {
		reason = ": " + reason
	}
	s.mu.Lock()
	if s.stop != nil {
		s.revoked = true
		s.stop(diag.Error("the server canceled the subscription"+reason, io.EOF, nil))
	}
	s.mu.Unlock()
}

func (s *Subscription) isRevoked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revoked
}

// listen sends the request and returns when the server has ended it.
func (s *Subscription) listen(ctx context.Context) (err error) {
	defer s.client.recover(&err) // of an Interceptor
	ctx, stop := context.WithCancelCause(ctx)
	s.mu.Lock()
	s.stop, s.revoked = stop, false
	s.mu.Unlock()
	_, err = s.client.roundTrip(ctx, listenRequest(s))
	s.mu.Lock()
	revoked := s.revoked
	s.stop, s.id = nil, jsonrpc.ID{}
	s.mu.Unlock()
	if cause := context.Cause(ctx); revoked && err != nil && !errors.Is(err, cause) {
		err = s.client.failed(listenRequest(s), cause) // over HTTP, the stream has ended at the same time
	}
	stop(nil)
	return err
}

func listenRequest(s *Subscription) *request {
	q := newRequest("subscriptions/listen", "", func(_ *request, b []byte) ([]byte, error) {
		return appendObject(wire.AppendKey(b, "notifications"), &s.filter), nil
	})
	q.started = func(id jsonrpc.ID) {
		s.mu.Lock()
		s.id = id
		s.mu.Unlock()
	}
	q.cancel = func(id jsonrpc.ID) *jsonrpc.Request {
		if s.isRevoked() {
			return nil
		}
		return cancelNotification(id)
	}
	return q
}

func (s *Subscription) acknowledge(honored SubscriptionFilter) {
	// A server may acknowledge more than the program asked for.
	honored.ResourceSubscriptions = both(s.filter.ResourceSubscriptions, honored.ResourceSubscriptions)
	honored.TaskIDs = both(s.filter.TaskIDs, honored.TaskIDs)
	honored.Extra = requested(s.filter.Extra, honored.Extra)
	s.mu.Lock()
	again := s.opened
	s.honored, s.opened = honored, true
	s.mu.Unlock()
	if again {
		s.resync()
	} else {
		close(s.acked)
	}
}

func both(a, b []string) (list []string) {
	in := make(map[string]bool, len(b))
	for _, v := range b {
		in[v] = true
	}
	for _, v := range a {
		if in[v] {
			list = append(list, v)
		}
	}
	return list
}

// maxHonored is the limit of the length of a member that both filters have.
const maxHonored = 4 << 10

func requested(asked, honored map[string]RawMessage) map[string]RawMessage {
	var m map[string]RawMessage
	for key := range asked {
		if v, ok := honored[key]; ok && len(v) <= maxHonored {
			if m == nil {
				m = make(map[string]RawMessage)
			}
			m[key] = slices.Clone(v)
		}
	}
	return m
}
