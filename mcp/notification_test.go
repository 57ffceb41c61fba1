package mcp_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
)

func TestNotificationFunc(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			var got []string // the race detector checks that calls are sequential
			var j dropLog
			p, _ := connectPeer(t, version, &mcp.Options{Trace: j.trace(), Handlers: []mcp.Handler{
				mcp.HandleNotification("", func(_ context.Context, method string, params mcp.RawMessage) {
					got = append(got, method+" "+string(params))
					if method == "com.example/panics" {
						panic("cannot handle it")
					}
				}),
			}})
			p.notify("com.example/panics", `{"a": 1}`)
			p.notify("notifications/tools/list_changed", `{}`)
			p.notify("notifications/progress", `{"progressToken":1,"progress":1}`)
			p.notify("notifications/message", `{"level":"info","data":1}`)
			p.send(`{"jsonrpc":"2.0","method":"com.example/short"}`)
			synctest.Wait()
			want := []string{`com.example/panics {"a": 1}`, "notifications/tools/list_changed {}", "com.example/short "}
			if !slices.Equal(got, want) || !j.contains("cannot handle it") {
				t.Errorf("%s: got %q, dropped %v", version, got, j.all())
			}
		})
	}
}

func TestNotificationFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j dropLog
		release := make(chan struct{})
		p, c := connectPeer(t, modern, &mcp.Options{Trace: j.trace(), Handlers: []mcp.Handler{
			mcp.HandleNotification("", func(context.Context, string, mcp.RawMessage) { <-release }),
		}})
		for range 3000 {
			p.notify("com.example/x", "{}")
		}
		synctest.Wait()
		if n := len(j.all()); n < 1000 || !j.matches(mcp.ErrOverloaded) {
			t.Errorf("dropped %d of 3000", n)
		}
		close(release)
		c.Close()
	})
}
