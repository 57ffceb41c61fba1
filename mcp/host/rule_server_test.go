package host_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host"
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
