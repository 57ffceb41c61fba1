package host_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

var allowed = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, test := range []struct {
		naming             host.Naming
		server, tool, want string
	}{
		{host.MCPServerTool, "github", "create_issue", "mcp__github__create_issue"},
		{host.ServerTool, "github", "create_issue", "github__create_issue"},
		{host.MCPUnderscore, "github", "create_issue", "mcp_github_create_issue"},
		{host.MCPServerTool, "my-server", "a-b", "mcp__my-server__a-b"},
		{host.MCPServerTool, "my server", "a.b", "mcp__my_server__a_b_"},
		{host.MCPServerTool, "a__b", "c", "mcp__a__b__c_"},
		{host.MCPServerTool, "a", "b__c", "mcp__a__b__c"},
		{host.MCPServerTool, "a_", "b", "mcp__a___b_"},
		{host.MCPServerTool, "s", long, "mcp__s__" + long[:47] + "_"},
		{host.MCPServerTool, "日本", "語", "mcp________"},
		{host.MCPServerTool, "s", "", "mcp__s___"},
	} {
		got := test.naming.Name(test.server, test.tool)
		if want := regexp.MustCompile("^" + strings.TrimSuffix(test.want, "_") + "(_[0-9a-f]{8})?$"); !want.MatchString(got) || (got == test.want) == strings.HasSuffix(test.want, "_") {
			t.Errorf("%q of %q: have %s, want %s", test.tool, test.server, got, test.want)
		}
		if !allowed.MatchString(got) {
			t.Errorf("%s is not a valid name", got)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("a__b", "c", "a", "b__c")
	f.Add("a b", "c", "a_b", "c")
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2 string) {
		for _, n := range []host.Naming{host.MCPServerTool, host.ServerTool, host.MCPUnderscore} {
			if name := n.Name(s1, t1); !allowed.MatchString(name) || name != n.Name(s1, t1) {
				t.Errorf("%q, %q: %q", s1, t1, name)
			}
		}
	})
}

// Tools have different names even if the naming scheme gives them the same one.
func TestNamesAreUnique(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := mcptest.New(t), mcptest.New(t)
		a.Tool("b_c", nil, nil)
		a.Inject("tools/list", mcptest.Respond(`{"resultType":"complete","ttlMs":0,"cacheScope":"private",`+
			`"tools":[{"name":"b_c"},{"name":"x y"},{"name":"x.y"},{"name":"x_y"},{"name":"x y"}]}`))
		b.Tool("c", nil, nil)
		h := hostOf(t, host.Options{Naming: host.MCPUnderscore}, map[string]*mcptest.Server{"a": a, "a_b": b})
		seen := make(map[string]bool)
		for _, tool := range h.Tools() {
			if seen[tool.Name()] || !allowed.MatchString(tool.Name()) || h.Tool(tool.Name()) != tool {
				t.Errorf("%q of %q", tool.Name(), tool.Server())
			}
			seen[tool.Name()] = true
		}
		if len(seen) != 5 {
			t.Errorf("%d tools: %q", len(seen), names(h.Tools()))
		}
		// A tool keeps its name while other servers disconnect.
		before := names(h.Agent("a_b").Tools())
		if err := h.Disconnect(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := h.Reconnect(t.Context(), "a_b"); err != nil {
			t.Fatal(err)
		}
		if after := names(h.Agent("a_b").Tools()); after[0] != before[0] {
			t.Errorf("%q was renamed %q", before, after)
		}
	})
}

func TestServerToolNaming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil)}.start(t, host.Options{Naming: host.ServerTool})
		tool := h.Tool("github__echo")
		if tool == nil || !strings.Contains(tool.Description(), "github") {
			t.Errorf("%q", names(h.Tools()))
		}
	})
}

func TestToolByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"filesystem": newFake(nil)}.start(t, host.Options{})
		tool := h.Tool("mcp__filesystem__echo")
		if tool == nil || tool.Server() != "filesystem" || tool.Definition().Name != "echo" {
			t.Fatal("mcp__filesystem__echo is unknown")
		}
		for _, name := range []string{"web_search", "mcp__", "mcp__server", "mcp__filesystem__nothing", ""} {
			if h.Tool(name) != nil {
				t.Errorf("%q is a tool", name)
			}
		}
	})
}
