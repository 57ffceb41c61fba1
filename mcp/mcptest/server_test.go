package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// handlers answer everything that a server can ask.
func handlers() []mcp.Handler {
	return []mcp.Handler{
		mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///work"}}, nil }},
		mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "m", Content: []mcp.Content{mcp.TextContent("Paris")}}, nil
		}},
		mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: map[string]any{"name": "Ada"}}, nil
		}},
	}
}

// everything adds a feature of every kind.
func everything(s *mcptest.Server) {
	s.Tool("interview", nil, func(c *mcptest.Call) (any, error) {
		c.Progress(1, 2, "begun")
		c.Log(mcp.LevelError, "a log message")
		city, err := c.Ask("What is the capital of France?")
		if err != nil {
			return nil, err
		}
		form, err := c.Elicit("Who are you?", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
		if err != nil {
			return nil, err
		}
		roots, err := c.Roots()
		if err != nil {
			return nil, err
		}
		c.Progress(2, 2, "done")
		return fmt.Sprint(city, " ", form.Content["name"], " ", roots[0].URI), nil
	})
	s.Tool("sum", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}`, func(c *mcptest.Call) (any, error) {
		return map[string]float64{"sum": c.Number("a") + c.Number("b")}, nil
	}).Description = "Adds two numbers."
	s.Resource("note://1", "text/plain", "first")
	s.Template("user://{id}/{+path}", "text/plain", func(c *mcptest.Call) (any, error) {
		return []byte(c.Text("id") + ":" + c.Text("path")), nil
	})
	s.Prompt("review", func(c *mcptest.Call) (any, error) { return "Review " + c.Text("language"), nil }, "language")
	s.Complete(mcp.PromptRef("review"), "language", func(prefix string) []string { return []string{prefix + "o"} })
}

// tryEverything uses what everything has added.
func tryEverything(t *testing.T, s *mcptest.Server, tr mcp.Transport) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, text)
	}
	ctx := t.Context()
	client, err := mcp.Connect(ctx, tr, &mcp.Options{Handlers: handlers(), LogLevel: mcp.LevelInfo,
		Log: func(_ context.Context, m *mcp.LogMessage) { note("log " + m.Text()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	res, err := client.Do(ctx, &mcp.ToolCall{Name: "interview", Progress: func(p mcp.Progress) { note("progress " + p.Message) }})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Text(); got != "Paris Ada file:///work" {
		t.Errorf("interview returns %q", got)
	}
	sum, err := client.CallTool(ctx, "sum", map[string]any{"a": 2, "b": 3})
	if err != nil || string(sum.StructuredContent) != `{"sum":5}` {
		t.Errorf("sum: %v, %v", sum, err)
	}
	s.WantCall("sum", `{"b":3,"a":2}`)
	s.WantCalls("sum", 1)
	for uri, want := range map[string]string{"note://1": "first", "user://7/a/b": "7:a/b"} {
		got, err := client.ReadResource(ctx, uri)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := got.Contents[0].Bytes(); string(b) != want {
			t.Errorf("%s is %q, want %q", uri, b, want)
		}
	}
	if _, err := client.ReadResource(ctx, "none://"); err == nil {
		t.Error("an unknown resource is read")
	}
	prompt, err := client.GetPrompt(ctx, "review", map[string]string{"language": "Go"})
	if err != nil || prompt.Messages[0].Content.Text != "Review Go" {
		t.Errorf("prompt: %v, %v", prompt, err)
	}
	values, err := client.Complete(ctx, mcp.PromptRef("review"), "language", "G", nil)
	if err != nil || values.Values[0] != "Go" {
		t.Errorf("completion: %v, %v", values, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if all := fmt.Sprint(seen); !strings.Contains(all, "log a log message") || !strings.Contains(all, "progress begun") {
		t.Errorf("notifications: %s", all)
	}
}

// TestEveryVersionOnEveryTransport uses all features.
func TestEveryVersionOnEveryTransport(t *testing.T) {
	for _, version := range mcp.ProtocolVersions() {
		for _, way := range []string{"memory", "HTTP", "streams", "SSE"} {
			if way == "SSE" && version >= mcp.ProtocolVersion20260728 {
				continue
			}
			t.Run(version+" "+way, func(t *testing.T) {
				t.Parallel()
				s := mcptest.New(t)
				s.ProtocolVersions = []string{version}
				everything(s)
				var tr mcp.Transport = s
				if way != "memory" {
					web := s.StartHTTP(&mcptest.HTTPOptions{InMemory: true, EventStreams: way == "streams"})
					tr = streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client})
					if way == "SSE" {
						tr = sse.New(web.SSEURL, &sse.Options{Client: web.Client})
					}
				}
				tryEverything(t, s, tr)
			})
		}
	}
}

// TestListChangesInBubble: a client in a synctest bubble is told of changes.
func TestListChangesInBubble(t *testing.T) {
	for _, version := range mcp.ProtocolVersions() {
		synctest.Test(t, func(t *testing.T) {
			s := mcptest.New(t)
			s.ProtocolVersions = []string{version}
			s.Tool("first", nil, nil)
			s.Resource("note://1", "text/plain", "first")
			var mu sync.Mutex
			changes := map[mcp.ChangeKind]int{}
			client := s.Connect(&mcp.Options{Handlers: []mcp.Handler{mcp.Changes{Changed: func(_ context.Context, c mcp.Change) {
				mu.Lock()
				defer mu.Unlock()
				changes[c.Kind]++
			}}}})
			s.Tool("second", nil, nil)
			synctest.Wait()
			s.RemoveTool("first")
			synctest.Wait()
			s.Resource("note://2", "text/plain", "second")
			synctest.Wait()
			tools, err := client.ListTools(t.Context())
			if err != nil || len(tools) != 1 || tools[0].Name != "second" {
				t.Errorf("%s: tools %v, %v", version, tools, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if changes[mcp.ToolsChanged] != 2 || changes[mcp.ResourcesChanged] != 1 {
				t.Errorf("%s: changes %v", version, changes)
			}
		})
	}
}

// TestTasks: a tool with TaskSupport becomes a task that asks for input.
func TestTasks(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		t.Run(version, func(t *testing.T) {
			s := mcptest.New(t)
			s.ProtocolVersions = []string{version}
			s.Tool("research", nil, func(c *mcptest.Call) (any, error) {
				c.Progress(1, 2, "looking")
				form, err := c.Elicit("Who?", `{"type":"object","properties":{"name":{"type":"string"}}}`)
				if err != nil {
					return nil, err
				}
				return fmt.Sprint("for ", form.Content["name"]), nil
			}).Execution = &mcp.ToolExecution{TaskSupport: "required"}
			client := s.Connect(&mcp.Options{Handlers: append(handlers(), mcp.Tasks{})})
			if _, err := client.ListTools(t.Context()); err != nil {
				t.Fatal(err)
			}
			res, err := client.CallTool(t.Context(), "research", nil)
			if err != nil || res.Text() != "for Ada" {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}

// TestErrors: what a function returns becomes the response.
func TestErrors(t *testing.T) {
	s := mcptest.New(t)
	s.Tool("fails", nil, func(*mcptest.Call) (any, error) { return nil, errors.New("no luck") })
	s.Tool("refuses", nil, func(*mcptest.Call) (any, error) { return nil, &jsonrpc.Error{Code: 7, Message: "no"} })
	client := s.Connect(nil)
	res, err := client.CallTool(t.Context(), "fails", nil)
	if err != nil || !res.IsError || res.Text() != "no luck" {
		t.Errorf("%v, %v", res, err)
	}
	var refused *jsonrpc.Error
	if _, err := client.CallTool(t.Context(), "refuses", nil); !errors.As(err, &refused) || refused.Code != 7 {
		t.Errorf("error %v", err)
	}
	if _, err := client.CallTool(t.Context(), "unknown", nil); !errors.As(err, &refused) {
		t.Errorf("error %v", err)
	}
}

// TestPanicFailsTheTest and answers the client.
func TestPanicFailsTheTest(t *testing.T) {
	fake := &fakeTest{}
	s := mcptest.New(fake)
	s.Tool("bad", nil, func(*mcptest.Call) (any, error) { panic("out of order") })
	client := s.Connect(nil)
	if _, err := client.CallTool(t.Context(), "bad", nil); err == nil {
		t.Error("no error")
	}
	if failures := fake.end(); len(failures) != 1 || !strings.Contains(failures[0], `server of server_test.go:`) ||
		!strings.Contains(failures[0], `"bad" panics: out of order`) {
		t.Errorf("failures: %q", failures)
	}
}

// TestViolationFailsTheTest with the place and the message.
func TestViolationFailsTheTest(t *testing.T) {
	fake := &fakeTest{}
	s := mcptest.New(fake)
	conn, err := s.Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "tools/list"}); err == nil {
		t.Error("no error")
	}
	conn.Close()
	failures := fake.end()
	if len(failures) != 1 || !strings.Contains(failures[0], "server_test.go:") || !strings.Contains(failures[0], `"method":"tools/list"`) {
		t.Errorf("failures: %q", failures)
	}
}

// TestServerOpensAgain: each connection is a session of its own.
func TestServerOpensAgain(t *testing.T) {
	s := mcptest.New(t)
	greeter(s)
	for range 3 {
		client, err := mcp.Connect(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.CallTool(t.Context(), "greet", nil); err != nil {
			t.Fatal(err)
		}
		client.Close()
	}
	s.WantCalls("greet", 3)
	s.WantMethods("tools/call", "tools/call", "tools/call")
}

// TestCancellationEndsContext of the function.
func TestCancellationEndsContext(t *testing.T) {
	s := mcptest.New(t)
	started, ended := make(chan struct{}), make(chan struct{})
	s.Tool("wait", nil, func(c *mcptest.Call) (any, error) {
		close(started)
		<-c.Context().Done()
		close(ended)
		return nil, c.Context().Err()
	})
	client := s.Connect(nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := client.CallTool(ctx, "wait", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-ended
}

// TestProgram: the test binary is a server, whose failures fail the test.
func TestProgram(t *testing.T) {
	p := mcptest.Command(t, "greeter")
	client, err := mcp.Connect(t.Context(), p.Transport(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.CallTool(t.Context(), "greet", map[string]any{"name": "Ada"})
	if err != nil || res.Text() != "Hello, Ada!" {
		t.Errorf("%v, %v", res, err)
	}
	client.Close()
	if calls := p.Calls("greet"); len(calls) != 1 || string(calls[0].Arguments) != `{"name":"Ada"}` {
		t.Errorf("calls: %v", calls)
	}
	fake := &fakeTest{}
	bad := mcptest.Command(fake, "greeter")
	conn, err := bad.Transport().Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = conn.Call(t.Context(), &jsonrpc.Request{Method: "tools/list"})
	conn.Close()
	if failures := fake.end(); len(failures) != 1 {
		t.Errorf("failures: %q", failures)
	}
}

// TestFunctionThatDoesNotEnd fails the test.
func TestFunctionThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeTest{}
		s := mcptest.New(fake)
		release := make(chan struct{})
		s.Tool("stuck", nil, func(*mcptest.Call) (any, error) { <-release; return nil, nil })
		client := s.Connect(&mcp.Options{Timeout: time.Second})
		if _, err := client.CallTool(t.Context(), "stuck", nil); err == nil {
			t.Error("no error")
		}
		if failures := fake.end(); len(failures) != 1 || !strings.Contains(failures[0], "still running") {
			t.Errorf("failures: %q", failures)
		}
		close(release)
	})
}

func TestServeWithoutStream(t *testing.T) {
	if err := mcptest.New(t).Serve(nil); err == nil || !strings.Contains(err.Error(), "the stream is nil") {
		t.Error(err)
	}
	mcptest.TransportServer(nil) // has no server to add tools to
}

func TestBindAndRemovePrompt(t *testing.T) {
	s := mcptest.New(t)
	s.Tool("add", nil, func(c *mcptest.Call) (any, error) {
		var args struct{ A, B int }
		err := c.Bind(&args)
		return fmt.Sprint(args.A + args.B), err
	})
	s.Prompt("p", func(*mcptest.Call) (any, error) { return "text", nil })
	client := s.Connect(nil)
	for _, tt := range []struct {
		args any
		want string
	}{{map[string]any{"a": 2, "b": 40}, "42"}, {nil, "0"}} {
		if res, err := client.CallTool(t.Context(), "add", tt.args); err != nil || res.Text() != tt.want {
			t.Errorf("%v: %v, %v", tt.args, res, err)
		}
	}
	s.RemovePrompt("p")
	if _, err := client.GetPrompt(t.Context(), "p", nil); err == nil {
		t.Error("a prompt that was removed is there")
	}
}
