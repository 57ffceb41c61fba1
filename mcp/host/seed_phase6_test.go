package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// phase6Tool is the interface that phase6's registry has, in its own words.
type phase6Tool interface {
	Name() string
	Description() string
	InputSchema() json.RawMessage
	Execute(ctx context.Context, input json.RawMessage) (string, error)
	RequiresPermission(input json.RawMessage) bool
}

var _ phase6Tool = (*host.Tool)(nil)

// Config loading: the user's file and the project's, merged per name.
func TestPhase6ConfigMerge(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for name, text := range map[string]string{
		filepath.Join(home, ".mcp.json"): `{"mcpServers":{"a":{"command":"user"},"b":{"command":"user"}}}`,
		filepath.Join(dir, ".mcp.json"):  `{"mcpServers":{"b":{"command":"project"},"c":{"url":"http://h/"}}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := config.Load(dir)
	if len(c.Servers) != 3 || c.Server("a").Command != "user" || c.Server("b").Command != "project" || c.Server("c").URL == "" {
		t.Errorf("%+v, %v", c.Servers, c.Problems)
	}
}

// Error handling, row by row.
func TestPhase6ErrorTable(t *testing.T) {
	t.Run(".mcp.json missing", func(t *testing.T) {
		t.Setenv("HOME", t.TempDir())
		if c := config.Load(t.TempDir()); len(c.Problems)+len(c.Servers) > 0 {
			t.Errorf("%v", c.Problems)
		}
	})
	t.Run(".mcp.json parse error", func(t *testing.T) {
		c := config.Parse([]byte(`{"mcpServers":`), ".mcp.json", "project")
		if len(c.Problems) != 1 || !c.Problems[0].Warning || !strings.HasPrefix(c.Problems[0].Error(), ".mcp.json:1: ") {
			t.Errorf("%v", c.Problems)
		}
	})
	t.Run("server subprocess fails to start", TestNanobotServerFailsToStart)
	t.Run("initialize handshake fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fs := fakes{"good": newFake(nil), "bad": newFake(&testserver.Options{Fault: "initialize-error"})}
			h := newHost(t, fs.with(host.Options{}))
			d := h.SetServers(t.Context(), fs.servers())
			if d.Err() != nil || !strings.Contains(d.Errors["bad"].Error(), "out of order today") || h.Tool("mcp__good__echo") == nil {
				t.Errorf("%v, %v", d.Err(), d.Errors)
			}
		})
	})
	t.Run("tools/list fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			script := &fake{other: scripted(func() map[string]string {
				return map[string]string{
					"server/discover": `{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"no"}}`,
					"initialize":      `{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`,
					"tools/list":      `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"no tools today"}}`,
				}
			})}
			h := fakes{"x": script}.start(t, host.Options{})
			s, _ := h.ServerStatus("x")
			if s.State != host.Connected || len(s.Tools) > 0 || s.Err == nil || !strings.Contains(s.Err.Error(), "failed to list tools: no tools today (code -32603)") {
				t.Errorf("%+v, %v", s, s.Err)
			}
		})
	})
	t.Run("tool execution fails", TestSpec10ErrorPropagation)
	t.Run("server crashes mid-session", func(t *testing.T) {
		h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
		if err := h.SetServers(t.Context(), []*host.Server{child("x", &testserver.Options{Fault: "dies-mid-call"})}).Err(); err != nil {
			t.Fatal(err)
		}
		_, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`))
		if !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("%v", err)
		}
	})
	t.Run("context cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := fakes{"x": newFake(nil)}.start(t, host.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := h.Tool("mcp__x__slow").Execute(ctx, raw(`{"seconds":60}`))
			if e, ok := err.(*host.Error); !ok || e.Code != "CANCELED" || !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	})
}

// How to verify, 1: stdio. 2 is in package dialers, with a server of its own.
func TestPhase6Verify1Stdio(t *testing.T) { TestNanobotLifecycle(t) }

// 3: the definitions that go to the API.
func TestPhase6Verify3ToolVisibility(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{Describe: host.PlainDescription})
		for _, tool := range h.Tools() {
			want := string(f.Schema(tool.Definition().Name))
			if got := string(tool.InputSchema()); got != want || !json.Valid([]byte(got)) {
				t.Errorf("%s: schema %s, want %s", tool.Name(), got, want)
			}
		}
		if got := h.Tool("mcp__x__echo").Description(); got != "Returns the message it is given." {
			t.Errorf("%q", got)
		}
	})
}

// 4: sub-agents inherit.
func TestPhase6Verify4SubAgents(t *testing.T) { TestPicoclawAgents(t) }

// 5 and 6: the permission flow and rules.
func TestPhase6Verify5And6Permissions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil)}.start(t, host.Options{})
		if !h.Tool("mcp__github__echo").RequiresPermission(nil) {
			t.Error("a tool does without permission")
		}
		for _, tool := range h.ResourceTools() {
			want := tool.Name() == "SubscribePolling" // it could be used to call any tool
			if got := tool.RequiresPermission(raw(`{"type":"tool"}`)); got != want {
				t.Errorf("%s requires permission: %v", tool.Name(), got)
			}
			if tool.RequiresPermission(raw(`{"type":"resource"}`)) {
				t.Errorf("%s requires permission for a resource", tool.Name())
			}
		}
		var rules []host.Rule
		err := json.Unmarshal([]byte(`[{"tool":"mcp__github__add_tool","action":"deny"},{"tool":"mcp__github__*","action":"allow"},{"tool":"mcp__*","action":"ask"}]`), &rules)
		if err != nil {
			t.Fatal(err)
		}
		approve := host.Rules(rules...)
		for name, want := range map[string]host.Decision{
			"mcp__github__add_tool": host.Deny, "mcp__github__echo": host.Allow, "mcp__slack__post": host.Ask, "Bash": host.Undecided,
		} {
			if got, err := approve(t.Context(), &host.Call{Name: name}); got != want || err != nil {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		// A rule with a pattern is for some arguments only.
		narrow := host.Rules(host.Rule{Tool: "mcp__fs__*", Pattern: `{"path":"/tmp/*"}`, Action: host.Allow}, host.Rule{Tool: "mcp__*", Action: host.Ask})
		for arguments, want := range map[string]host.Decision{`{"path":"/tmp/a"}`: host.Allow, `{"path":"/etc/passwd"}`: host.Ask, ``: host.Ask} {
			if got, err := narrow(t.Context(), &host.Call{Name: "mcp__fs__write", Arguments: raw(arguments)}); got != want || err != nil {
				t.Errorf("%s: %q, %v", arguments, got, err)
			}
		}
		ruled := fakes{"github": newFake(nil), "slack": newFake(nil)}.start(t, host.Options{Approve: approve})
		for name, allowed := range map[string]bool{"mcp__github__echo": true, "mcp__github__add_tool": false, "mcp__slack__echo": false} {
			tool := ruled.Tool(name)
			if _, err := tool.Execute(t.Context(), raw(`{"message":"hi"}`)); (err == nil) != allowed || !allowed && !errors.Is(err, host.ErrDenied) {
				t.Errorf("%s: %v", name, err)
			}
			if tool.RequiresPermission(nil) {
				t.Errorf("%s would be asked about twice", name)
			}
		}
	})
}

// alwaysAllow of a project counts only where projects are trusted.
func TestListedTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config.Parse([]byte(`{"mcpServers":{"x":{"type":"sdk","alwaysAllow":["e*"]}}}`), ".mcp.json", "project")
		for trust, want := range map[bool]bool{true: true, false: false} {
			h := newHost(t, fakes{"x": newFake(nil)}.with(host.Options{Approve: host.Listed(trust)}))
			h.SetServers(t.Context(), c.Servers)
			if _, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`)); (err == nil) != want {
				t.Errorf("trust %v: %v", trust, err)
			}
			if _, err := h.Tool("mcp__x__add_tool").Execute(t.Context(), nil); !errors.Is(err, host.ErrDenied) {
				t.Errorf("trust %v: %v", trust, err)
			}
		}
	})
}

// 7: a server that is set up wrongly.
func TestPhase6Verify7ServerFailure(t *testing.T) { TestNanobotMissingProgram(t) }

// 8: no process is left.
func TestPhase6Verify8Shutdown(t *testing.T) { TestPicoclawShutdown(t) }

// 9: the resource tools.
func TestPhase6Verify9ResourceTools(t *testing.T) {
	t.Run("list and read", TestSpec10ResourceAccess)
	for _, version := range []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(&testserver.Options{ProtocolVersions: []string{version}})
			h := fakes{"x": f}.start(t, host.Options{})
			events := h.Events(t.Context())
			tools := make(map[string]*host.Tool)
			for _, tool := range h.ResourceTools() {
				tools[tool.Name()] = tool
			}
			run := func(name, input string) string {
				text, err := tools[name].Execute(t.Context(), raw(input))
				if err != nil {
					return err.Error()
				}
				return text
			}
			changed := func() host.Event {
				t.Helper()
				return await(t, events, "a change", func(e host.Event) bool { return e.Kind == host.ResourceChanged })
			}
			if got := run("SubscribeMcpResource", `{"server":"x","uri":"echo://text","reason":"curious"}`); got != `{"subscribed":true,"subscriptionId":"resource-1"}` {
				t.Errorf("%s: %s", version, got)
			}
			if _, err := h.CallTool(t.Context(), "x", "update", nil); err != nil {
				t.Fatal(err)
			}
			if e := changed(); e.URI != "echo://text" || e.Subscription != "resource-1" || e.Reason != "curious" || e.Server != "x" {
				t.Errorf("%+v", e)
			}
			f.crash() // subscriptions are taken up again
			changed()
			if _, err := h.CallTool(t.Context(), "x", "update", nil); err != nil {
				t.Fatal(err)
			}
			changed()
			if got := run("UnsubscribeMcpResource", `{"server":"x","uri":"echo://text"}`); got != `{"unsubscribed":true}` {
				t.Errorf("%s", got)
			}
			if got := run("UnsubscribeMcpResource", `{"subscriptionId":"resource-1"}`); got != `{"unsubscribed":false}` {
				t.Errorf("%s", got)
			}
			for name, input := range map[string]string{
				"ReadMcpResource": `{"server":"x"}`, "SubscribeMcpResource": `{"uri":"u"}`, "UnsubscribeMcpResource": `{}`,
				"SubscribePolling": `{"type":"tool","server":"x"}`, "UnsubscribePolling": `[]`,
			} {
				if _, err := tools[name].Execute(t.Context(), raw(input)); err == nil {
					t.Errorf("%s takes %s", name, input)
				}
			}
		})
	}
}

// SubscribePolling: at least a second, five unless it is said; tells of changes.
func TestPhase6Polling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		events := h.Events(t.Context())
		tools := h.ResourceTools()
		subscribe, unsubscribe := tools[4], tools[5]
		if _, err := subscribe.Execute(t.Context(), raw(`{"type":"resource","server":"x","uri":"echo://text","intervalMs":999}`)); err == nil {
			t.Error("polls every 999 ms")
		}
		if _, err := subscribe.Execute(t.Context(), raw(`{"type":"resource","server":"nobody","uri":"echo://text"}`)); !errors.Is(err, host.ErrUnknownServer) {
			t.Errorf("polls a server that doesn't exist: %v", err)
		}
		text, err := subscribe.Execute(t.Context(), raw(`{"type":"resource","server":"x","uri":"echo://text","reason":"r"}`))
		if err != nil || !strings.Contains(text, `"polling-1"`) {
			t.Fatal(text, err)
		}
		e := await(t, events, "the first look", func(e host.Event) bool { return e.Kind == host.Polled })
		if e.URI != "echo://text" || e.Reason != "r" || !strings.HasPrefix(e.Text, `{"contents":[`) {
			t.Errorf("%+v", e)
		}
		time.Sleep(51 * time.Second)
		reads := 0
		for _, m := range f.Received() {
			if m.Method == "resources/read" {
				reads++
			}
		}
		if reads != 11 {
			t.Errorf("%d reads in 51 seconds", reads)
		}
		if text, err = subscribe.Execute(t.Context(), raw(`{"type":"tool","server":"x","toolName":"add","arguments":{"a":1,"b":2},"intervalMs":1000}`)); err != nil {
			t.Fatal(err)
		}
		if e := await(t, events, "the tool", func(e host.Event) bool { return e.Kind == host.Polled }); e.Tool != "add" || e.Text != "3" {
			t.Errorf("%+v", e)
		}
		for _, input := range []string{`{"server":"x","target":"add"}`, `{"subscriptionId":"polling-1"}`} {
			if text, err := unsubscribe.Execute(t.Context(), raw(input)); err != nil || text != `{"unsubscribed":true}` {
				t.Errorf("%s: %s, %v", input, text, err)
			}
		}
	})
}

// 10: the /mcp command.
func TestPhase6Verify10Status(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"good": newFake(nil), "bad": newFake(nil)}
		fs["bad"].fail = errors.New("connection refused")
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: -1}}))
		if got := h.Overview(); got != "no MCP servers\n" {
			t.Errorf("%q", got)
		}
		h.SetServers(t.Context(), fs.servers())
		lines := strings.Split(h.Overview(), "\n")
		if want := "bad  failed  [MCP:bad] failed to connect: "; !strings.HasPrefix(lines[0], want) {
			t.Errorf("have %q, want %q", lines[0], want)
		}
		if want := fmt.Sprintf("good  connected  %d tools  ", len(h.Tools())); !strings.HasPrefix(lines[1], want) {
			t.Errorf("have %q, want %q", lines[1], want)
		}
	})
}

// Stderr is kept for diagnosis, and told line by line.
func TestPhase6Stderr(t *testing.T) {
	h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
	events := h.Events(t.Context())
	h.SetServers(t.Context(), []*host.Server{child("x", &testserver.Options{Fault: "exits-at-start"})})
	e := await(t, events, "a line", func(e host.Event) bool { return e.Kind == host.Logged })
	s, _ := h.ServerStatus("x")
	if e.Line != "fatal: no configuration file" || !strings.Contains(s.Stderr, e.Line) {
		t.Errorf("%+v, %q", e, s.Stderr)
	}
}

func Example_phase6() {
	ctx := context.Background()
	h := host.New(fakes{"github": newFake(nil)}.with(host.Options{}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "github", Type: config.SDK}})

	// The registry takes the wrappers as they are.
	registry := make(map[string]phase6Tool)
	for _, t := range append(h.Tools(), h.ResourceTools()...) {
		registry[t.Name()] = t
	}
	ask := func(tool string) bool { return strings.HasPrefix(tool, "mcp__github__") }

	// The agentic loop executes what the model asks for.
	execute := func(name, input string) string {
		t := registry[name]
		if t.RequiresPermission(json.RawMessage(input)) && !ask(name) {
			return "permission denied"
		}
		text, err := t.Execute(ctx, json.RawMessage(input))
		if err != nil {
			return err.Error()
		}
		return text
	}
	fmt.Println(execute("mcp__github__echo", `{"message":"Issue #42 created successfully"}`))
	fmt.Println(execute("ListMcpResources", `{"server":"nobody"}`))
	// Output:
	// Issue #42 created successfully
	// [MCP:nobody] not found: unknown server
}
