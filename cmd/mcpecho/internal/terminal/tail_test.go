package terminal

import (
	"strings"
	"testing"
)

// TestLongLinesAreSplitBetweenWords: masking would not find half of a secret.
func TestLongLinesAreSplitBetweenWords(t *testing.T) {
	var lines []string
	tail := &Tail{Print: func(line string) { lines = append(lines, strings.TrimPrefix(line, "server: ")) }, Hide: func(s string) string { return s }}
	dump := "an export: " + strings.Repeat(`"NAME":"value-of-it",`, maxLastLine/10)
	for i := 0; i < len(dump); i += 1000 { // as a pipe delivers it
		_, _ = tail.Write([]byte(dump[i:min(len(dump), i+1000)]))
	}
	tail.End()
	if got := strings.Join(lines, ""); got != dump || len(lines) < 2 || strings.Count(got, "value-of-it") != strings.Count(strings.Join(lines, "\n"), "value-of-it") {
		t.Errorf("%q", lines)
	}
	lines = nil
	_, _ = tail.Write([]byte(strings.Repeat("x", maxLastWord+10)))
	if len(lines) != 1 {
		t.Errorf("%d lines", len(lines))
	}
}
