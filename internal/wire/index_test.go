package wire

import (
	"strings"
	"testing"
)

func TestIndexAny(t *testing.T) {
	for _, s := range []string{"", "a", "abc", "a?b#c", "é?", "\x00", "  "} {
		for _, chars := range []string{"", "?#", "#", "\x00", " \t"} {
			if got, want := IndexAny(s, chars), strings.IndexAny(s, chars); got != want {
				t.Errorf("IndexAny(%q, %q) = %d, want %d", s, chars, got, want)
			}
		}
	}
}
