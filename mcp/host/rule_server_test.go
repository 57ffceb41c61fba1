package host_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestRuleOfServer: a rule with the name of a server covers all its tools, and no other server's.
func TestRuleOfServer(t *testing.T) {
	rules := host.Rules(host.Rule{Tool: "mcp__github", Action: host.Deny})
	for server, want := range map[string]host.Decision{"github": host.Deny, "github2": host.Undecided} {
		got, err := rules(t.Context(), &host.Call{Server: server, Name: "mcp__" + server + "__list", Tool: "list"})
		if got != want || err != nil {
			t.Errorf("%s: %v %v", server, got, err)
		}
	}
}

// TestSettingsThatNameNoTool: a filter, an override and a rule with a typing error protect nothing,
// so that the host reports them once, when it knows the tools.
func TestSettingsThatNameNoTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(nil)}
		h := newHost(t, fs.with(host.Options{}))
		var reported []string
		events := h.Events(t.Context())
		servers := fs.servers()
		servers[0].Tools.Deny = []string{"delte_*"}
		servers[0].Overrides = map[string]*config.Override{"lsit": {Name: "show"}}
		for range 2 {
			h.SetServers(t.Context(), servers)
			synctest.Wait()
			h.Refresh(t.Context(), "x")
			synctest.Wait()
			own := *servers[0]
			own.Title += "another"
			servers[0] = &own
		}
		for len(events) > 0 {
			if e := <-events; e.Kind == host.SettingUnmatched {
				reported = append(reported, e.Server+": "+e.Err.Error())
			}
		}
		want := `x: settings that match no tool: "excludeTools" names "delte_*", which matches none of the server's tools; "overrides" names "lsit", which is not a tool of the server`
		if len(reported) != 1 || reported[0] != want {
			t.Errorf("%q", reported)
		}
		rules := []host.Rule{{Tool: "mcp__x"}, {Tool: "mcp__x__e*"}, {Tool: "mcp__x__delete"}, {Tool: "mcp__y"}}
		if got := h.UnmatchedRules(rules...); !slices.Equal(got, rules[2:]) {
			t.Errorf("%+v", got)
		}
	})
}
