package mcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// modernRoutes are the routes over which subscriptions are requests.
var modernRoutes = []route{{modern, "stdio"}, {modern, "http"}}

// TestServerCancelsSubscription: with notifications/cancelled, which is the only way
// for a server on stdio that does not respond.
func TestServerCancelsSubscription(t *testing.T) {
	for _, p := range modernRoutes {
		synctest.Test(t, func(t *testing.T) {
			c := p.open(t, p.server(testserver.Options{Fault: "listen-canceled", Delay: 5 * time.Second}), nil)
			sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true})
			if err != nil {
				t.Fatal(err)
			}
			wantDuration(t, 5*time.Second, func() {
				_, err = sub.Next(t.Context())
				wantError(t, err, io.EOF, "canceled", "the server is busy")
			})
			sub.Close()
			if _, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil {
				t.Error(err)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			s := p.server(testserver.Options{Fault: "listen-canceled-early"})
			c := p.open(t, s, nil)
			wantDuration(t, 0, func() {
				_, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true})
				wantError(t, err, nil, "subscriptions/listen", "the server is busy")
			})
			synctest.Wait()
			if got := receivedMethods(s); slices.Contains(got, "notifications/cancelled") {
				t.Errorf("the client cancels a request that the server has canceled: %q", got)
			}
		})
	}
}

// TestForeignCancellations: only the id of the subscription ends it, with its type.
func TestForeignCancellations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *peer
		p, rwc := newPeer(t, modern, func(p *peer, m request) {
			if m.Method == "subscriptions/listen" {
				p.notify("notifications/subscriptions/acknowledged", `{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":`+string(m.ID)+`}}`)
				for _, params := range []string{`{"requestId":"` + string(m.ID) + `"}`, `{"requestId":999}`, `{"requestId":null}`, `{}`} {
					p.notify("notifications/cancelled", params)
				}
			}
		})
		c := connectStream(t, rwc, nil)
		sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true})
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if change, err := sub.Next(ctx); err != context.DeadlineExceeded {
			t.Errorf("%v, %v", change, err)
		}
		id := string(p.messages("subscriptions/listen")[0].ID)
		p.answer(p.messages("subscriptions/listen")[0], `{"resultType":"complete"}`)
		p.notify("notifications/cancelled", `{"requestId":`+id+`}`)
		if _, err := sub.Next(t.Context()); err != io.EOF {
			t.Errorf("after the response: %v", err)
		}
	})
}

// TestChangesSurviveTheEndOfTheirSubscription: they go on, and report what may have
// been missed.
func TestChangesSurviveTheEndOfTheirSubscription(t *testing.T) {
	for _, fault := range []string{"listen-canceled", "listen-canceled-early"} {
		for _, p := range modernRoutes {
			synctest.Test(t, func(t *testing.T) {
				var got []mcp.Change
				s := p.server(testserver.Options{Fault: fault, Delay: 2 * time.Minute})
				p.open(t, s, &mcp.Options{Handlers: []mcp.Handler{mcp.Changes{Changed: func(_ context.Context, change mcp.Change) { got = append(got, change) }}}})
				time.Sleep(3*time.Minute + time.Second)
				synctest.Wait()
				if fault == "listen-canceled" {
					if want := []mcp.Change{{Kind: mcp.ToolsChanged}}; !slices.Equal(got, want) || countRequests(s, "subscriptions/listen") != 2 {
						t.Errorf("%s: %d requests, changes %v, want %v", p.over, countRequests(s, "subscriptions/listen"), got, want)
					}
				} else if n := countRequests(s, "subscriptions/listen"); n != 8 || len(got) != 1 || got[0].Err == nil { // after 1 + 2 + 4 + … + 60 + 60 s
					t.Errorf("%s: %d requests, changes %v", p.over, n, got)
				}
			})
		}
	}
	synctest.Test(t, func(t *testing.T) { // a response ends a subscription as well
		p := route{modern, "stdio"}
		changes := 0
		s := p.server(testserver.Options{})
		c := p.open(t, s, &mcp.Options{Handlers: []mcp.Handler{mcp.Changes{Changed: func(_ context.Context, change mcp.Change) { changes++ }}}})
		if _, err := c.CallTool(t.Context(), "end_listen", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if countRequests(s, "subscriptions/listen") != 2 || changes != 3 {
			t.Errorf("%d requests, %d changes", countRequests(s, "subscriptions/listen"), changes)
		}
	})
}

// TestRefusedChanges: a server that declares changes and refuses to report them is
// usable. The refusal is reported once.
func TestRefusedChanges(t *testing.T) {
	for _, tt := range []struct {
		fault  string
		over   string
		asked  int // within ten minutes
		status int
		code   int64
	}{
		{fault: "listen-refused", over: "stdio", asked: 1, code: -32601},
		{fault: "listen-refused", over: "http", asked: 1, code: -32601},
		{fault: "listen-404", over: "http", asked: 1, status: 404},
		{fault: "listen-405", over: "http", asked: 1, status: 405},
		{fault: "listen-503", over: "http", asked: 15, status: 503},
		{fault: "listen-429-once", over: "http", asked: 2, status: 429},
	} {
		t.Run(tt.fault+"/"+tt.over, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := route{modern, tt.over}
				var asked atomic.Int32
				s := p.server(testserver.Options{Fault: tt.fault})
				var got []mcp.Change
				var discarded, reconnects []error
				o := &mcp.Options{
					Handlers: []mcp.Handler{mcp.Changes{Changed: func(_ context.Context, change mcp.Change) { got = append(got, change) }}},
					Trace: &mcp.Trace{
						Discarded: func(_ context.Context, reason error, _ []byte) { discarded = append(discarded, reason) },
						Reconnect: func(_ context.Context, err error, _ time.Duration) { reconnects = append(reconnects, err) },
						Message: func(_ context.Context, sent bool, data []byte) {
							if sent && methodOf(data) == "subscriptions/listen" {
								asked.Add(1)
							}
						},
					},
				}
				var c *mcp.Client
				wantDuration(t, 0, func() { c = p.open(t, s, o) })
				if _, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil {
					t.Error(err)
				}
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if n := int(asked.Load()); n != tt.asked {
					t.Errorf("asked %d times, want %d", n, tt.asked)
				}
				if tt.fault == "listen-429-once" && len(got) == 4 {
					got = got[:1] // then everything counts as changed
				}
				if len(got) != 1 || got[0].Err == nil || got[0].Kind != "" {
					t.Fatalf("the handler received %v", got)
				}
				if len(discarded) != 1 || discarded[0] != got[0].Err || tt.asked == 1 && len(reconnects) > 0 {
					t.Errorf("the trace received %q and reconnects %q", discarded, reconnects)
				}
				if tt.code != 0 {
					wantCode(t, got[0].Err, tt.code)
				} else {
					wantError(t, got[0].Err, nil, http.StatusText(tt.status))
				}
			})
		})
	}
}

// TestPermanentRefusalOfSubscription: Subscribe returns it at once.
func TestPermanentRefusalOfSubscription(t *testing.T) {
	for _, fault := range []string{"listen-refused", "listen-404", "listen-405"} {
		synctest.Test(t, func(t *testing.T) {
			p := route{modern, "http"}
			s := p.server(testserver.Options{Fault: fault})
			c := p.open(t, s, nil)
			wantDuration(t, 0, func() {
				_, err := c.Subscribe(t.Context(), nil)
				wantError(t, err, mcp.ErrNoChanges, "subscriptions/listen")
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // a temporary one may pass
		p := route{modern, "http"}
		c := p.open(t, p.server(testserver.Options{Fault: "listen-429-once"}), nil)
		wantDuration(t, time.Second, func() {
			sub, err := c.Subscribe(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			sub.Close()
		})
	})
}

// TestChangeThatWasNotHonored: the subscription does not have it.
func TestChangeThatWasNotHonored(t *testing.T) {
	for _, p := range modernRoutes {
		synctest.Test(t, func(t *testing.T) {
			c := p.open(t, p.server(testserver.Options{Fault: "listen-unhonored"}), nil)
			sub, err := c.Subscribe(t.Context(), &everything)
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if change, err := sub.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v, %v", p.over, change, err)
			}
		})
	}
}
