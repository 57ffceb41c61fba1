package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"echo", "add", "add_tool", "get-sum", "get_sum_total", "read", "a", "b", "世界"}
	for name, want := range map[string][]string{
		"ehco":     {"echo"},
		"Echo":     {"echo"},
		"ech":      {"echo"},
		"ad":       {"add", "add_tool"},
		"getsum":   {"get-sum", "get_sum_total"},
		"get_smu":  {"get-sum"},
		"c":        nil,
		"":         nil,
		"世":        {"世界"},
		"nonsense": nil,

		"server.get_sum": {"get-sum"},
	} {
		if got := Names(name, known); !slices.Equal(got, want) {
			t.Errorf("Names(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestLongNamesAreNotSimilar: comparing a name with one of megabytes would take
// gigabytes.
func TestLongNamesAreNotSimilar(t *testing.T) {
	long := strings.Repeat("a", 8<<20)
	if got := Names(long[:maxName], []string{long, long[1:]}); got != nil {
		t.Errorf("%d names are similar", len(got))
	}
	if got := Names(long[:maxName], []string{long[:maxName]}); len(got) != 1 {
		t.Errorf("%d names are similar, want 1", len(got))
	}
}

// TestManyNames: a server may have thousands of tools and skills with names as long as the
// unknown one. Comparing all took a quarter of a second for 9,000.
func TestManyNames(t *testing.T) {
	known := slices.Repeat([]string{strings.Repeat("ab", 32)}, 9000)
	name := strings.Repeat("cd", 31)
	allocations := testing.AllocsPerRun(1, func() {
		if got := Names(name, known); got != nil {
			t.Error(got)
		}
	})
	if allocations > 3*9000 { // each comparison needs three, and the plain name two
		t.Errorf("%v allocations: the names were compared", allocations)
	}
	if got := Names(name, append(known, name[2:], "x"+name)); len(got) != 2 {
		t.Errorf("%d names have a part in common, want 2", len(got))
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
