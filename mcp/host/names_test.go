package host_test

import (
	"regexp"
	"strconv"
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
		{host.Underscore, "github", "create_issue", "github_create_issue"},
		{host.MCPServerTool, "my-server", "a-b", "mcp__my-server__a-b"},
		{host.MCPServerTool, "my server", "a.b", "mcp__my_server__a_b_"},
		{host.MCPServerTool, "a__b", "c", "mcp__a__b__c_"},
		{host.MCPServerTool, "a", "b__c", "mcp__a__b__c"},
		{host.MCPServerTool, "a_", "b", "mcp__a___b_"},
		{host.MCPServerTool, "s", long, "mcp__s__" + long[:43] + "_"},
		{host.MCPServerTool, "日本", "語", "mcp________"},
		{host.MCPServerTool, "s", "", "mcp__s___"},
		{host.MCPUnderscore, "a_b", "c", "mcp_a_b_c_"},
		{host.MCPUnderscore, "a", "b_c", "mcp_a_b_c"},
		{host.MCPUnderscore, "a_", "c", "mcp_a__c_"},
		{host.ServerTool, "a_b", "c", "a_b__c"},
		{host.ServerTool, "_a", "c", "_a__c"},
		{host.ServerTool, "a__b", "c", "a__b__c_"},
		{host.ServerTool, "a_", "c", "a___c_"},
		{host.ServerTool, "a", "_c", "a___c"},
		{host.ServerTool, "a", "c_0123456789ab", "a__c_0123456789ab_"},
		{host.ServerTool, "a", "c_0123456789aB", "a__c_0123456789aB"},
	} {
		got := test.naming(test.server, test.tool)
		if want := regexp.MustCompile("^" + strings.TrimSuffix(test.want, "_") + "(_[0-9a-f]{12})?$"); !want.MatchString(got) || (got == test.want) == strings.HasSuffix(test.want, "_") {
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
	f.Add("a_b", "c", "a", "b_c")
	f.Add("a_", "b", "a", "_b")
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2 string) {
		for _, n := range []host.Naming{host.MCPServerTool, host.ServerTool, host.MCPUnderscore, host.Underscore} {
			name := n(s1, t1)
			if !allowed.MatchString(name) || name != n(s1, t1) {
				t.Errorf("%q, %q: %q", s1, t1, name)
			}
			if s1 != s2 && name == n(s2, t2) {
				t.Errorf("%q of %q and %q of %q are %s", t1, s1, t2, s2, name)
			}
		}
	})
}

// A server that chooses the names of its tools cannot take the name that the tool of
// another server has when it connects first.
func TestNamesOfOtherServersCannotBeTaken(t *testing.T) {
	for _, test := range []struct {
		naming         host.Naming
		server, theirs string // the server whose tool c is the victim, and the attacker
	}{
		{host.MCPUnderscore, "a_b", "a"}, {host.MCPServerTool, "a__b", "a"}, {host.ServerTool, "a__b", "a"}, {host.ServerTool, "a_", "a"},
		{host.ServerTool, "a b", "a_b"}, {host.MCPServerTool, "a_b", "a"},
	} {
		name := test.naming(test.server, "c")
		plain := test.naming(test.theirs, "x")
		prefix := strings.TrimSuffix(plain, "x")
		taken := []string{"b_c", "b__c", "_c", "c", "b.c"}
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			taken = append(taken, rest)
		}
		for _, tool := range taken {
			if theirs := test.naming(test.theirs, tool); theirs == name {
				t.Errorf("%q of %q and c of %q are %s", tool, test.theirs, test.server, name)
			}
		}
	}
	// The digits of a hash begin with those of the server's name.
	name := host.MCPUnderscore("a_b", "c")
	digits := name[len(name)-12:][:4]
	if other := host.MCPUnderscore("a_b", "d"); other[len(other)-12:][:4] != digits {
		t.Errorf("%s and %s are of one server", name, other)
	}
	for i := range 1 << 12 {
		if theirs := host.MCPUnderscore("a", "b"+string(rune(0x4e00+i))+"c"); strings.HasPrefix(theirs[len(theirs)-12:], digits) {
			t.Fatalf("%s has the digits of %s", theirs, name)
		}
	}
}

// A server with thousands of tools whose names differ only in what is cut off.
func TestManyToolsWithOneShortName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcptest.New(t)
		for i := range 2000 {
			s.Tool(strings.Repeat("x", 80)+strconv.Itoa(i), nil, nil)
		}
		h := hostOf(t, host.Options{}, map[string]*mcptest.Server{"a": s})
		seen := make(map[string]bool)
		for _, tool := range h.Tools() {
			seen[tool.Name()] = true
		}
		if len(seen) != 2000 {
			t.Errorf("%d names", len(seen))
		}
	})
}

// A capability means one server: with an underscore in its name it has a hash.
func TestCapabilitiesAreUnambiguous(t *testing.T) {
	one, all := host.MCPUnderscore("a_b", "c"), host.MCPUnderscore("a_b", "")
	for _, test := range []struct {
		have, server, tool string
		want               bool
	}{
		{"mcp_a_b_c", "a", "b_c", true}, {"mcp_a_b_c", "a_b", "c", false},
		{"mcp_a_b", "a", "b", true}, {"mcp_a_b", "a_b", "c", false},
		{one, "a_b", "c", true}, {one, "a_b", "d", false}, {all, "a_b", "c", true}, {all, "a_b", "", true},
		{one, "a", strings.TrimPrefix(one, "mcp_a_"), false}, {all, "a", strings.TrimPrefix(all, "mcp_a_"), false},
		{"mcp_a_x.y", "a", "x.y", true}, {"mcp_a", "a", "x_y", true}, {"mcp_a", "a", "", true},
	} {
		if have := (host.Capabilities{test.have}).Allow(test.server, test.tool); have != test.want {
			t.Errorf("%s allows %q of %q: %t", test.have, test.tool, test.server, have)
		}
	}
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
		before := names(h.View("a_b").Tools())
		if err := h.Disconnect(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := h.Reconnect(t.Context(), "a_b"); err != nil {
			t.Fatal(err)
		}
		if after := names(h.View("a_b").Tools()); after[0] != before[0] {
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

func TestNamesBeginWithALetterOrUnderscore(t *testing.T) {
	for _, naming := range []host.Naming{host.ServerTool, host.Underscore} {
		for _, server := range []string{"1password", "-x", "9"} {
			if name := naming(server, "get"); !regexp.MustCompile(`^_[a-zA-Z0-9_-]{1,63}$`).MatchString(name) || name != naming(server, "get") {
				t.Errorf("%q becomes %q", server, name)
			}
		}
	}
}
