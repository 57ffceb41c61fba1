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
