package glob_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/glob"
)

func TestGlobsWithAlternativesAndClasses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, name string
		want          bool
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
		{"[*]?*", "*a", true},
		{"*" + strings.Repeat("ab", 70) + "*c", strings.Repeat("ab", 75) + "c", true},
		{"*" + strings.Repeat("ab", 70) + "*c", strings.Repeat("ab", 69) + "c", false},
		{strings.Repeat("{a,b}", 40), strings.Repeat("c", 40), false}, // bounded
	} {
		if got := glob.Match(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%.40q matches %.20q: %v", tt.pattern, tt.name, got)
		}
	}
	if !glob.Text(`{"path":["/tmp/*"]}`, `{"path":["/tmp/x"]}`) {
		t.Error("in text, brackets and braces stand for themselves")
	}
}

// TestLongNames: a model may search with a long glob, and a server has long names. All ways
// to match 1 KB and 40 KB one by one took half a second.
func TestLongNames(t *testing.T) {
	const limit = 50 * time.Millisecond
	name := strings.Repeat("a", 40_000)
	for _, part := range []string{"?", "[ab]", "a"} {
		best := time.Hour
		for range 5 {
			began := time.Now()
			if pattern := "*" + strings.Repeat(part, 1000/len(part)); glob.Match(pattern+"c*", name) || !glob.Match(pattern+"*a", name) {
				t.Error(part)
			}
			if best = min(best, time.Since(began)); best < limit {
				break
			}
		}
		if best > limit {
			t.Errorf("%s: %v", part, best)
		}
	}
}

func ExampleText() {
	// Only * and ? are special.
	fmt.Println(glob.Text(`{"path":"/tmp/*"}`, `{"path":"/tmp/a"}`))
	// Output: true
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"a", "a", true}, {"a", "A", false}, {"*", "", true}, {"*", "abc", true},
		{"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "abc", true}, {"a*c", "abcd", false}, {"a?c", "abc", true},
		{"?", "", false}, {"mcp__github__*", "mcp__github__create_issue", true}, {"*_*_*x", "a_b_cxyx", true},
		{"**", "a", true}, {"[a]", "a", true}, {strings.Repeat("*a", 30) + "b", strings.Repeat("a", 200), false},
	} {
		if got := glob.Match(test.pattern, test.name); got != test.want {
			t.Errorf("Match(%q, %q) = %v", test.pattern, test.name, got)
		}
	}
}

// TestLiteralsInLongNames: most globs of settings have texts alone, which are searched for as
// such: tools with names of 30 MB together held the lock of a host for seconds.
func TestLiteralsInLongNames(t *testing.T) {
	name := strings.Repeat("a", 1<<20)
	best := func(pattern string) time.Duration {
		best := time.Hour
		for range 5 {
			began := time.Now()
			if glob.Match(pattern, name) {
				t.Error(pattern)
			}
			best = min(best, time.Since(began))
		}
		return best
	}
	if text, class := best("*delete*"), best("*[d]elete*"); text > class/2 {
		t.Errorf("%v, and with a class %v", text, class)
	}
}

// TestLongGlobs: a glob takes no memory for what is longer than the name.
func TestLongGlobs(t *testing.T) {
	const size = 1 << 20
	var before, after runtime.MemStats
	for _, part := range []string{"?", "a", "[a]"} {
		pattern := strings.Repeat(part, size/len(part))
		runtime.ReadMemStats(&before)
		if glob.Match(pattern, "aaa") {
			t.Error(part)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > size/10 {
			t.Errorf("%s: %d bytes", part, n)
		}
	}
}
