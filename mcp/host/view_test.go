package host_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp/host"
)

func TestCapabilities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil), "slack": newFake(nil)}.start(t, host.Options{Naming: host.MCPUnderscore})
		all := len(h.Tools())
		for _, test := range []struct {
			capabilities host.Capabilities
			tools        int
		}{
			{host.Capabilities{"mcp_integration"}, all}, {host.Capabilities{"mcp_github"}, all / 2},
			{host.Capabilities{"mcp_github_echo"}, 1}, {host.Capabilities{"mcp_github_echo", "mcp_slack"}, 1 + all/2},
			{host.Capabilities{"revenue_analysis"}, 0}, {nil, 0},
		} {
			v := h.View().Can(test.capabilities)
			if got := len(v.Tools()); got != test.tools {
				t.Errorf("%q: %d tools, want %d", test.capabilities, got, test.tools)
			}
			if v.Tool("mcp_github_echo") != nil != test.capabilities.Allow("github", "echo") {
				t.Errorf("%q: Tool and Allow disagree", test.capabilities)
			}
		}
		limited := h.View().Can(host.Capabilities{"mcp_github_echo"}).Tool("mcp_github_echo")
		if text, err := limited.Execute(t.Context(), raw(`{"message":"hi"}`)); err != nil || text != "hi" {
			t.Errorf("%q, %v", text, err)
		}
		// As an Approver, capabilities deny calls of tools from other sources, too.
		denied := h.View().With(host.Capabilities{"mcp_slack"}.Approve).Tool("mcp_github_echo")
		if _, err := denied.Execute(t.Context(), nil); !errors.Is(err, host.ErrDenied) {
			t.Errorf("%v", err)
		}
	})
}

func TestRequiredCapabilities(t *testing.T) {
	required := map[string][]string{"mcp_github_*": {"code"}, "mcp_github_{add,slow}": {"math", "time"}, "mcp_none": nil}
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil)}.start(t, host.Options{Naming: host.MCPUnderscore})
		for _, test := range []struct {
			capabilities host.Capabilities
			echo, add    bool
		}{
			{host.Capabilities{"mcp_github"}, false, false},
			{host.Capabilities{"mcp_github", "code"}, true, false},
			{host.Capabilities{"mcp_github", "code", "math"}, true, false},
			{host.Capabilities{"mcp_integration", "time", "math", "code"}, true, true},
			{nil, false, false},
		} {
			v := h.View().With(test.capabilities.Requiring(required))
			for name, want := range map[string]bool{"echo": test.echo, "add": test.add} {
				_, err := v.Execute(t.Context(), "mcp_github_"+name, raw(`{"message":"hi","a":1,"b":2}`))
				if errors.Is(err, host.ErrDenied) == want || want && err != nil {
					t.Errorf("%q: %s: %v", test.capabilities, name, err)
				}
			}
		}
	})
}

func TestAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"filesystem": newFake(nil), "github": newFake(nil), "database": newFake(nil)}
		h := fs.start(t, host.Options{})
		from := func(v *host.View) (servers []string) {
			for _, tool := range v.Tools() {
				servers = append(servers, tool.Server())
			}
			return slices.Compact(servers)
		}
		main := h.View("filesystem", "github")
		if got := from(main); !slices.Equal(got, []string{"filesystem", "github"}) {
			t.Errorf("main has %q", got)
		}
		if got := from(h.View()); len(got) != 3 {
			t.Errorf("an agent without a list has %q", got)
		}
		odd := h.View("database", "unknown")
		if got := from(odd); !slices.Equal(got, []string{"database"}) || !slices.Equal(odd.Unknown(), []string{"unknown"}) {
			t.Errorf("%q, unknown %q", got, odd.Unknown())
		}
		if main.Tool("mcp__database__echo") != nil {
			t.Error("main can use the database")
		}
		// A subagent has only tools of its parent, over the same connections.
		if got := from(main.View()); len(got) != 2 {
			t.Errorf("a subagent has %q", got)
		}
		if got := from(main.View("github", "database")); !slices.Equal(got, []string{"github"}) {
			t.Errorf("a subagent that asks for more has %q", got)
		}
		if got := from(main.View("database")); len(got) > 0 {
			t.Errorf("a subagent that asks for another has %q", got)
		}
		if fs["github"].opened() != 1 {
			t.Error("agents don't share connections")
		}
	})
}
