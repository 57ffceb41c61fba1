package terminal

import (
	"strings"
	"testing"
)

// TestConsoleHoldsALimitedText: a server may write much while a user thinks. The console
// says what it omits, in each question anew.
func TestConsoleHoldsALimitedText(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	c := &Console{Out: &shown}
	short, long := "short", strings.Repeat("long", maxHeld/40)
	for _, test := range []struct {
		line        string
		count, kept int
		end         string
	}{
		{short, maxLines, maxLines, short + "\n"},
		{short, maxLines + 1, maxLines, "\n… and 1 more line, not shown\n"},
		{short, maxLines + 500, maxLines, "\n… and 500 more lines, not shown\n"},
		{long, 12, 10, "\n… and 3 more lines, not shown\n"}, // one is short
		{short, 1, 1, short + "\n"},
	} {
		shown.Reset()
		c.Pause()
		for range test.count {
			c.Line(test.line)
		}
		if test.line == long {
			c.Line(short) // is after an omitted line
		}
		c.Resume()
		if got := shown.String(); strings.Count(got, test.line+"\n") != test.kept || !strings.HasSuffix(got, test.end) || len(got) > maxHeld+100 {
			t.Errorf("%d lines of %d bytes: %d bytes, the end %q", test.count, len(test.line), len(got), got[max(0, len(got)-60):])
		}
	}
}
