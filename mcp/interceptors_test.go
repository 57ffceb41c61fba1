package mcp_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestFirstInterceptorIsOutermost: each one sees what those before it have added, and
// one may send twice.
func TestFirstInterceptorIsOutermost(t *testing.T) {
	for _, version := range eras {
		o := onlyVersion(version)
		var seen []string
		step := func(name string, sends int) mcp.Interceptor {
			return func(ctx context.Context, call *mcp.OutgoingCall) (raw mcp.RawMessage, err error) {
				if call.Method != "tools/call" {
					return call.Send(ctx)
				}
				call.SetMeta(name, true)
				for range sends {
					seen = append(seen, name+" sends "+string(call.Params()))
					raw, err = call.Send(ctx)
				}
				return raw, err
			}
		}
		c := connect(t, testserver.New(&o), &mcp.Options{Interceptors: []mcp.Interceptor{nil, step("outer", 2), nil, step("inner", 1), nil}})
		if _, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil {
			t.Fatal(err)
		}
		const params = ` sends {"name":"echo","arguments":{"message":"hi"}`
		want := []string{"outer" + params + "}", "inner" + params + `,"_meta":{"outer":true}}`, "outer" + params + "}", "inner" + params + `,"_meta":{"outer":true}}`}
		if !slices.Equal(seen, want) {
			t.Errorf("%s: %q, want %q", version, seen, want)
		}
	}
}

// TestNotificationsByMethod: a handler with a method receives no others.
func TestNotificationsByMethod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all, one []string
		receive := func(list *[]string) func(context.Context, string, mcp.RawMessage) {
			return func(_ context.Context, method string, _ mcp.RawMessage) { *list = append(*list, method) }
		}
		_, rwc := newPeer(t, legacy, func(p *peer, m request) {
			if m.Method == "tools/call" {
				p.send(`{"jsonrpc":"2.0","method":"notifications/a"}`)
				p.send(`{"jsonrpc":"2.0","method":"notifications/b"}`)
				p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[]}}`)
			}
		})
		c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{
			mcp.HandleNotification("", receive(&all)), mcp.HandleNotification("notifications/b", receive(&one)), mcp.HandleNotification("x", nil),
		}})
		if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !slices.Equal(all, []string{"notifications/a", "notifications/b"}) || !slices.Equal(one, []string{"notifications/b"}) {
			t.Errorf("all: %q, one: %q", all, one)
		}
	})
}
