package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestGlobsWithAlternativesAndClasses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		glob, name string
		want       bool
	}{
		{"mcp__{github,slack}__*", "mcp__github__get", true},
		{"mcp__{github,slack}__*", "mcp__gitlab__get", false},
		{"{a,b{c,d}}e", "bde", true},
		{"{a,b{c,d}}e", "be", false},
		{"x{,y}", "x", true},
		{"[gs]et_*", "get_all", true},
		{"[gs]et_*", "set_all", true},
		{"[gs]et_*", "let_all", false},
		{"v[0-9]", "v7", true},
		{"v[!0-9]", "v7", false},
		{"v[!0-9]", "vx", true},
		{"*[ab]", "xxa", true},
		{"{a", "{a", true},
		{"[a", "[a", true},
		{"[]", "[]", true},
		{strings.Repeat("{a,b}", 40), strings.Repeat("c", 40), false}, // bounded
	} {
		if got := config.Match(tt.glob, tt.name); got != tt.want {
			t.Errorf("%.40q matches %.20q: %v", tt.glob, tt.name, got)
		}
	}
	if !config.MatchText(`{"path":["/tmp/*"]}`, `{"path":["/tmp/x"]}`) {
		t.Error("in text, brackets and braces stand for themselves")
	}
}

func ExampleMatchText() {
	// Only * and ? are special.
	fmt.Println(config.MatchText(`{"path":"/tmp/*"}`, `{"path":"/tmp/a"}`))
	// Output: true
}
