package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

func TestUnknownToolReturnsAnError(t *testing.T) {
	h := newHost(t, nil)
	for _, tool := range []*host.Tool{h.Tool("none"), h.Snapshot().Tool("none"), h.View().Tool("none")} {
		if _, err := tool.Execute(t.Context(), nil); !errors.Is(err, host.ErrUnknownTool) || err.Error() != "[MCP] no tool was called: unknown tool" {
			t.Errorf("Execute: %v", err)
		}
		if _, err := tool.Call(t.Context(), nil); !errors.Is(err, host.ErrUnknownTool) {
			t.Errorf("Call: %v", err)
		}
		if _, err := tool.Do(t.Context(), nil); !errors.Is(err, host.ErrUnknownTool) {
			t.Errorf("Do: %v", err)
		}
		if tool.Name()+tool.Description()+tool.Server()+tool.Definition().Name != "" || tool.Connected() || tool.RequiresPermission(nil) ||
			tool.Parameters()["type"] != "object" || tool.InputSchema() == nil {
			t.Error("the unknown tool describes itself as a known one")
		}
	}
}

func TestToolProperties(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil), "slack": newFake(nil)}.start(t, host.Options{Naming: host.MCPUnderscore})
		if h.Tool("mcp_github_echo") == nil || h.Tool("revenue_analyzer") != nil {
			t.Error("lookup by name")
		}
		info := h.Tool("mcp_github_echo")
		if info.Server() != "github" || info.Definition().Name != "echo" || info.Parameters()["type"] != "object" || !info.Connected() {
			t.Error("wrong properties")
		}
		list := names(h.View("github").Tools())
		if len(list) == 0 || slices.ContainsFunc(list, func(name string) bool { return !strings.HasPrefix(name, "mcp_github_") }) {
			t.Errorf("tools of one server: %q", list)
		}
		if err := h.Disconnect(t.Context(), "github"); err != nil || info.Connected() {
			t.Errorf("a tool of a disconnected server is connected: %v", err)
		}
	})
}

func TestStructuredAndValue(t *testing.T) {
	for _, test := range []struct {
		res  mcp.CallToolResult
		want string
	}{
		{mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(`{"a":1}`)}}, `{"a":1}`},
		{mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(`plain`)}}, ``},
		{mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(`{"a":1}`)}, StructuredContent: raw(`{"a":2}`)}, `{"a":2}`},
		{mcp.CallToolResult{}, ``},
	} {
		if got := string(host.Structured(&test.res)); got != test.want {
			t.Errorf("have %q, want %q", got, test.want)
		}
	}
	v, err := mcp.DecodeValue(raw(`{"a":[1,"x",true,null]}`))
	if m, _ := v.(map[string]any); err != nil || len(m["a"].([]any)) != 4 {
		t.Errorf("%v, %v", v, err)
	}
}

// registryTool is the tool interface of a typical agent. *host.Tool implements
// it.
type registryTool interface {
	Name() string
	Description() string
	InputSchema() json.RawMessage
	Execute(ctx context.Context, input json.RawMessage) (string, error)
	RequiresPermission(input json.RawMessage) bool
}

var _ registryTool = (*host.Tool)(nil)

func TestSchemasAreUnmodified(t *testing.T) {
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

func TestDescriptionAndParameters(t *testing.T) {
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

func TestText(t *testing.T) {
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
		text, err := h.Tool("mcp__x__fail").Execute(t.Context(), raw(`{"message":"Something went wrong"}`))
		if text != "" || err == nil || err.Error() != "[MCP:x] tool failed: Something went wrong" {
			t.Errorf("%q, %v", text, err)
		}
	})
}
