package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// countRequests returns how many requests of a method a server has received.
func countRequests(s *testserver.Server, method string) (n int) {
	for _, m := range s.Received() {
		if m.Method == method {
			n++
		}
	}
	return n
}

func TestCacheRespectsTimeToLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := onlyVersion(modern)
		o.PageSize = 5
		server := testserver.New(&o)
		c := connect(t, server, &mcp.Options{Cache: mcp.CacheSize(0)})
		first, err := c.ListTools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pages := countRequests(server, "tools/list")
		again, err := c.ListTools(t.Context())
		if err != nil || len(again) != len(first) || pages < 2 || countRequests(server, "tools/list") != pages {
			t.Errorf("%d tools, then %d; %d pages, then %d", len(first), len(again), pages, countRequests(server, "tools/list"))
		}
		for range 2 {
			if _, err := c.ReadResource(t.Context(), "echo://text"); err != nil {
				t.Fatal(err)
			}
		}
		if n := countRequests(server, "resources/read"); n != 1 {
			t.Errorf("read %d times", n)
		}
		// Refresh bypasses the cache and stores the result.
		for range 2 {
			for i, ctx := range []context.Context{mcp.WithoutCache(t.Context()), t.Context()} {
				before := countRequests(server, "resources/read")
				if _, err := c.ReadResource(ctx, "echo://text"); err != nil || countRequests(server, "resources/read") != before+1-i {
					t.Errorf("refreshed: read %d times, %v", countRequests(server, "resources/read"), err)
				}
			}
		}
		time.Sleep(25 * time.Hour)
		if _, err := c.ListTools(t.Context()); err != nil || countRequests(server, "tools/list") != 2*pages {
			t.Errorf("when it is old: %d pages, %v", countRequests(server, "tools/list"), err)
		}
	})
}

// TestCallOfAListIsNotCached: Call returns what the server sends.
func TestCallOfAListIsNotCached(t *testing.T) {
	o := onlyVersion(modern)
	server := testserver.New(&o)
	c := connect(t, server, &mcp.Options{Cache: mcp.CacheSize(0)})
	if _, err := c.ListToolsPage(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), "tools/list", nil); err != nil || countRequests(server, "tools/list") != 2 {
		t.Errorf("%d requests, %v", countRequests(server, "tools/list"), err)
	}
}

func TestCacheDropsChangedResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := onlyVersion(modern)
		server := testserver.New(&o)
		c := connect(t, server, &mcp.Options{Cache: mcp.CacheSize(0)})
		sub, err := c.Subscribe(t.Context(), &everything)
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		before, err := c.ListTools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "add_tool", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := sub.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		after, err := c.ListTools(t.Context())
		if err != nil || len(after) != len(before)+1 {
			t.Errorf("%d tools, then %d, %v", len(before), len(after), err)
		}
	})
}

// TestCacheWithStaleCursor: the client reads the list again, once
// (2026-07-28 server/utilities/caching, Pagination).
func TestCacheWithStaleCursor(t *testing.T) {
	for _, fixed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			epoch := 1
			p, rwc := newPeer(t, modern, func(p *peer, m request) {
				page := func(members string) {
					p.answer(m, `{"resultType":"complete","ttlMs":60000,"cacheScope":"private",`+members+`}`)
				}
				switch {
				case !strings.Contains(m.line, `"cursor"`):
					page(fmt.Sprintf(`"tools":[{"name":"a%d","inputSchema":{}}],"nextCursor":"%d"`, epoch, epoch))
				case strings.Contains(m.line, fmt.Sprintf(`"cursor":"%d"`, epoch)) && (epoch == 1 || fixed):
					p.answer(m, fmt.Sprintf(`{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"b%d","inputSchema":{}}]}`, epoch))
				default:
					p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32602,"message":"no such page"}}`)
				}
			})
			c := connectStream(t, rwc, &mcp.Options{Cache: mcp.CacheSize(0)})
			for epoch = 1; epoch <= 2; epoch++ {
				tools, err := c.ListTools(t.Context())
				if epoch == 2 && !fixed {
					wantCode(t, err, -32602)
				} else if err != nil || len(tools) != 2 || tools[0].Name != fmt.Sprint("a", epoch) {
					t.Errorf("epoch %d: %d tools, %v", epoch, len(tools), err)
				}
			}
			if n := len(p.messages("tools/list")); n != 5 { // both pages, the refused second page, both again
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestNoCacheByDefault(t *testing.T) {
	o := onlyVersion(modern)
	server := testserver.New(&o)
	c := connect(t, server, nil)
	for range 2 {
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := countRequests(server, "tools/list"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// TestCacheHitDoesNotExtendTimeToLive reads a resource 40 times, 50 s apart,
// with a time to live of 60 s: the server must be asked every other time.
func TestCacheHitDoesNotExtendTimeToLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, modern, func(p *peer, m request) {
			p.answer(m, `{"resultType":"complete","ttlMs":60000,"cacheScope":"private","contents":[]}`)
		})
		c := connectStream(t, rwc, &mcp.Options{Cache: mcp.CacheSize(0)})
		for range 40 {
			if _, err := c.ReadResource(t.Context(), "echo://text"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Second)
		}
		if n := len(p.messages("resources/read")); n != 20 {
			t.Errorf("the server received %d requests, want 20", n)
		}
	})
}

// TestRefreshRemovesOlderEntry: the result of a refresh that must not be cached
// is newer than the entry.
func TestRefreshRemovesOlderEntry(t *testing.T) {
	for _, over := range []string{"stdio", "http"} {
		synctest.Test(t, func(t *testing.T) {
			p := route{modern, over}
			c := p.open(t, p.server(testserver.Options{Fault: "ttl-once"}), &mcp.Options{Cache: mcp.CacheSize(0)})
			for i, ctx := range []context.Context{t.Context(), t.Context(), mcp.WithoutCache(t.Context()), t.Context()} {
				tools, err := c.ListTools(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := tools[0].Name, fmt.Sprintf("tool_%03d", []int{1, 1, 2, 3}[i]); got != want {
					t.Errorf("%s: list %d has %s, want %s", over, i, got, want)
				}
			}
		})
	}
}

// TestCacheWithCanceledContext: a canceled call fails, whatever the cache contains.
func TestCacheWithCanceledContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := route{modern, "stdio"}
		c := p.open(t, p.server(testserver.Options{}), &mcp.Options{Cache: mcp.CacheSize(0)})
		if _, err := c.ReadResource(t.Context(), "echo://text"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("no more"))
		_, err := c.ReadResource(ctx, "echo://text")
		wantError(t, err, nil, "resources/read", "no more")
	})
}
