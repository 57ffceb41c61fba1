package host

import (
	"strings"
	"testing"
)

// TestLongLinesAreSplitBetweenWords: masking would not find half of a secret.
func TestLongLinesAreSplitBetweenWords(t *testing.T) {
	var lines []string
	w := &tailWriter{onLine: func(line string) { lines = append(lines, line) }}
	dump := "an export: " + strings.Repeat(`"NAME":"value-of-it",`, maxLine/10)
	for i := 0; i < len(dump); i += 1000 { // as a pipe delivers it
		_, _ = w.Write([]byte(dump[i:min(len(dump), i+1000)]))
	}
	_, _ = w.Write([]byte("\n"))
	if got := strings.Join(lines, ""); got != dump || len(lines) < 2 || strings.Count(got, "value-of-it") != strings.Count(strings.Join(lines, "\n"), "value-of-it") {
		t.Errorf("%q", lines)
	}
	lines = nil
	_, _ = w.Write([]byte(strings.Repeat("x", maxWord+10) + "\n"))
	if len(lines) != 2 || len(lines[0]) != maxWord || len(lines[1]) != 10 {
		t.Errorf("%d lines", len(lines))
	}
}
