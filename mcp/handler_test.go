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
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// callInteractive returns the text of a tool that requires input of the client.
func callInteractive(t *testing.T, p route, tool string, o *mcp.Options) (string, error) {
	t.Helper()
	res, err := p.open(t, p.server(testserver.Options{}), o).CallTool(t.Context(), tool, nil)
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

func withHandlers(handlers ...mcp.Handler) *mcp.Options { return &mcp.Options{Handlers: handlers} }

var (
	someRoots = mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
		return []mcp.Root{{URI: "file:///work", Name: "Work"}}, nil
	}}
	someModel = mcp.Sampling{CreateMessage: func(_ context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
		return &mcp.CreateMessageResult{Model: "parrot", Content: p.Messages[0].Content}, nil
	}}
	somePage = mcp.Elicitation{OpenURL: func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) { return mcp.ElicitAccept, nil }}
	someUser = mcp.Elicitation{Form: func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		fields, err := p.Fields()
		if err != nil {
			return nil, err
		}
		return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: map[string]any{fields[0].Name: "Ada"}}, nil
	}}
)

func TestHandlersAnswerServers(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		for _, tool := range []string{"ask_roots", "ask_sampling", "ask_elicitation", "ask_everything", "ask_in_turn", "ask_stateless"} {
			text, err := callInteractive(t, p, tool, withHandlers(someRoots, someModel, someUser))
			if err != nil || text == "" {
				t.Errorf("%s: %q, %v", tool, text, err)
			}
		}
	})
}

func TestPromptsAndResourcesRequireInput(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		c := p.open(t, p.server(testserver.Options{}), withHandlers(someRoots, someModel, someUser))
		prompt, err := c.GetPrompt(t.Context(), "introduce", nil)
		if err != nil || !strings.Contains(prompt.Messages[0].Content.Text, "Ada") {
			t.Errorf("%+v, %v", prompt, err)
		}
		resource, err := c.ReadResource(t.Context(), "echo://roots")
		if err != nil || !strings.Contains(resource.Contents[0].Text, "file:///work") {
			t.Errorf("%+v, %v", resource, err)
		}
	})
}

func TestTimeoutIsPausedWhileHandlerRuns(t *testing.T) {
	slow := mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		time.Sleep(10 * time.Minute)
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	}}
	onEveryRoute(t, func(t *testing.T, p route) {
		if _, err := callInteractive(t, p, "ask_elicitation", withHandlers(slow)); err != nil {
			t.Error(err)
		}
	})
}

// TestHandlersDeclareCapabilities: and no others.
func TestHandlersDeclareCapabilities(t *testing.T) {
	for _, tt := range []struct {
		handlers       []mcp.Handler
		modern, legacy string
	}{
		{nil, `{}`, `{}`},
		{[]mcp.Handler{someRoots}, `{"roots":{}}`, `{"roots":{"listChanged":true}}`},
		{[]mcp.Handler{someModel}, `{"sampling":{}}`, `{"sampling":{}}`},
		{[]mcp.Handler{mcp.Sampling{CreateMessage: someModel.CreateMessage, Tools: true, Context: true}},
			`{"sampling":{"context":{},"tools":{}}}`, `{"sampling":{"context":{},"tools":{}}}`},
		{[]mcp.Handler{someUser}, `{"elicitation":{"form":{}}}`, `{"elicitation":{"form":{}}}`},
		{[]mcp.Handler{somePage}, `{"elicitation":{"url":{}}}`, `{"elicitation":{"url":{}}}`},
		{[]mcp.Handler{somePage, someUser}, `{"elicitation":{"url":{}}}`, `{"elicitation":{"url":{}}}`}, // the first one answers
		{[]mcp.Handler{mcp.Tasks{}}, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, `{}`},
		{[]mcp.Handler{mcp.HandleRequest("x/y", nil)}, `{}`, `{}`},
		{[]mcp.Handler{mcp.Roots{List: nil}, mcp.Sampling{}, mcp.Elicitation{}}, `{}`, `{}`}, // without functions
	} {
		for version, want := range map[string]string{modern: tt.modern, legacy: tt.legacy} {
			synctest.Test(t, func(t *testing.T) {
				o := onlyVersion(version)
				s := testserver.New(&o)
				c := connect(t, s, withHandlers(tt.handlers...))
				if _, err := c.CallTool(t.Context(), "image", nil); err != nil {
					t.Error(err)
				}
				for _, m := range s.Received() {
					declares := m.Method == "initialize" || version == modern && m.Method == "tools/call"
					if declares && !strings.Contains(m.Line, `apabilities":`+want+`,"`) && !strings.Contains(m.Line, `apabilities":`+want+"}") {
						t.Errorf("sent %s, want %s", m.Line, want)
					}
				}
			})
		}
	}
}

// TestExtensionsAreDeclared: in both eras.
func TestExtensionsAreDeclared(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		s := p.server(testserver.Options{})
		p.open(t, s, &mcp.Options{
			Extensions:   map[string]mcp.RawMessage{"com.example/a": mcp.RawMessage(`{"b":1}`)},
			Experimental: map[string]mcp.RawMessage{"c": mcp.RawMessage("{}")},
		})
		const want = `"experimental":{"c":{}},"extensions":{"com.example/a":{"b":1}}`
		if line := s.Received()[0].Line; p.version == modern && !strings.Contains(line, want) {
			t.Errorf("sent %s", line)
		}
		for _, m := range s.Received() {
			if m.Method == "initialize" && !strings.Contains(m.Line, want) {
				t.Errorf("sent %s", m.Line)
			}
		}
	})
}

func TestRequestWithoutHandlerIsRefused(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		for _, tool := range []string{"ask_roots", "ask_sampling", "ask_elicitation", "ask_everything"} {
			for _, handlers := range [][]mcp.Handler{nil, {mcp.Roots{List: nil}, mcp.Sampling{}, mcp.Elicitation{}}} {
				text, err := callInteractive(t, p, tool, withHandlers(handlers...))
				wantError(t, err, nil, "capable")
				if text != "" {
					t.Errorf("%s: %q", tool, text)
				}
			}
		}
	})
}

// TestRequestForUndeclaredCapabilityIsRefused: even if there is a handler for the
// method.
func TestRequestForUndeclaredCapabilityIsRefused(t *testing.T) {
	for _, method := range []string{"roots/list", "sampling/createMessage", "elicitation/create", "tasks/get", "x/y"} {
		for _, handlers := range [][]mcp.Handler{nil, {mcp.Roots{List: nil}, mcp.Sampling{}, mcp.Elicitation{}, mcp.Tasks{}}} {
			synctest.Test(t, func(t *testing.T) {
				p, _ := connectPeer(t, legacy, withHandlers(handlers...))
				p.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"message":"?","messages":[],"maxTokens":1}}`)
				synctest.Wait()
				if got := p.messages(""); len(got) != 1 || got[0].Error == nil || got[0].Error.Code != -32601 && got[0].Error.Code != -32602 {
					t.Errorf("%s: answered %+v", method, got)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				_, rwc := newPeer(t, modern, func(p *peer, m request) {
					p.answer(m, `{"resultType":"input_required","inputRequests":{"a":{"method":"`+method+
						`","params":{"message":"?","messages":[],"maxTokens":1}}}}`)
				})
				_, err := connectStream(t, rwc, withHandlers(handlers...)).CallTool(t.Context(), "any", nil)
				wantError(t, err, mcp.ErrInputRequired, method)
			})
		}
	}
}

func TestFailingHandler(t *testing.T) {
	secret := errors.New("the password is 12345")
	for name, f := range map[string]func() error{
		"error":      func() error { return secret },
		"panic":      func() error { panic(secret) },
		"panic text": func() error { panic("the password is 12345") },
		"nil":        func() error { return nil }, // without a result
	} {
		handlers := []mcp.Handler{
			mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
				if err := f(); err != nil {
					return nil, err
				}
				panic("no roots")
			}},
			mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) { return nil, f() }},
			mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, f() }},
		}
		t.Run(name, func(t *testing.T) {
			onEveryRoute(t, func(t *testing.T, p route) {
				for _, tool := range []string{"ask_roots", "ask_sampling", "ask_elicitation"} {
					var j dropLog
					text, err := callInteractive(t, p, tool, &mcp.Options{Handlers: handlers, Trace: j.trace()})
					if err == nil || strings.Contains(text, "12345") {
						t.Errorf("%s: %q, %v", tool, text, err)
					}
					if p.version == modern { // only the caller receives it
						wantError(t, err, mcp.ErrInputRequired)
						continue
					}
					wantError(t, err, nil, "the client failed to handle the request")
					says := "12345"
					if name == "nil" && tool != "ask_roots" {
						says = "neither an answer nor an error"
					} else if name == "nil" {
						says = "no roots"
					}
					if len(j.all()) != 1 || !j.contains(says) {
						t.Errorf("%s: dropped %v", tool, j.all())
					}
				}
			})
		})
	}
}

// TestHandlerReturnsError: a *jsonrpc.Error is sent as it is.
func TestHandlerReturnsError(t *testing.T) {
	rejected := mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
		return nil, &jsonrpc.Error{Code: mcp.CodeRejected, Message: "the user does not want that"}
	}}
	onEveryRoute(t, func(t *testing.T, p route) {
		_, err := callInteractive(t, p, "ask_sampling", withHandlers(rejected))
		wantError(t, err, nil, "the user does not want that")
	})
}

// TestSamplingWithTools: the model uses a tool of the server.
func TestSamplingWithTools(t *testing.T) {
	const use, result = `{"type":"tool_use","id":"u1","name":"add","input":{"a":1}}`, `{"type":"tool_result","toolUseId":"u1","content":[{"type":"text","text":"3"}]}`
	message := func(role, content string) string { return `{"role":"` + role + `","content":` + content + `}` }
	text := `{"type":"text","text":"?"}`
	for _, tt := range []struct {
		name, messages string
		noTools        bool // without the capability
		code           int
	}{
		{"a question", message("user", text), false, 0},
		{"without the capability", message("user", text), true, -32602},
		{"after a use", message("user", text) + "," + message("assistant", use) + "," + message("user", result), false, 0},
		{"after two uses", message("assistant", "["+use+","+strings.ReplaceAll(use, "u1", "u2")+"]") + "," +
			message("user", "["+strings.ReplaceAll(result, "u1", "u2")+","+result+"]"), false, 0},
		{"a result is missing", message("assistant", "["+use+","+strings.ReplaceAll(use, "u1", "u2")+"]") + "," + message("user", result), false, -32602},
		{"something comes between", message("assistant", use) + "," + message("user", text) + "," + message("user", result), false, -32602},
		{"nothing follows", message("user", text) + "," + message("assistant", use), false, -32602},
		{"something is among the results", message("assistant", use) + "," + message("user", "["+result+","+text+"]"), false, -32602},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := mcp.Sampling{Tools: !tt.noTools, CreateMessage: func(_ context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
					if p.MaxTokens != 9 || len(p.Tools) != 1 || p.ToolChoice.Mode != "required" {
						t.Errorf("asked for %+v", p)
					}
					return &mcp.CreateMessageResult{Model: "m", StopReason: "toolUse",
						Content: []mcp.Content{{Type: mcp.ContentToolUse, ID: "u9", Name: "add", Input: mcp.RawMessage(`{"a":1}`)}}}, nil
				}}
				p, _ := connectPeer(t, legacy, withHandlers(model))
				p.send(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"maxTokens":9,"messages":[` + tt.messages +
					`],"tools":[{"name":"add","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"required"}}}`)
				synctest.Wait()
				answers := p.messages("")
				switch {
				case len(answers) != 1:
					t.Errorf("answered %+v", answers)
				case tt.code != 0 && (answers[0].Error == nil || answers[0].Error.Code != tt.code):
					t.Errorf("answered %s, want code %d", answers[0].line, tt.code)
				case tt.code == 0 && !strings.Contains(answers[0].line, `"stopReason":"toolUse"`):
					t.Errorf("answered %s", answers[0].line)
				}
			})
		})
	}
}

func TestMaxRounds(t *testing.T) {
	for _, tt := range []struct{ max, want int }{{0, 17}, {3, 4}, {-1, 1}} {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, modern, func(p *peer, m request) {
				p.answer(m, fmt.Sprintf(`{"resultType":"input_required","requestState":"s%s","inputRequests":{"r":{"method":"roots/list"}}}`, m.ID))
			})
			roots := mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}
			c := connectStream(t, rwc, &mcp.Options{MaxRounds: tt.max, Handlers: []mcp.Handler{roots}})
			_, err := c.CallTool(t.Context(), "any", nil)
			wantError(t, err, mcp.ErrInputRequired, "rounds")
			var asked *mcp.InputRequiredError
			if !errors.As(err, &asked) || len(asked.InputRequests) != 1 || asked.InputRequests["r"].Method != "roots/list" || *asked.RequestState != fmt.Sprintf("s%d", tt.want+1) {
				t.Errorf("asked %+v", asked)
			}
			if n := len(p.messages("tools/call")); n != tt.want {
				t.Errorf("%d: asked %d times, want %d", tt.max, n, tt.want)
			}
		})
	}
}

// TestRoundsAndPollsInTurn: a server that alternates questions with polls gets as many answers
// as one that only asks, and no answer of an earlier round again, whose question may have
// been another one.
func TestRoundsAndPollsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			n++
			question := ""
			if n%2 == 1 {
				question = fmt.Sprintf(`,"inputRequests":{"r%d":{"method":"roots/list"}}`, n)
			}
			p.answer(m, fmt.Sprintf(`{"resultType":"input_required","requestState":"s%d"%s}`, n, question))
		})
		asked := 0
		roots := mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { asked++; return nil, nil }}
		var sent []string
		trace := &mcp.Trace{Message: func(_ context.Context, out bool, data []byte) {
			if out && strings.Contains(string(data), "tools/call") {
				sent = append(sent, string(data))
			}
		}}
		c := connectStream(t, rwc, &mcp.Options{MaxRounds: 3, Handlers: []mcp.Handler{roots}, Trace: trace})
		_, err := c.CallTool(t.Context(), "any", nil)
		wantError(t, err, mcp.ErrInputRequired, "rounds")
		if asked != 3 || n != 7 {
			t.Errorf("asked %d times in %d requests, want 3 in 7", asked, n)
		}
		for i, text := range sent {
			if has := strings.Contains(text, "inputResponses"); has != (i%2 == 1) || has && !strings.Contains(text, fmt.Sprintf(`"inputResponses":{"r%d":`, i)) {
				t.Errorf("request %d: %s", i, text)
			}
		}
	})
}

type nameKey struct{}

// TestHandlerContextHasValuesOfCallAndConnect: handlers identify the server by
// them.
func TestHandlerContextHasValuesOfCallAndConnect(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		var seen any
		roots := mcp.Roots{List: func(ctx context.Context) ([]mcp.Root, error) {
			seen = ctx.Value(nameKey{})
			return nil, nil
		}}
		s := p.server(testserver.Options{})
		c, err := mcp.Connect(context.WithValue(t.Context(), nameKey{}, "the client"), p.transport(t, s), withHandlers(roots))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		for _, tt := range []struct {
			ctx  context.Context
			want string
		}{{t.Context(), "the client"}, {context.WithValue(t.Context(), nameKey{}, "the call"), "the call"}} {
			if _, err := c.CallTool(tt.ctx, "ask_roots", nil); err != nil {
				t.Fatal(err)
			}
			if p.version == legacy {
				tt.want = "the client" // a request of the server belongs to no call
			}
			if seen != tt.want {
				t.Errorf("the context has %v, want %v", seen, tt.want)
			}
		}
	})
}

// TestPolls: a result with nothing but a requestState is a request to ask again
// later (2026-07-28 basic/patterns/mrtr).
func TestPolls(t *testing.T) {
	for _, over := range []string{"stdio", "http"} {
		p := route{modern, over}
		for _, tt := range []struct {
			fault string
			size  int
			o     mcp.Options
			takes time.Duration
			calls int
			is    error
			says  string
		}{
			{fault: "polls", takes: 50 * 31 * time.Millisecond, calls: 6},
			{fault: "polls", size: 8, o: mcp.Options{MaxRounds: -1}, takes: (50*31 + 3*1000) * time.Millisecond, calls: 9},
			{fault: "polls-endless", o: mcp.Options{MaxTimeout: 10 * time.Second}, takes: 10 * time.Second, calls: 14, is: context.DeadlineExceeded, says: "10s in total"},
			{fault: "polls-endless", o: mcp.Options{MaxTimeout: -1}, takes: (50*31 + 4091*1000) * time.Millisecond, calls: 4097, is: mcp.ErrInputRequired, says: "4096"},
			{fault: "inputs-empty", calls: 1, is: mcp.ErrMalformed, says: "requestState"},
		} {
			synctest.Test(t, func(t *testing.T) {
				s := p.server(testserver.Options{Fault: tt.fault, Size: tt.size})
				c := p.open(t, s, &tt.o)
				wantDuration(t, tt.takes, func() {
					_, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"})
					if tt.says == "" && err != nil {
						t.Error(err)
					} else if tt.says != "" {
						wantError(t, err, tt.is, tt.says)
					}
				})
				if n := countRequests(s, "tools/call"); n != tt.calls {
					t.Errorf("%s: %d calls, want %d", tt.fault, n, tt.calls)
				}
			})
		}
		synctest.Test(t, func(t *testing.T) { // the caller's context ends the wait
			c := p.open(t, p.server(testserver.Options{Fault: "polls-endless"}), nil)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			wantDuration(t, 3*time.Second, func() {
				_, err := c.CallTool(ctx, "echo", map[string]any{"message": "hi"})
				wantError(t, err, context.DeadlineExceeded, "tools/call")
			})
		})
	}
}
