package mcp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func names(tools []*mcp.Tool) (list []string) {
	for _, t := range tools {
		list = append(list, t.Name)
	}
	return list
}

func TestListReadsEveryPage(t *testing.T) {
	for _, size := range []int{0, 1, 7, 1000} {
		synctest.Test(t, func(t *testing.T) {
			s := testserver.New(&testserver.Options{PageSize: size, Tools: 40})
			tools, err := connect(t, s, nil).ListTools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := names(tools)
			if got[0] != "echo" || got[len(got)-1] != "tool_040" || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
				t.Errorf("tools are %q", got)
			}
			pages := 1
			if size > 0 {
				pages = (len(got) + size - 1) / size
			}
			if n := count(receivedMethods(s), "tools/list"); n != pages {
				t.Errorf("asked for %d pages of %d, want %d", n, size, pages)
			}
		})
	}
}

func TestEveryListHasPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New(&testserver.Options{PageSize: 1})
		c := connect(t, s, nil)
		if list, err := c.ListResources(t.Context()); err != nil || len(list) < 2 {
			t.Errorf("%d resources, %v", len(list), err)
		}
		if list, err := c.ListPrompts(t.Context()); err != nil || len(list) < 2 {
			t.Errorf("%d prompts, %v", len(list), err)
		}
		if list, err := c.ListResourceTemplates(t.Context()); err != nil || len(list) < 1 {
			t.Errorf("%d templates, %v", len(list), err)
		}
	})
}

func TestIteratorRequestsPagesOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New(&testserver.Options{PageSize: 2})
		c := connect(t, s, nil)
		tools := c.Tools(t.Context())
		if n := count(receivedMethods(s), "tools/list"); n != 0 {
			t.Errorf("%d pages before the loop", n)
		}
		n := 0
		for _, err := range tools {
			if n++; err != nil {
				t.Fatal(err)
			}
			if got, want := count(receivedMethods(s), "tools/list"), (n+1)/2; got != want {
				t.Errorf("%d pages for %d tools, want %d", got, n, want)
			}
			if n == 4 {
				break
			}
		}
		for range tools { // starts with the first page again
			break
		}
		if got := count(receivedMethods(s), "tools/list"); got != 3 {
			t.Errorf("%d pages, want 3", got)
		}
	})
}

func TestIteratorEndsAfterError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(nil), nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		n := 0
		for tool, err := range c.Tools(ctx) {
			if n++; tool != nil {
				t.Errorf("tool %v beside the error", tool)
			}
			wantError(t, err, context.Canceled, "tools/list")
		}
		if n != 1 {
			t.Errorf("%d turns, want 1", n)
		}
	})
}

// TestCallsWithinLoop: an iterator does not block other calls.
func TestCallsWithinLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(&testserver.Options{PageSize: 3}), nil)
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if tool.Name == "image" {
				if _, err := c.CallTool(t.Context(), tool.Name, nil); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestEndlessLists covers every limit.
func TestEndlessLists(t *testing.T) {
	for _, tt := range []struct {
		fault string
		o     mcp.Options
		items int
		says  string // "" if there is no error
	}{
		{"empty-cursor", mcp.Options{}, 2, ""},
		{"empty-cursor-at-end", mcp.Options{}, 1, ""},
		{"same-cursor", mcp.Options{}, 2, `the cursor "again" occurs twice`},
		{"endless-pages", mcp.Options{}, 1000, "more than 1000 pages"},
		{"endless-pages", mcp.Options{MaxPages: 5}, 5, "more than 5 pages"},
		{"endless-pages", mcp.Options{MaxPages: 1}, 1, "more than 1 pages"},
		{"endless-pages", mcp.Options{MaxPages: -1, MaxItems: 2000}, 2000, "more than 2000 items"},
		{"endless-pages", mcp.Options{MaxItems: 7}, 7, "more than 7 items"},
		{"", mcp.Options{MaxItems: -1}, 17, ""},
		{"endless-pages", mcp.Options{MaxPages: 3, MaxItems: -1}, 3, "more than 3 pages"},
		{"", mcp.Options{MaxItems: 3}, 3, "more than 3 items"},
	} {
		t.Run(fmt.Sprint(tt.fault, tt.o.MaxPages, tt.o.MaxItems), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testserver.New(&testserver.Options{Fault: tt.fault})
				tools, err := connect(t, s, &tt.o).ListTools(t.Context())
				if len(tools) != tt.items {
					t.Errorf("%d tools, want %d", len(tools), tt.items)
				}
				if tt.says == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				wantError(t, err, mcp.ErrListLimit, "tools/list", tt.says)
			})
		})
	}
}

func TestListOfMaxItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(&testserver.Options{PageSize: 2}), nil)
		all, err := c.ListTools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c = connect(t, testserver.New(&testserver.Options{PageSize: 2}), &mcp.Options{MaxItems: len(all), MaxPages: (len(all) + 1) / 2})
		if tools, err := c.ListTools(t.Context()); err != nil || len(tools) != len(all) {
			t.Errorf("%d tools of %d, %v", len(tools), len(all), err)
		}
	})
}

// TestSlowPagesTimeOut: MaxTimeout applies to the whole list.
func TestSlowPagesTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			n++
			time.Sleep(2 * time.Second)
			p.answer(m, fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{}}],"nextCursor":"%d"}`, n, n))
		})
		c := connectStream(t, rwc, &mcp.Options{MaxTimeout: 9 * time.Second})
		wantDuration(t, 9*time.Second, func() {
			tools, err := c.ListTools(t.Context())
			wantError(t, err, context.DeadlineExceeded, "tools/list", "9s in total")
			if len(tools) != 4 {
				t.Errorf("%d tools, want 4", len(tools))
			}
		})
	})
}

func TestListReturnsItemsBeforeError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		server.Prompt("p", nil)
		server.Resource("x:y", "", "")
		server.Inject("prompts/list", mcptest.Respond(`{"prompts":[{"name":"p"},{"name":"q"}],"nextCursor":"2"}`), mcptest.Refuse(-32603, "out of pages"))
		server.Inject("resources/list", mcptest.Respond(`{"resources":[{"uri":"x:y","name":"r"}],"nextCursor":"2"}`), mcptest.Refuse(-32603, "out of pages"))
		c := server.Connect(nil)
		prompts, err := c.ListPrompts(t.Context())
		wantCode(t, err, -32603)
		if len(prompts) != 2 {
			t.Errorf("%d prompts, want 2", len(prompts))
		}
		resources, err := c.ListResources(t.Context())
		wantCode(t, err, -32603)
		if len(resources) != 1 {
			t.Errorf("%d resources, want 1", len(resources))
		}
	})
}

// TestInvalidItemsAreReported: the list contains the other items.
func TestInvalidItemsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			p.answer(m, `{"tools":[{"name":"a","inputSchema":{}},7,{"name":1},{},null,{"name":"b","inputSchema":true}]}`)
		})
		var j dropLog
		tools, err := connectStream(t, rwc, &mcp.Options{Trace: j.trace()}).ListTools(t.Context())
		if err != nil || !slices.Equal(names(tools), []string{"a", "b"}) {
			t.Errorf("tools are %q, %v", names(tools), err)
		}
		for _, text := range []string{"tools[1] left out", "tools[2] left out", "tools[3] left out", "tools/list"} {
			if !j.contains(text) {
				t.Errorf("no error contains %q: %v", text, j.all())
			}
		}
	})
}

// TestPages reads pages one at a time, with their time to live.
func TestPages(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		c := p.open(t, p.server(testserver.Options{PageSize: 2}), nil)
		for name, list := range map[string]func(cursor *string) (n int, page *mcp.Page, err error){
			"tools": func(cursor *string) (int, *mcp.Page, error) {
				res, err := c.ListToolsPage(t.Context(), cursor)
				return len(res.Tools), &res.Page, err
			},
			"resources": func(cursor *string) (int, *mcp.Page, error) {
				res, err := c.ListResourcesPage(t.Context(), cursor)
				return len(res.Resources), &res.Page, err
			},
			"templates": func(cursor *string) (int, *mcp.Page, error) {
				res, err := c.ListResourceTemplatesPage(t.Context(), cursor)
				return len(res.ResourceTemplates), &res.Page, err
			},
			"prompts": func(cursor *string) (int, *mcp.Page, error) {
				res, err := c.ListPromptsPage(t.Context(), cursor)
				return len(res.Prompts), &res.Page, err
			},
		} {
			n, page, err := list(nil)
			if err != nil || n == 0 || n > 2 || (page.NextCursor == nil) != (name == "templates") {
				t.Fatalf("%s: %d items, %+v, %v", name, n, page, err)
			}
			if p.version == modern && (page.TTLMs == nil || page.CacheScope == "" || page.ServerInfo().Name != "stdmcp-echo") {
				t.Errorf("%s: page %+v", name, page)
			}
			if page.NextCursor != nil {
				if n, _, err := list(page.NextCursor); err != nil || n == 0 {
					t.Errorf("%s: then %d items, %v", name, n, err)
				}
			}
		}
	})
}

// TestEmptyCursorEndsLegacyList: a page does not lead to itself.
func TestEmptyCursorEndsLegacyList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(&testserver.Options{Fault: "empty-cursor-at-end"}), nil)
		page, err := c.ListToolsPage(t.Context(), nil)
		if err != nil || page.NextCursor != nil {
			t.Errorf("the next cursor is %v, %v", page.NextCursor, err)
		}
		long := `{"tools":[{"name":"first","inputSchema":{"type":"object"}}],"x":"` + strings.Repeat("x", 20_000) + `","nextCursor":""}`
		_, rwc := newPeer(t, legacy, func(p *peer, m request) { p.answer(m, long) })
		tools, err := connectStream(t, rwc, nil).ListTools(t.Context())
		if err != nil || len(tools) != 1 {
			t.Errorf("%d tools of a long page, %v", len(tools), err)
		}
	})
}
