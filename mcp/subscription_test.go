package mcp_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// everything is a filter for all changes of the echo server.
var everything = mcp.SubscriptionFilter{
	ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true,
	ResourceSubscriptions: []string{"echo://text"},
}

func TestSubscriptionReportsChanges(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		server := p.server(testserver.Options{})
		c := p.open(t, server, nil)
		sub, err := c.Subscribe(t.Context(), &everything)
		if err != nil {
			t.Fatal(err)
		}
		if got := sub.Honored(); !got.ToolsListChanged || len(got.ResourceSubscriptions) != 1 {
			t.Errorf("honored %+v", got)
		}
		for tool, want := range map[string]mcp.Change{
			"update":   {Kind: mcp.ResourceUpdated, URI: "echo://text"},
			"add_tool": {Kind: mcp.ToolsChanged},
		} {
			if _, err := c.CallTool(t.Context(), tool, nil); err != nil {
				t.Fatal(err)
			}
			for {
				got, err := sub.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got == want {
					break
				}
			}
		}
		sub.Close()
		if _, err := sub.Next(t.Context()); err != io.EOF {
			t.Errorf("after Close: %v", err)
		}
		sub.Close()
		if v := server.Violations(); v != nil {
			t.Errorf("%q", v)
		}
	})
}

func TestSubscriptionsAreIndependent(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		c := p.open(t, p.server(testserver.Options{}), nil)
		tools, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true})
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"echo://text"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "add_tool", nil); err != nil {
			t.Fatal(err)
		}
		if got, err := tools.Next(t.Context()); err != nil || got.Kind != mcp.ToolsChanged {
			t.Errorf("%v, %v", got, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got, err := text.Next(ctx); !errors.Is(err, ctx.Err()) || err == nil {
			t.Errorf("the other was told of %v, %v", got, err)
		}
		c.Close()
		for _, sub := range []*mcp.Subscription{tools, text} {
			if _, err := sub.Next(t.Context()); !errors.Is(err, mcp.ErrClosed) && err != io.EOF {
				t.Errorf("after the client's Close: %v", err)
			}
			sub.Close()
		}
	})
}

func TestSubscriptionCoalescesChanges(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		c := p.open(t, p.server(testserver.Options{}), nil)
		sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"echo://text"}})
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		for range 20 {
			if _, err := c.CallTool(t.Context(), "update", nil); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		n := 0
		for {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := sub.Next(ctx)
			cancel()
			if err != nil {
				break
			}
			n++
		}
		if n != 1 {
			t.Errorf("told %d times", n)
		}
	})
}

func TestServerEndsSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := route{modern, "stdio"}
		c := p.open(t, p.server(testserver.Options{}), nil)
		sub, err := c.Subscribe(t.Context(), &everything)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "end_listen", nil); err != nil {
			t.Fatal(err)
		}
		for {
			if _, err = sub.Next(t.Context()); err != nil {
				break
			}
		}
		if err != io.EOF {
			t.Error(err)
		}
		// It does not block the next one.
		again, err := c.Subscribe(t.Context(), &everything)
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
	})
}

func TestSetLogLevelAndComplete(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		server := p.server(testserver.Options{})
		c := p.open(t, server, nil)
		if err := c.SetLogLevel(t.Context(), mcp.LevelError); err != nil {
			t.Errorf("%v", err)
		}
		got, err := c.Complete(t.Context(), mcp.PromptRef("review"), "language", "g", map[string]string{"x": "y"})
		if err != nil || len(got.Values) == 0 || got.Values[0] != "go" {
			t.Errorf("%+v, %v", got, err)
		}
		_, err = c.Complete(t.Context(), mcp.TemplateRef("echo://greeting/{name}"), "name", "", nil)
		if err != nil {
			t.Errorf("%v", err)
		}
		if v := server.Violations(); v != nil {
			t.Errorf("%q", v)
		}
	})
}

// A breakingTransport has connections on which subscriptions break: the
// first few of them, after life.
type breakingTransport struct {
	mcp.Transport
	breaks int
	life   time.Duration
	opened []time.Time
}

func (b *breakingTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	conn, err := b.Transport.Open(ctx, h)
	return &breakingConn{conn, b}, err
}

type breakingConn struct {
	jsonrpc.Conn
	b *breakingTransport
}

func (c *breakingConn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	if req.Method != "subscriptions/listen" {
		return c.Conn.Call(ctx, req)
	}
	c.b.opened = append(c.b.opened, time.Now())
	if len(c.b.opened) > c.b.breaks {
		return c.Conn.Call(ctx, req)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.b.life, io.ErrUnexpectedEOF)
	defer cancel()
	return c.Conn.Call(ctx, req)
}

// TestBrokenSubscriptionIsReopened: with back-off, and everything in the filter
// counts as changed.
func TestBrokenSubscriptionIsReopened(t *testing.T) {
	for _, over := range []string{"stdio", "http"} {
		synctest.Test(t, func(t *testing.T) {
			p := route{modern, over}
			s := p.server(testserver.Options{})
			tr := &breakingTransport{Transport: p.transport(t, s), breaks: 3, life: 10 * time.Second}
			var waits []time.Duration
			c := connectTransport(t, tr, &mcp.Options{Trace: &mcp.Trace{Reconnect: func(_ context.Context, err error, wait time.Duration) {
				wantError(t, err, io.ErrUnexpectedEOF, "subscriptions/listen")
				waits = append(waits, wait)
			}}})
			sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"echo://text"}})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			time.Sleep(time.Minute)
			synctest.Wait()
			if want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}; !slices.Equal(waits, want) {
				t.Errorf("%s: Reconnect reports waits of %v, want %v", over, waits, want)
			}
			for i, want := range []time.Duration{11 * time.Second, 12 * time.Second, 14 * time.Second} {
				if got := tr.opened[i+1].Sub(tr.opened[i]); got != want {
					t.Errorf("%s: opened again after %v, want %v", over, got, want)
				}
			}
			for _, want := range []mcp.Change{{Kind: mcp.ToolsChanged}, {Kind: mcp.ResourceUpdated, URI: "echo://text"}} {
				if got, err := sub.Next(t.Context()); err != nil || got != want {
					t.Errorf("%s: told of %v, %v, want %v", over, got, err, want)
				}
			}
			if _, err := c.CallTool(t.Context(), "add_tool", nil); err != nil {
				t.Fatal(err)
			}
			if got, err := sub.Next(t.Context()); err != nil || got.Kind != mcp.ToolsChanged {
				t.Errorf("%s: then told of %v, %v", over, got, err)
			}
			if v := s.Violations(); v != nil {
				t.Errorf("%s: %q", over, v)
			}
		})
	}
}

// TestRefusedSubscription: the client does not repeat it.
func TestRefusedSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		server.Tool("t", nil, nil)
		server.Inject("subscriptions/listen", mcptest.Refuse(-32601, "no such thing"))
		_, err := server.Connect(nil).Subscribe(t.Context(), &everything)
		wantCode(t, err, -32601)
		time.Sleep(time.Hour)
		if n := len(server.Requests("subscriptions/listen")); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// TestLegacyServerCannotAcknowledge: in the legacy era what a subscription has is
// what the client asked for, which is also what it unsubscribes from.
func TestLegacyServerCannotAcknowledge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, legacy, func(p *peer, m request) { p.answer(m, `{}`) })
		c := connectStream(t, rwc, nil)
		stop := make(chan struct{})
		go func() { // ends with the test
			for {
				select {
				case <-stop:
					return
				default:
					p.notify("notifications/subscriptions/acknowledged", `{"notifications":{"resourceSubscriptions":["file:///theirs"]}}`)
				}
			}
		}()
		s, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"file:///mine"}})
		if err != nil {
			t.Fatal(err)
		}
		close(stop)
		p.notify("notifications/subscriptions/acknowledged", `{"notifications":{"resourceSubscriptions":["file:///theirs"]}}`)
		synctest.Wait()
		if got := s.Honored().ResourceSubscriptions; len(got) != 1 || got[0] != "file:///mine" {
			t.Errorf("honored %q", got)
		}
		s.Close()
		synctest.Wait()
		got := p.messages("resources/unsubscribe")
		if len(got) != 1 || !strings.Contains(got[0].line, "file:///mine") {
			t.Errorf("unsubscribed %+v", got)
		}
	})
}
