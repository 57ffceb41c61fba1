package mcp_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestPagesOfRefusals: which refusals take the user to a page.
func TestPagesOfRefusals(t *testing.T) {
	const page = `{"mode":"url","message":"Log in","elicitationId":"e1","url":"https://example.com/"}`
	for name, tt := range map[string]struct {
		version, data string
		code, asked   int
		target        error
	}{
		"one page":       {legacy, `{"elicitations":[` + page + `]}`, mcp.CodeURLElicitationRequired, 1, nil},
		"other members":  {legacy, `{"x":[1],"elicitations":[` + page + `],"y":{}}`, mcp.CodeURLElicitationRequired, 1, nil},
		"no page":        {legacy, `{"elicitations":[]}`, mcp.CodeURLElicitationRequired, 0, nil},
		"no list":        {legacy, `{"elicitations":1}`, mcp.CodeURLElicitationRequired, 0, mcp.ErrMalformed},
		"too many pages": {legacy, `{"elicitations":[` + strings.Repeat(page+",", 64) + page + `]}`, mcp.CodeURLElicitationRequired, 0, mcp.ErrMalformed},
		"modern server":  {modern, `{"elicitations":[` + page + `]}`, mcp.CodeURLElicitationRequired, 0, nil},
		"another code":   {legacy, `{"elicitations":[` + page + `]}`, -32000, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, rwc := newPeer(t, tt.version, func(p *peer, m request) {
					if len(p.messages("tools/call")) > 1 {
						p.answer(m, done)
						return
					}
					p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":` + strconv.Itoa(tt.code) + `,"message":"log in","data":` + tt.data + `}}`)
				})
				asked := 0
				open := func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) {
					asked++
					return mcp.ElicitAccept, nil
				}
				c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{mcp.Elicitation{OpenURL: open}}})
				_, err := c.CallTool(t.Context(), "any", nil)
				if asked != tt.asked || (err == nil) != (tt.asked > 0) || len(p.messages("tools/call")) != 1+tt.asked {
					t.Errorf("asked %d times, called %d times, %v", asked, len(p.messages("tools/call")), err)
				}
				if tt.target != nil {
					wantError(t, err, tt.target)
				}
			})
		})
	}
}

// TestPagesThatTheUserDoesNotOpen: the call fails, and is not repeated.
func TestPagesThatTheUserDoesNotOpen(t *testing.T) {
	form := func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, errors.New("no form") }
	action := func(a mcp.ElicitAction) func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) {
		return func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) { return a, nil }
	}
	for says, h := range map[string]mcp.Elicitation{
		"did not open the page":     {Form: form},
		"or cancel":                 {OpenURL: action("")},
		"must be accept":            {OpenURL: action("yes")},
		"did not open the page tha": {OpenURL: action(mcp.ElicitCancel)},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, legacy, func(p *peer, m request) {
				p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32042,"message":"log in","data":{"elicitations":[{"mode":"url","message":"m","url":"https://example.com/"}]}}}`)
			})
			c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{h}})
			_, err := c.CallTool(t.Context(), "any", nil)
			if wantError(t, err, nil, says); len(p.messages("tools/call")) != 1 {
				t.Errorf("called %d times", len(p.messages("tools/call")))
			}
		})
	}
}

// TestPagesThatTheServerForgets: a call waits for all pages together as long as for a
// response, and ends with the client.
func TestPagesThatTheServerForgets(t *testing.T) {
	for name, tt := range map[string]struct {
		closeAfter, want time.Duration
		target           error
	}{
		"no report": {time.Hour, time.Minute, nil},
		"Close":     {time.Second, time.Second, mcp.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, rwc := newPeer(t, legacy, func(p *peer, m request) {
					if len(p.messages("tools/call")) > 1 {
						p.answer(m, done)
						return
					}
					const page = `{"mode":"url","message":"m","url":"https://example.com/","elicitationId":`
					p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32042,"message":"log in","data":{"elicitations":[` +
						page + `"a"},` + page + `"b"}]}}}`)
				})
				open := func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) { return mcp.ElicitAccept, nil }
				c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{mcp.Elicitation{OpenURL: open}}})
				closing := time.AfterFunc(tt.closeAfter, func() { c.Close() })
				defer closing.Stop()
				wantDuration(t, tt.want, func() {
					_, err := c.CallTool(t.Context(), "any", nil)
					if !errors.Is(err, tt.target) {
						t.Errorf("error %v, want %v", err, tt.target)
					}
				})
			})
		})
	}
}

// TestModesOfElicitation: the handler gets only the modes that it supports.
func TestModesOfElicitation(t *testing.T) {
	for params, want := range map[string]string{
		`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`:               "form",
		`{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`: "form",
		`{"mode":"url","message":"m","url":"https://example.com/"}`:                         "",
		`{"mode":"odd","message":"m","requestedSchema":{"type":"object","properties":{}}}`:  "",
	} {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, legacy, nil)
			called := ""
			connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				called = "form"
				return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
			}}}})
			p.send(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":` + params + `}`)
			synctest.Wait()
			responses := p.messages("")
			if called != want || len(responses) != 1 || want == "" && (responses[0].Error == nil || responses[0].Error.Code != jsonrpc.CodeInvalidParams) {
				t.Errorf("%s: called %q, %+v", params, called, responses)
			}
		})
	}
}

// TestToolsOfSampling: a program that declares none gets no request with tools.
func TestToolsOfSampling(t *testing.T) {
	const rest = `"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"x"}}]`
	for params, want := range map[string]bool{
		`{` + rest + `}`:                              true,
		`{"tools":[],` + rest + `}`:                   false,
		`{"toolChoice":{"mode":"none"},` + rest + `}`: false,
	} {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, legacy, nil)
			called := false
			connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
				called = true
				return nil, errors.New("no model")
			}}}})
			p.send(`{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":` + params + `}`)
			if synctest.Wait(); called != want {
				t.Errorf("%s: called is %v", params, called)
			}
		})
	}
}

// TestErrorOfHandlerIsNotTheServers: an error that a handler makes for the server
// does not look like an error of the server.
func TestErrorOfHandlerIsNotTheServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			p.answer(m, `{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}`)
		})
		c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
			return nil, &jsonrpc.Error{Code: 7, Message: "no roots"}
		}}}})
		_, err := c.CallTool(t.Context(), "any", nil)
		wantError(t, err, mcp.ErrInputRequired, "no roots")
		var server *jsonrpc.Error
		if errors.As(err, &server) {
			t.Errorf("an error of the server: %v", server)
		}
	})
}

// TestInputRequiredOfNothing: a result that requires neither input nor a repetition.
func TestInputRequiredOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, modern, func(p *peer, m request) { p.answer(m, `{"resultType":"input_required"}`) })
		c := connectStream(t, rwc, nil)
		_, err := c.CallTool(t.Context(), "any", nil)
		if wantError(t, err, mcp.ErrMalformed, "neither"); len(p.messages("tools/call")) != 1 {
			t.Errorf("called %d times", len(p.messages("tools/call")))
		}
	})
}

// TestMismatchOfHeadersNeedsNewSchema: only a modern server's refusal of a tool call
// makes the client list the tools and repeat it.
func TestMismatchOfHeadersNeedsNewSchema(t *testing.T) {
	for _, tt := range []struct {
		version, method string
		calls           int
	}{{modern, "tools/call", 2}, {legacy, "tools/call", 1}, {modern, "prompts/get", 1}} {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, tt.version, func(p *peer, m request) {
				if m.Method == "tools/list" {
					p.answer(m, `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`)
					return
				}
				p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":` + strconv.Itoa(mcp.CodeHeaderMismatch) + `,"message":"mismatch"}}`)
			})
			c := connectStream(t, rwc, nil)
			var err error
			if tt.method == "tools/call" {
				_, err = c.CallTool(t.Context(), "any", nil)
			} else {
				_, err = c.GetPrompt(t.Context(), "any", nil)
			}
			wantCode(t, err, mcp.CodeHeaderMismatch)
			if calls, lists := len(p.messages(tt.method)), len(p.messages("tools/list")); calls != tt.calls || lists != tt.calls-1 {
				t.Errorf("%s, %s: %d calls, %d lists", tt.version, tt.method, calls, lists)
			}
		})
	}
}

// TestCacheDropsWhatServersReport: the entries of the list that has changed.
func TestCacheDropsWhatServersReport(t *testing.T) {
	lists := map[string]func(context.Context, *mcp.Client) error{
		"tools":     func(ctx context.Context, c *mcp.Client) error { _, err := c.ListTools(ctx); return err },
		"prompts":   func(ctx context.Context, c *mcp.Client) error { _, err := c.ListPrompts(ctx); return err },
		"resources": func(ctx context.Context, c *mcp.Client) error { _, err := c.ListResources(ctx); return err },
		"resources/templates": func(ctx context.Context, c *mcp.Client) error {
			_, err := c.ListResourceTemplates(ctx)
			return err
		},
	}
	for kind, list := range lists {
		changed, _, _ := strings.Cut(kind, "/")
		for _, other := range []string{"tools", "prompts", "resources"} {
			synctest.Test(t, func(t *testing.T) {
				p, rwc := newPeer(t, modern, func(p *peer, m request) {
					p.answer(m, `{"resultType":"complete","tools":[],"prompts":[],"resources":[],"resourceTemplates":[],"ttlMs":60000,"cacheScope":"private"}`)
				})
				c := connectStream(t, rwc, &mcp.Options{Cache: mcp.CacheSize(4000)})
				for range 2 {
					if err := list(t.Context(), c); err != nil {
						t.Fatal(err)
					}
					p.notify("notifications/"+other+"/list_changed", `{}`)
					synctest.Wait()
				}
				want := 1
				if other == changed {
					want = 2
				}
				if n := len(p.messages(kind + "/list")); n != want {
					t.Errorf("%s, %s changed: %d requests", kind, other, n)
				}
			})
		}
	}
}

// TestAnswersAreNotCached: a result that depends on what the user answered.
func TestAnswersAreNotCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, modern, func(p *peer, m request) {
			if strings.Contains(m.line, "inputResponses") {
				p.answer(m, `{"resultType":"complete","ttlMs":60000,"cacheScope":"private","contents":[{"uri":"r:/","text":"x"}]}`)
				return
			}
			p.answer(m, `{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}`)
		})
		c := connectStream(t, rwc, &mcp.Options{Cache: mcp.CacheSize(4000), Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}}})
		for range 2 {
			if _, err := c.ReadResource(t.Context(), "r:/"); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(p.messages("resources/read")); n != 4 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestRefusedPollEndsTask: the server's refusal is final.
func TestRefusedPollEndsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, modern, func(p *peer, m request) {
			if m.Method == "tools/call" {
				p.answer(m, `{"resultType":"task","taskId":"a","status":"working","pollIntervalMs":1000}`)
				return
			}
			p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32602,"message":"no such task"}}`)
		})
		c := connectStream(t, rwc, withTasks())
		_, err := c.CallTool(t.Context(), "any", nil)
		if wantCode(t, err, -32602); len(p.messages("tasks/get")) != 1 {
			t.Errorf("polled %d times", len(p.messages("tasks/get")))
		}
	})
}

func TestFirstOfNothing(t *testing.T) {
	for name, tr := range map[string]mcp.Transport{"none": mcp.FirstOf(), "nil": mcp.FirstOf(nil)} {
		if _, err := tr.Open(t.Context(), jsonrpc.Handler{}); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	_, err := mcp.Connect(t.Context(), mcp.FirstOf(), nil)
	wantError(t, err, nil, "no transport")
}

// TestFirstAnswerOverSingleUse: over a connection that cannot be opened again the
// client sends initialize, and server/discover after a refusal of any kind.
func TestFirstAnswerOverSingleUse(t *testing.T) {
	const discovered = `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}`
	for name, tt := range map[string]struct{ initialize, discover, says string }{
		"refused":         {`"error":{"code":-32601,"message":"no sessions"}`, discovered, ""},
		"malformed":       {`"result":{"protocolVersion":1}`, discovered, ""},
		"unknown version": {`"result":{"protocolVersion":"1999-12-31","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, discovered, ""},
		"refused twice":   {`"error":{"code":-32603,"message":"out of order"}`, `"error":{"code":-32601,"message":"no discovery"}`, "out of order"},
	} {
		synctest.Test(t, func(t *testing.T) {
			script := testserver.Script(func(line string) []string {
				_, id, _ := strings.Cut(line, `"id":`)
				id = id[:strings.IndexAny(id+",", ",}")]
				answer := tt.discover
				if strings.Contains(line, `"initialize"`) {
					answer = tt.initialize
				}
				return []string{`{"jsonrpc":"2.0","id":` + id + `,` + answer + "}\n"}
			})
			c, err := mcp.Connect(t.Context(), stdio.Stream(script.Pipe()), nil)
			if err == nil {
				c.Close()
			}
			if tt.says == "" && (err != nil || c.Server().ProtocolVersion != modern) {
				t.Errorf("%s: %v", name, err)
			} else if tt.says != "" {
				wantError(t, err, nil, tt.says)
			}
		})
	}
}

func TestListsOfForms(t *testing.T) {
	one, two := int64(1), int64(2)
	s := mcp.PrimitiveSchema{Type: "array", MinItems: &one, MaxItems: &two}
	for n, want := range []bool{false, true, true, false} {
		if err := s.Check(make([]string, n)); (err == nil) != want {
			t.Errorf("%d chosen: %v", n, err)
		}
	}
	for format, values := range map[string]map[string]bool{
		"email": {"a@b": true, "@b": false, "a@": false, "ab": false},
		"uri":   {"a:b": true, ":b": false, "a:b c": false, "a:b\nc": false},
	} {
		for v, want := range values {
			if err := (&mcp.PrimitiveSchema{Type: "string", Format: format}).Check(v); (err == nil) != want {
				t.Errorf("%s %q: %v", format, v, err)
			}
		}
	}
}

// TestListsTakeNoInput: a server cannot make a list ask the user.
func TestListsTakeNoInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			p.answer(m, `{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}`)
		})
		asked := 0
		c := connectStream(t, rwc, &mcp.Options{Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { asked++; return nil, nil }}}})
		if _, err := c.ListTools(t.Context()); err == nil || asked != 0 {
			t.Errorf("asked %d times, %v", asked, err)
		}
	})
}
