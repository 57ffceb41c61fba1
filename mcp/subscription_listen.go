package mcp

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

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

// open opens the subscription and returns when the server has acknowledged.
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
		_, _, err := s.take()
		if err == io.EOF {
			err = s.client.failed(listenCall(s), errors.New("the server ended the subscription immediately"))
		}
		return err
	case <-ctx.Done():
		return s.client.failed(listenCall(s), context.Cause(ctx))
	}
}

// keepOpen opens the subscription repeatedly until the server ends or refuses it.
func (s *Subscription) keepOpen(ctx context.Context) {
	defer close(s.ended)
	backoff := retry.Backoff{First: firstReopen, Max: lastReopen}
	for {
		began := time.Now()
		err := s.listen(ctx)
		switch {
		case err == nil:
			s.end(io.EOF)
			return
		case s.client.ctx.Err() != nil || s.client.conn.Err() != nil:
			s.end(ErrClosed)
			return
		case ctx.Err() != nil || serverError(err) != nil:
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

// listen sends the request and returns when the server has ended it.
func (s *Subscription) listen(ctx context.Context) (err error) {
	defer s.client.recover(&err) // of Intercept
	_, err = s.client.inSession(ctx, listenCall(s))
	return err
}

func listenCall(s *Subscription) *call {
	q := newCall("subscriptions/listen", "", func(_ *request, b []byte) ([]byte, error) {
		return appendObject(wire.AppendKey(b, "notifications"), &s.filter), nil
	})
	q.started = func(id jsonrpc.ID) {
		s.mu.Lock()
		s.id = id
		s.mu.Unlock()
	}
	return q
}

// acknowledge handles the acknowledgment of the server.
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

// both returns the strings of a that are also in b.
//
//go:noinline
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

// requested returns copies of the members of honored that asked has, too.
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
