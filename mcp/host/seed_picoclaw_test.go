package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// picoConfig is the example of picoclaw's design, 4.4.
const picoConfig = `{"tools":{"mcp":{"servers":{
	"filesystem":{"transport":"stdio","command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","/home/user/docs"],"timeout":30},
	"github":{"transport":"stdio","command":"npx","args":["-y","@modelcontextprotocol/server-github"],"env":["GITHUB_PERSONAL_ACCESS_TOKEN=ghp_xxx"]},
	"database":{"transport":"sse","url":"http://localhost:3001/sse","headers":{"Authorization":"Bearer my-token"},"timeout":120,"max_retries":5},
	"disabled-server":{"transport":"stdio","command":"some-server","enabled":false}}}},
	"agents":{"list":[{"id":"main","default":true,"mcp_servers":["filesystem","github"]}]}}`

// Phase 1, configuration and types: 4.2, 4.4 and Validate.
func TestPicoclawConfiguration(t *testing.T) {
	c := config.Parse([]byte(picoConfig), "config.json", "user")
	if len(c.Problems) > 0 || len(c.Servers) != 4 {
		t.Fatalf("%v", c.Problems)
	}
	if s := c.Server("filesystem"); s.Type != config.Stdio || s.Command != "npx" || len(s.Args) != 3 || s.Timeout != 30*time.Second || s.Disabled {
		t.Errorf("%+v", s)
	}
	if s := c.Server("github"); !slices.Equal(s.Env, []string{"GITHUB_PERSONAL_ACCESS_TOKEN=ghp_xxx"}) || s.Timeout != 0 {
		t.Errorf("%+v", s)
	}
	if s := c.Server("database"); s.Type != config.SSE || s.Headers["Authorization"] != "Bearer my-token" || s.Timeout != 2*time.Minute || s.MaxRetries != 5 {
		t.Errorf("%+v", s)
	}
	if !c.Server("disabled-server").Disabled {
		t.Error("enabled: false")
	}
	for entry, want := range map[string]string{
		`{"transport":"stdio"}`:              `"command" is missing`,
		`{"transport":"sse"}`:                `"url" is missing`,
		`{"transport":"pipe","command":"a"}`: `"transport" must be stdio`,
	} {
		c := config.Parse([]byte(`{"tools":{"mcp":{"servers":{"x":`+entry+`}}}}`), "c", "")
		if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), want) {
			t.Errorf("%s: %v", entry, c.Problems)
		}
	}
}

// Phase 2, the manager: 5.1 and 11.1. One failure is a warning, all are an error.
func TestPicoclawConnectsInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func() *fake { return newFake(&testserver.Options{Fault: "discover-slow", Delay: time.Second}) }
		fs := fakes{"filesystem": slow(), "github": slow(), "database": slow(), "broken": newFake(nil)}
		fs["broken"].fail = errors.New("connection refused")
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: -1}}))
		start := time.Now()
		d := h.SetServers(t.Context(), fs.servers())
		if took := time.Since(start); took != time.Second {
			t.Errorf("three slow servers took %v", took)
		}
		if d.Err() != nil || len(d.Errors) != 1 || !strings.Contains(d.Errors["broken"].Error(), "connection refused") {
			t.Errorf("%v, %v", d.Err(), d.Errors)
		}
		all := newHost(t, fakes{"broken": fs["broken"]}.with(host.Options{Retry: host.Retry{Max: -1}}))
		if err := all.SetServers(t.Context(), fakes{"broken": fs["broken"]}.servers()).Err(); err == nil || !strings.HasPrefix(err.Error(), "all MCP servers failed: ") {
			t.Errorf("all failed: %v", err)
		}
	})
}

// 5.3: TestParseMCPToolName. A map leads back, not parsing.
func TestPicoclawNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"filesystem": newFake(nil)}.start(t, host.Options{})
		tool := h.Tool("mcp__filesystem__echo")
		if tool == nil || tool.Server() != "filesystem" || tool.Definition().Name != "echo" {
			t.Fatal("mcp__filesystem__echo doesn't lead back")
		}
		for _, name := range []string{"web_search", "mcp__", "mcp__server", "mcp__filesystem__nothing", ""} {
			if h.Tool(name) != nil {
				t.Errorf("%q leads to a tool", name)
			}
		}
	})
}

// 5.2 and 8.2: the bridge's Description and Parameters.
func TestPicoclawBridge(t *testing.T) {
	if got := host.Describe("x", &mcp.Tool{Name: "t"}); got != "[MCP:x] MCP tool from x server" {
		t.Errorf("without a description: %q", got)
	}
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		add := h.Tool("mcp__x__add")
		if add.Description() != "[MCP:x] Adds two numbers." {
			t.Errorf("%q", add.Description())
		}
		p := add.Parameters()
		properties, _ := p["properties"].(map[string]any)
		required, _ := p["required"].([]any)
		if p["type"] != "object" || len(properties) != 2 || len(required) != 2 {
			t.Errorf("%v", p)
		}
	})
}

// 5.4 and 8.3: results as text.
func TestPicoclawResults(t *testing.T) {
	text := mcp.TextContent
	for _, test := range []struct {
		res  mcp.CallToolResult
		want string
	}{
		{mcp.CallToolResult{Content: []mcp.Content{text("Hello world")}}, "Hello world"},
		{mcp.CallToolResult{Content: []mcp.Content{text("Line 1"), text("Line 2")}}, "Line 1\nLine 2"},
		{mcp.CallToolResult{}, "(empty result)"},
		{mcp.CallToolResult{Content: []mcp.Content{{Type: mcp.ContentImage, MIMEType: "image/png", Data: "AAAA"}}}, "[image content: image/png, 3 bytes]"},
		{mcp.CallToolResult{Content: []mcp.Content{{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{URI: "u", Text: "inside"}}}}, "inside"},
		{mcp.CallToolResult{StructuredContent: raw(`{"a":1}`)}, `{"a":1}`},
		{mcp.CallToolResult{Content: []mcp.Content{{Type: "hologram", Raw: raw(`{}`)}}}, "[hologram content]"},
	} {
		if got := host.Text(&test.res); got != test.want {
			t.Errorf("have %q, want %q", got, test.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		text, failed := h.Tool("mcp__x__fail").Run(t.Context(), raw(`{"message":"Something went wrong"}`))
		if !failed || text != "Something went wrong" {
			t.Errorf("%q, %v", text, failed)
		}
	})
}

// Phase 3 and 9: servers per agent, and subagents.
func TestPicoclawAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"filesystem": newFake(nil), "github": newFake(nil), "database": newFake(nil)}
		h := fs.start(t, host.Options{})
		from := func(v *host.View) (servers []string) {
			for _, tool := range v.Tools() {
				servers = append(servers, tool.Server())
			}
			return slices.Compact(servers)
		}
		main := h.Agent("filesystem", "github")
		if got := from(main); !slices.Equal(got, []string{"filesystem", "github"}) {
			t.Errorf("main has %q", got)
		}
		if got := from(h.Agent()); len(got) != 3 {
			t.Errorf("an agent without a list has %q", got)
		}
		odd := h.Agent("database", "unknown")
		if got := from(odd); !slices.Equal(got, []string{"database"}) || !slices.Equal(odd.Unknown(), []string{"unknown"}) {
			t.Errorf("%q, unknown %q", got, odd.Unknown())
		}
		if main.Tool("mcp__database__echo") != nil {
			t.Error("main reaches the database")
		}
		// A subagent has the tools of its parent and no more, over the same connections.
		if got := from(main.Agent()); len(got) != 2 {
			t.Errorf("a subagent has %q", got)
		}
		if got := from(main.Agent("github", "database")); !slices.Equal(got, []string{"github"}) {
			t.Errorf("a subagent that asks for more has %q", got)
		}
		if got := from(main.Agent("database")); len(got) > 0 {
			t.Errorf("a subagent that asks for another has %q", got)
		}
		if fs["github"].opened() != 1 {
			t.Error("agents don't share connections")
		}
	})
}

// 6.4, 5: information for the start.
func TestPicoclawStartupInfo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"a": newFake(nil), "b": newFake(nil)}.start(t, host.Options{})
		for _, s := range h.Status() {
			if s.Status() != "connected" || len(s.Tools) == 0 || s.Info.Name == "" {
				t.Errorf("%+v", s)
			}
		}
		if len(h.Status()) != 2 || len(h.Tools()) != 2*len(h.Agent("a").Tools()) {
			t.Error("the totals are wrong")
		}
	})
}

// 11.2, 11.3 and 11.5: errors of calls.
func TestPicoclawErrorFlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{Fault: "never-answers"})
		h := fakes{"x": f}.start(t, host.Options{Timeout: time.Minute})
		events := h.Events(t.Context())
		echo := h.Tool("mcp__x__echo")
		start := time.Now()
		text, failed := echo.Run(t.Context(), raw(`{"message":"hi"}`))
		if !failed || !strings.Contains(text, `tool "echo" timed out`) || time.Since(start) != time.Minute {
			t.Errorf("after %v: %q", time.Since(start), text)
		}
		// Connection lost: the call fails at once and says what that means, and the server is connected again.
		go func() { time.Sleep(time.Second); f.crash() }()
		start = time.Now()
		add := h.Tool("mcp__x__add")
		_, err := h.Tool("mcp__x__slow").Call(t.Context(), map[string]any{"seconds": 30})
		if err != nil { // read-only, so it was repeated
			t.Error(err)
		}
		awaitState(t, events, "x", host.Connected)
		// The server is away for good.
		f.failWith(errors.New("connection refused"))
		f.crash()
		text, failed = echo.Run(t.Context(), nil)
		if !failed || !strings.Contains(text, "connection refused") {
			t.Errorf("%q", text)
		}
		if got := f.opened(); got != 2+3 {
			t.Errorf("opened %d times, want 3 retries", got)
		}
		// A call after that tries once.
		if text, _ = echo.Run(t.Context(), nil); !strings.Contains(text, "connection refused") || f.opened() != 6 {
			t.Errorf("%q after %d tries", text, f.opened())
		}
		// And when the server is there, the call succeeds again.
		f.failWith(nil)
		if text, failed = add.Run(t.Context(), raw(`{"a":1,"b":2}`)); failed {
			t.Errorf("%q", text)
		}
	})
}

// 14.3, the table of risks.
func TestPicoclawRisks(t *testing.T) {
	t.Run("MCP startup slows boot", TestPicoclawConnectsInParallel)
	t.Run("server crashes mid-conversation", TestPicoclawErrorFlow)
	t.Run("too many tools confuse LLM", TestPicoclawAgents)
	t.Run("tool name collisions", TestNamesAreUnique)
	t.Run("memory and process leaks", TestPicoclawShutdown)
}

// 7.3 and 11.4: processes, which are gone after Shutdown, whatever they do.
func TestPicoclawShutdown(t *testing.T) {
	h := host.New(nil)
	polite, deaf := child("polite", nil), child("deaf", &testserver.Options{Fault: "ignores-eof"})
	if d := h.SetServers(t.Context(), []*host.Server{polite, deaf}); d.Err() != nil || len(d.Errors) > 0 {
		t.Fatal(d.Errors)
	}
	var pids []int
	for _, name := range []string{"polite", "deaf"} {
		pids = append(pids, pidOf(t, h, name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if len(h.Tools()) > 0 {
		t.Error("there are still tools")
	}
	if _, err := h.CallTool(t.Context(), "polite", "echo", nil); !errors.Is(err, host.ErrShutdown) {
		t.Errorf("a call after that: %v", err)
	}
}

// 14.2: without servers there is nothing.
func TestPicoclawWithoutServers(t *testing.T) {
	h := newHost(t, nil)
	if d := h.SetServers(t.Context(), nil); d.Err() != nil || len(h.Tools()) > 0 || len(h.Status()) > 0 {
		t.Errorf("%+v", d)
	}
}

func Example_picoclaw() {
	ctx := context.Background()
	servers := fakes{"filesystem": newFake(nil)}
	h := host.New(servers.with(host.Options{}))
	defer h.Shutdown(ctx)
	d := h.SetServers(ctx, servers.servers())
	for name, err := range d.Errors {
		fmt.Println("warning:", name, err)
	}

	// The agent's registry, and a turn of its loop: the model asks for a tool.
	registry := make(map[string]*host.Tool)
	for _, t := range h.Agent("filesystem").Tools() {
		registry[t.Name()] = t
	}
	text, failed := registry["mcp__filesystem__echo"].Run(ctx, mcp.RawMessage(`{"message":"Hello"}`))
	fmt.Println(text, failed)
	// Output: Hello false
}
