package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// requiresPage refuses the first call until the user has been on a page.
func requiresPage(url string) testserver.Script {
	calls := 0
	return func(line string) []string {
		id := strings.TrimSuffix(strings.TrimPrefix(line[max(0, strings.Index(line, `"id":`)):], `"id":`), "}")
		if i := strings.IndexAny(id, ",}"); i >= 0 {
			id = id[:i]
		}
		switch {
		case strings.Contains(line, `"initialize"`):
			return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}` + "\n"}
		case strings.Contains(line, `"tools/call"`), strings.Contains(line, `"prompts/get"`), strings.Contains(line, `"resources/read"`):
			if calls++; calls > 1 {
				return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"done"}],"messages":[],"contents":[]}}` + "\n"}
			}
			return []string{`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32042,"message":"log in first","data":{"elicitations":[` +
				`{"mode":"url","message":"Log in","elicitationId":"e1","url":"` + url + `"}]}}}` + "\n",
				`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}}` + "\n"}
		}
		return nil
	}
}

func TestCallIsRepeatedAfterPage(t *testing.T) {
	for _, tt := range []struct {
		action mcp.ElicitAction
		url    string
		ok     bool
	}{
		{mcp.ElicitAccept, "https://xn--exmple-cua.com:8443/login?x=1", true},
		{mcp.ElicitDecline, "https://example.com/", false},
		{mcp.ElicitAccept, "javascript:alert(1)", false},
		{mcp.ElicitAccept, "https://good.example@evil.example/", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var seen *mcp.URLRequest
			user := mcp.Elicitation{OpenURL: func(_ context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
				seen = r
				return tt.action, nil
			}}
			c := connectStream(t, requiresPage(tt.url).Pipe(), &mcp.Options{
				ProtocolVersions: []string{legacy}, Handlers: []mcp.Handler{user},
				Trace: new(mcp.Trace),
			})
			res, err := c.CallTool(t.Context(), "x", nil)
			if (err == nil) != tt.ok || tt.ok && res.Text() != "done" {
				t.Errorf("%s %s: %+v, %v", tt.action, tt.url, res, err)
			}
			if tt.ok && (seen.Host != "xn--exmple-cua.com:8443" || !seen.Punycode || seen.URL != tt.url || seen.ID != "e1") {
				t.Errorf("the user was shown %+v", seen)
			}
		})
	}
}

// TestEveryMethodIsRepeatedAfterPage: a server may refuse any of them.
func TestEveryMethodIsRepeatedAfterPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, f := range map[string]func(*mcp.Client) error{
			"prompts/get":    func(c *mcp.Client) error { _, err := c.GetPrompt(t.Context(), "x", nil); return err },
			"resources/read": func(c *mcp.Client) error { _, err := c.ReadResource(t.Context(), "x:y"); return err },
		} {
			pages := 0
			user := mcp.Elicitation{OpenURL: func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) {
				pages++
				return mcp.ElicitAccept, nil
			}}
			c := connectStream(t, requiresPage("https://example.com/").Pipe(), &mcp.Options{ProtocolVersions: []string{legacy}, Handlers: []mcp.Handler{user}})
			if err := f(c); err != nil || pages != 1 {
				t.Errorf("%s: %d pages, %v", name, pages, err)
			}
		}
	})
}

// TestRepeatedRefusalFailsCall: the user is on the page only once.
func TestRepeatedRefusalFailsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rwc := newPeer(t, legacy, func(p *peer, m request) {
			p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32042,"message":"log in first","data":{"elicitations":[` +
				`{"mode":"url","message":"Log in","elicitationId":"e1","url":"https://example.com/"}]}}}`)
			p.notify("notifications/elicitation/complete", `{"elicitationId":"e1"}`)
		})
		pages := 0
		c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{
			mcp.Elicitation{OpenURL: func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) {
				pages++
				return mcp.ElicitAccept, nil
			}},
		}})
		_, err := c.CallTool(t.Context(), "x", nil)
		wantCode(t, err, mcp.CodeURLElicitationRequired)
		if pages != 1 {
			t.Errorf("sent to the page %d times", pages)
		}
	})
}

func TestCallIsRepeatedWithoutNotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := requiresPage("https://example.com/")
		silent := testserver.Script(func(line string) []string {
			answers := script(line)
			return answers[:min(1, len(answers))]
		})
		user := mcp.Elicitation{OpenURL: func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) { return mcp.ElicitAccept, nil }}
		c := connectStream(t, silent.Pipe(), &mcp.Options{ProtocolVersions: []string{legacy}, Handlers: []mcp.Handler{user}})
		if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
			t.Error(err)
		}
	})
}

func TestRefusalWithoutHandler(t *testing.T) {
	c := connectStream(t, requiresPage("https://example.com/").Pipe(), &mcp.Options{ProtocolVersions: []string{legacy}})
	_, err := c.CallTool(t.Context(), "x", nil)
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || answer.Code != mcp.CodeURLElicitationRequired {
		t.Error(err)
	}
}

// TestTimeoutIsPausedWhileUserIsOnPage: until the server reports the page as
// complete.
func TestTimeoutIsPausedWhileUserIsOnPage(t *testing.T) {
	const ask = `"params":{"mode":"url","message":"Log in","elicitationId":"e1","url":"https://example.com/"}`
	for _, version := range eras {
		for _, tt := range []struct {
			name           string
			reported, done time.Duration // when the server reports the page as complete, and when it responds
			ends           time.Duration // 0 for a result
		}{
			{"in time", 0, 8 * time.Minute, 0},
			{"never", 0, time.Hour, 11 * time.Minute},
			{"told", 8 * time.Minute, 8*time.Minute + 30*time.Second, 0},
			{"told, but slow", 8 * time.Minute, 10 * time.Minute, 9 * time.Minute},
		} {
			if tt.reported != 0 && version == modern {
				continue // the modern era has no such notification
			}
			t.Run(version+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					_, rwc := newPeer(t, version, func(p *peer, m request) {
						if m.Method != "tools/call" {
							return
						}
						if version == legacy {
							p.send(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create",` + ask + "}")
						} else if !strings.Contains(m.line, "inputResponses") {
							p.answer(m, `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create",`+ask+`}}}`)
							return
						}
						if tt.reported != 0 {
							time.AfterFunc(tt.reported, func() { p.notify("notifications/elicitation/complete", `{"elicitationId":"e1"}`) })
						}
						time.AfterFunc(tt.done, func() { p.answer(m, done) })
					})
					c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{somePage}, Trace: new(mcp.Trace)})
					ends := tt.ends
					if ends == 0 {
						ends = tt.done
					}
					start := time.Now()
					_, err := c.CallTool(t.Context(), "any", nil)
					if (err == nil) != (tt.ends == 0) {
						t.Error(err)
					}
					if took := time.Since(start); took < ends || took > ends+time.Minute {
						t.Errorf("took %v, want %v", took, ends)
					}
					time.Sleep(2 * time.Hour)
				})
			})
		}
	}
}
