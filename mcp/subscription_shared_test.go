package mcp_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// oneResource is a filter for a resource that several subscriptions share.
var oneResource = &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"file:///a"}}

// TestEachSubscriptionIsAcknowledged: before 2026-07-28, a subscription to a resource
// does not rely on the request of another one, which may fail.
func TestEachSubscriptionIsAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		_, rwc := newPeer(t, legacy, func(p *peer, m request) {
			if m.Method == "resources/subscribe" {
				if requests++; requests == 1 {
					return // no response
				}
			}
			p.answer(m, `{}`)
		})
		c := connectStream(t, rwc, nil)
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() { // ends when ctx is canceled
			_, err := c.Subscribe(ctx, oneResource)
			first <- err
		}()
		synctest.Wait()
		sub, err := c.Subscribe(t.Context(), oneResource)
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		cancel()
		wantError(t, <-first, context.Canceled)
		if requests != 2 {
			t.Errorf("the server was asked %d times", requests)
		}
	})
}

// TestSubscribeWhileAnotherUnsubscribes: the server may receive the request of the
// subscription that ends after that of the new one.
func TestSubscribeWhileAnotherUnsubscribes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, legacy, func(p *peer, m request) { p.answer(m, `{}`) })
		var second *mcp.Subscription
		c := connectStream(t, rwc, &mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			if call.Method == "resources/unsubscribe" && second == nil {
				var err error
				if second, err = call.Client().Subscribe(ctx, oneResource); err != nil {
					t.Error(err)
				}
			}
			return call.Send(ctx)
		}}})
		first, err := c.Subscribe(t.Context(), oneResource)
		if err != nil {
			t.Fatal(err)
		}
		first.Close()
		if got := p.received[len(p.received)-1].Method; got != "resources/subscribe" {
			t.Errorf("the last request is %s", got)
		}
		second.Close()
		if n := len(p.messages("resources/unsubscribe")); n != 2 {
			t.Errorf("unsubscribed %d times", n)
		}
	})
}

// TestCloseDuringBackOff: a subscription that the server has not acknowledged yet
// fails when the client is closed.
func TestCloseDuringBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := route{modern, "stdio"}
		tr := &breakingTransport{Transport: p.transport(t, p.server(testserver.Options{})), breaks: 1}
		c := connectTransport(t, tr, nil)
		closed := time.AfterFunc(500*time.Millisecond, func() { c.Close() })
		defer closed.Stop()
		_, err := c.Subscribe(t.Context(), &everything)
		wantError(t, err, mcp.ErrClosed)
	})
}
