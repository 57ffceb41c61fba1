package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// resourceTool returns a tool of ResourceTools.
func resourceTool(t *testing.T, tools []*host.Tool, name string) *host.Tool {
	t.Helper()
	for _, tool := range tools {
		if tool.Name() == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

func TestResourceToolsAreApproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(nil), "y": newFake(nil)}
		inputs := map[string]string{
			"ListMcpResources": `{"server":"x"}`, "ReadMcpResource": `{"server":"x","uri":"echo://text"}`,
			"SubscribeMcpResource": `{"server":"x","uri":"echo://text"}`, "SubscribePolling": `{"type":"resource","server":"x","uri":"echo://text"}`,
		}
		for name, input := range inputs {
			for action, want := range map[host.Decision]bool{host.Allow: true, host.Deny: false, host.Undecided: false, host.Ask: false} {
				var seen *host.Call
				h := fs.start(t, host.Options{Approve: func(_ context.Context, c *host.Call) (host.Decision, error) { seen = c; return action, nil }})
				_, err := resourceTool(t, h.ResourceTools(), name).Execute(t.Context(), raw(input))
				if (err == nil) != want || err != nil && !errors.Is(err, host.ErrDenied) {
					t.Errorf("%s with %q: %v", name, action, err)
				}
				if seen == nil || seen.Server != "x" || seen.Name != name || seen.Tool != name || string(seen.Arguments) != input || !seen.Annotations.ReadOnly() {
					t.Errorf("%s: the Approver sees %+v", name, seen)
				}
			}
			denied := fs.start(t, host.Options{}).View().With(host.Rules(host.Rule{Tool: name, Action: host.Deny}))
			if _, err := resourceTool(t, denied.ResourceTools(), name).Execute(t.Context(), raw(input)); !errors.Is(err, host.ErrDenied) {
				t.Errorf("%s with an explicit deny of a view: %v", name, err)
			}
		}
		readers := fs.start(t, host.Options{Approve: host.ReadOnly})
		if _, err := resourceTool(t, readers.ResourceTools(), "ReadMcpResource").Execute(t.Context(), raw(inputs["ReadMcpResource"])); err != nil {
			t.Errorf("reading is read-only: %v", err)
		}
	})
}

func TestCapabilitiesCoverResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil), "y": newFake(nil)}.start(t, host.Options{})
		agent := h.View().Can(host.Capabilities{"mcp_x", "mcp_y_echo"})
		text, err := resourceTool(t, agent.ResourceTools(), "ListMcpResources").Execute(t.Context(), nil)
		if err != nil || !strings.Contains(text, `"server":"x"`) || strings.Contains(text, `"server":"y"`) {
			t.Errorf("%s, %v", text, err)
		}
		for name, input := range map[string]string{
			"ListMcpResources": `{"server":"y"}`, "ReadMcpResource": `{"server":"y","uri":"echo://text"}`,
			"SubscribeMcpResource": `{"server":"y","uri":"echo://text"}`, "SubscribePolling": `{"type":"resource","server":"y","uri":"echo://text"}`,
		} {
			if _, err := resourceTool(t, agent.ResourceTools(), name).Execute(t.Context(), raw(input)); !errors.Is(err, host.ErrDenied) {
				t.Errorf("%s: %v", name, err)
			}
		}
		poll := resourceTool(t, agent.ResourceTools(), "SubscribePolling")
		if _, err := poll.Execute(t.Context(), raw(`{"type":"tool","server":"y","toolName":"echo"}`)); err != nil {
			t.Errorf("polling a tool that the agent may call: %v", err)
		}
		if _, err := poll.Execute(t.Context(), raw(`{"type":"tool","server":"y","toolName":"add"}`)); !errors.Is(err, host.ErrDenied) {
			t.Errorf("polling another tool: %v", err)
		}
		if _, err := agent.ReadResource(t.Context(), "y", "echo://text"); !errors.Is(err, host.ErrDenied) {
			t.Errorf("reading through the view: %v", err)
		}
		if res, err := agent.ReadResource(t.Context(), "x", "echo://text"); err != nil || len(res.Contents) != 1 {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

func TestPromptsThroughHostAndView(t *testing.T) {
	s := mcptest.New(t)
	s.Prompt("greet", func(c *mcptest.Call) (any, error) { return "Hello, " + c.Text("name"), nil }, "name")
	h := hostOf(t, host.Options{}, map[string]*mcptest.Server{"s": s})
	view := h.View("s")
	for _, list := range []func(context.Context, string) ([]*mcp.Prompt, error){h.ListPrompts, view.ListPrompts} {
		if prompts, err := list(t.Context(), "s"); err != nil || len(prompts) != 1 || prompts[0].Name != "greet" {
			t.Errorf("%+v, %v", prompts, err)
		}
	}
	for _, get := range []func(context.Context, string, string, map[string]string) (*mcp.GetPromptResult, error){h.GetPrompt, view.GetPrompt} {
		res, err := get(t.Context(), "s", "greet", map[string]string{"name": "Ada"})
		if err != nil || len(res.Messages) != 1 || res.Messages[0].Content.Text != "Hello, Ada" {
			t.Errorf("%+v, %v", res, err)
		}
		var e *host.Error
		if _, err := get(t.Context(), "s", "absent", nil); !errors.As(err, &e) || e.Server != "s" {
			t.Errorf("an unknown prompt: %v", err)
		}
		if _, err := get(t.Context(), "t", "greet", nil); !errors.Is(err, host.ErrUnknownServer) {
			t.Errorf("an unknown server: %v", err)
		}
	}
	other := h.View("other")
	_, e1 := other.ListPrompts(t.Context(), "s")
	_, e2 := other.GetPrompt(t.Context(), "s", "greet", nil)
	_, e3 := other.ListResources(t.Context(), "s")
	_, e4 := other.ReadResource(t.Context(), "s", "x:y")
	for _, err := range []error{e1, e2, e3, e4} {
		if !errors.Is(err, host.ErrUnknownServer) {
			t.Errorf("a view without the server: %v", err)
		}
	}
}

// A tool that changes while its call is repeated is approved with the new
// definition.
func TestRepeatedCallOfAChangedToolIsApprovedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcptest.New(t)
		yes := true
		s.Tool("read", nil, answer("text")).Annotations = &mcp.ToolAnnotations{ReadOnlyHint: &yes}
		s.Inject("tools/call", mcptest.Crash())
		dials := 0
		dial := func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			if dials++; dials == 2 {
				s.SetTool(&mcp.Tool{Name: "read", Description: "now something else"}, answer("text"))
			}
			return s.Dialer()(context.Background(), d)
		}
		asked := 0
		h := newHost(t, &host.Options{Dialers: host.Dialers{config.SDK: dial}, Approve: func(_ context.Context, c *host.Call) (host.Decision, error) {
			if asked++; c.Annotations.ReadOnly() {
				return host.Allow, nil
			}
			return host.Deny, nil
		}})
		if err := h.SetServers(t.Context(), []*host.Server{{Name: "s", Type: config.SDK}}).Err(); err != nil {
			t.Fatal(err)
		}
		_, err := h.Execute(t.Context(), "mcp__s__read", nil)
		if !errors.Is(err, host.ErrDenied) || asked != 2 {
			t.Errorf("%d questions, error %v", asked, err)
		}
		s.WantCalls("read", 1)
	})
}

func ExampleView_GetPrompt() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	agent := h.View("echo")
	prompts, err := agent.ListPrompts(ctx, "echo")
	if err != nil {
		log.Fatal(err)
	}
	prompt, err := agent.GetPrompt(ctx, "echo", prompts[0].Name, map[string]string{"text": "hi"})
	if err != nil {
		log.Fatal(err)
	}
	resource, err := agent.ReadResource(ctx, "echo", "echo://text")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(prompts[0].Name, len(prompt.Messages), len(resource.Contents))
	// Output: hello 1 1
}

func ExampleHost_GetPrompt() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	prompts, err := h.ListPrompts(ctx, "echo")
	if err != nil {
		log.Fatal(err)
	}
	_, err = h.GetPrompt(ctx, "echo", "no-such-prompt", nil)
	fmt.Println(len(prompts) > 0, err != nil)
	// Output: true true
}

func TestRulesMatchAnyBlanks(t *testing.T) {
	for args, patterns := range map[string][]string{
		`{"path":"/etc/passwd"}`:            {`*"path":"/etc/*`, `{"path"*`},
		`{ "path" : "/etc/passwd" }`:        {`*"path":"/etc/*`, `{"path"*`, `*"path" : "/etc/*`},
		"{\n  \"path\": \"/etc/passwd\"\n}": {`*"path":"/etc/*`, `{"path"*`, `*"path": "/etc/*`},
	} {
		for _, pattern := range patterns {
			rule := host.Rules(host.Rule{Tool: "*", Pattern: pattern, Action: host.Deny})
			if d, err := rule(t.Context(), &host.Call{Name: "read", Arguments: json.RawMessage(args)}); err != nil || d != host.Deny {
				t.Errorf("%s for %s: %q, %v", pattern, args, d, err)
			}
		}
	}
	if d, _ := host.Rules(host.Rule{Tool: "*", Pattern: "*x*", Action: host.Deny})(t.Context(), &host.Call{Arguments: json.RawMessage(`{"x`)}); d != host.Deny {
		t.Errorf("invalid JSON: %q", d)
	}
}
