package mcp_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestLimitOfInputRequests: the client asks the user nothing if a result requires too much.
func TestLimitOfInputRequests(t *testing.T) {
	for n, ok := range map[int]bool{64: true, 65: false} {
		synctest.Test(t, func(t *testing.T) {
			var requests []string
			for i := range n {
				requests = append(requests, `"r`+strconv.Itoa(i)+`":{"method":"roots/list"}`)
			}
			_, rwc := newPeer(t, modern, func(p *peer, m request) {
				if len(p.messages("tools/call")) == 1 {
					p.answer(m, `{"resultType":"input_required","inputRequests":{`+strings.Join(requests, ",")+`}}`)
					return
				}
				p.answer(m, done)
			})
			asked := make(chan bool, 100)
			c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
				asked <- true
				return nil, nil
			}}}})
			_, err := c.CallTool(t.Context(), "any", nil)
			if ok && (err != nil || len(asked) != n) {
				t.Errorf("%d requests: asked %d times, %v", n, len(asked), err)
			}
			if !ok {
				wantError(t, err, mcp.ErrInputRequired, "more than 64")
				if len(asked) != 0 {
					t.Errorf("asked %d times", len(asked))
				}
			}
		})
	}
}

// TestLogLevelNeedsCapability: a legacy server that declares no logging is not asked for a level.
func TestLogLevelNeedsCapability(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, legacy, func(p *peer, m request) { p.answer(m, `{}`) })
		o := &mcp.Options{LogLevel: "debug", ProtocolVersions: []string{legacy}}
		connectStream(t, rwc, o)
		if n := len(p.messages("logging/setLevel")); n != 0 {
			t.Errorf("the client sets the level %d times", n)
		}
	})
}

// TestCacheKeepsNothingOld: an answer that was under way when the server reported a
// change, or that has no time to live, or that does not fit, is not kept.
func TestCacheKeepsNothingOld(t *testing.T) {
	for name, tt := range map[string]struct {
		ttl, text string
		change    bool
	}{
		"no time": {"0", "x", false}, "a change": {"60000", "x", true}, "too long": {"60000", strings.Repeat("x", 5000), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, modern, func(p *peer, m request) {
				if m.Method == "resources/read" {
					if tt.change {
						p.send(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r:/"}}`)
					}
					p.answer(m, `{"resultType":"complete","ttlMs":`+tt.ttl+`,"cacheScope":"private","contents":[{"uri":"r:/","text":"`+tt.text+`"}]}`)
				}
			})
			c := connectStream(t, rwc, &mcp.Options{Cache: mcp.CacheSize(4000)})
			for range 2 {
				if _, err := c.ReadResource(t.Context(), "r:/"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if n := len(p.messages("resources/read")); n != 2 {
				t.Errorf("%s: %d requests", name, n)
			}
		})
	}
}

// TestHintsFailNoResult: a server that computes a hint with a fraction, or means "for
// ever", sends a usable result.
func TestHintsFailNoResult(t *testing.T) {
	for hint, want := range map[string]int64{
		"1500": 1500, "1500.75": 1500, "-0.5": 0, "-1.5": -1, "1e3": 1000,
		"9223372036854775808": 1 << 53, "1e400": 1 << 53, "-1e400": -1 << 53,
	} {
		page, task, complete, link := new(mcp.ListToolsResult), new(mcp.Task), new(mcp.CompleteResult), new(mcp.Resource)
		for v, text := range map[json.Unmarshaler]string{
			page:     `{"tools":[],"ttlMs":` + hint + `}`,
			task:     `{"taskId":"a","ttlMs":` + hint + `,"pollIntervalMs":` + hint + `}`,
			complete: `{"completion":{"values":[],"total":` + hint + `}}`,
			link:     `{"uri":"r:/","size":` + hint + `}`,
		} {
			if err := v.UnmarshalJSON([]byte(text)); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
		for _, got := range []*int64{page.TTLMs, task.TTLMs, task.PollIntervalMs, complete.Completion.Total, link.Size} {
			if got == nil || *got != want {
				t.Errorf("%s: got %v, want %d", hint, got, want)
			}
		}
	}
	if err := new(mcp.ListToolsResult).UnmarshalJSON([]byte(`{"tools":[],"ttlMs":"1"}`)); err == nil {
		t.Error("a string is taken for a number")
	}
}

// TestCacheMakesRoom: entries that have expired leave room for new ones.
func TestCacheMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, modern, func(p *peer, m request) {
			p.answer(m, `{"resultType":"complete","ttlMs":1000,"cacheScope":"private","contents":[{"uri":"r:/","text":"`+strings.Repeat("x", 3000)+`"}]}`)
		})
		c := connectStream(t, rwc, &mcp.Options{Cache: mcp.CacheSize(4000)})
		read := func(uri string) {
			if _, err := c.ReadResource(t.Context(), uri); err != nil {
				t.Fatal(err)
			}
		}
		read("r:/1")
		time.Sleep(2 * time.Second)
		read("r:/2")
		read("r:/2")
		if n := len(p.messages("resources/read")); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}
