package host_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// requests returns how many requests of a method a server has received.
func requests(s *testserver.Server, method string) (n int) {
	for _, m := range s.Received() {
		if m.Method == method {
			n++
		}
	}
	return n
}

// TestHostSubscribesAgain: with back-off, and it lists the tools again, as a change
// may have been missed.
func TestHostSubscribesAgain(t *testing.T) {
	for _, tt := range []struct {
		fault                string
		subscriptions, lists int // within 31 s
	}{
		{"listen-canceled", 3, 3},       // each lasts 10 s
		{"listen-canceled-early", 5, 1}, // after 1, 2, 4, 8 and 16 s
		{"listen-refused", 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(&testserver.Options{Fault: tt.fault, Delay: 10 * time.Second})
			fakes{"x": f}.start(t, host.Options{})
			time.Sleep(30*time.Second + 500*time.Millisecond)
			synctest.Wait()
			if n := requests(f.Server, "subscriptions/listen"); n != tt.subscriptions {
				t.Errorf("%s: %d subscriptions, want %d", tt.fault, n, tt.subscriptions)
			}
			if n := requests(f.Server, "tools/list"); n != tt.lists {
				t.Errorf("%s: %d lists of tools, want %d", tt.fault, n, tt.lists)
			}
		})
	}
}

// TestHostOfServerThatRefusesSubscriptions: the server is connected at once, and
// without a subscription the host uses the TTL of the list.
func TestHostOfServerThatRefusesSubscriptions(t *testing.T) {
	for _, fault := range []string{"listen-404", "listen-405", "listen-503"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWebsite(t, &testserver.Options{Fault: fault})
			start := time.Now()
			h, stop := w.host(t, config.HTTP, host.Options{})
			defer stop()
			if took := time.Since(start); fault != "listen-503" && took > time.Second {
				t.Errorf("%s: connected after %v", fault, took)
			}
			if err := echo(t.Context(), h, "hi"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestHostMissesLittleBetweenStreams: the stream of a session that ends is opened
// again at once.
func TestHostMissesLittleBetweenStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, &testserver.Options{Fault: "get-ends-early", Delay: 10 * time.Second})
		h, stop := w.host(t, config.HTTP, host.Options{})
		defer stop()
		events := h.Events(t.Context())
		time.Sleep(10*time.Second + time.Millisecond) // the stream has just ended
		start := time.Now()
		if _, err := h.CallTool(t.Context(), "x", "add_tool", nil); err != nil {
			t.Fatal(err)
		}
		await(t, events, "the tool", func(e host.Event) bool { return len(e.Added) == 1 })
		if took := time.Since(start); took > 500*time.Millisecond {
			t.Errorf("the change arrived after %v", took)
		}
	})
}

// TestHostListsToolsOfAServerThatGaveUpItsStream: when the client has given up the stream
// of the session, the host lists the tools every few minutes, and a program's trace still
// receives the report.
func TestHostListsToolsOfAServerThatGaveUpItsStream(t *testing.T) {
	for name, trace := range map[string]func(said *atomic.Int32) *mcp.Trace{
		"StreamLost": func(said *atomic.Int32) *mcp.Trace {
			return &mcp.Trace{StreamLost: func(context.Context, error) { said.Add(1) }}
		},
		"Discarded": func(said *atomic.Int32) *mcp.Trace {
			return &mcp.Trace{Discarded: func(context.Context, error, []byte) { said.Add(1) }}
		},
		"none": func(said *atomic.Int32) *mcp.Trace { said.Add(1); return nil },
	} {
		synctest.Test(t, func(t *testing.T) {
			var said atomic.Int32
			w := newWebsite(t, &testserver.Options{Fault: "get-405-later", Delay: 10 * time.Second})
			h, stop := w.host(t, config.HTTP, host.Options{Client: &mcp.Options{Trace: trace(&said)}})
			defer stop()
			events := h.Events(t.Context())
			time.Sleep(15 * time.Second) // the stream has ended for good
			if n := said.Load(); n != 1 {
				t.Errorf("%s: %d reports", name, n)
			}
			for range 2 {
				start := time.Now()
				if _, err := h.CallTool(t.Context(), "x", "add_tool", nil); err != nil {
					t.Fatal(err)
				}
				await(t, events, "the tool", func(e host.Event) bool { return len(e.Added) == 1 })
				if took := time.Since(start); took > 5*time.Minute {
					t.Errorf("%s: the change arrived after %v", name, took)
				}
			}
		})
	}
}
