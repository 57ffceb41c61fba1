package proxy

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// TestNotes: of 20,000 lines the user sees the first ones and a count, and later what is
// new.
func TestNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen notes
		n := Notes{Show: seen.add, Hide: strings.Clone}
		for i := range 20_000 {
			n.Note(fmt.Sprint("stray ", i, ""))
		}
		time.Sleep(countTime)
		synctest.Wait()
		n.Note("new")
		for range 5 {
			n.Note("again")
			time.Sleep(maxCountTime)
		}
		time.Sleep(2 * maxCountTime)
		for i := range 12 {
			n.Note(fmt.Sprint("later ", i, ""))
		}
		n.Flush()
		got := seen.String()
		if !strings.Contains(got, "stray 9\n") || strings.Contains(got, "stray 10\n") || !strings.Contains(got, "19990 more lines") ||
			!strings.Contains(got, "new") || !strings.Contains(got, "later 9") || !strings.HasSuffix(got, "2 more lines like these are not shown\n") {
			t.Error(got)
		}
		if lines := strings.Count(got, "\n"); lines > 40 {
			t.Errorf("%d lines", lines)
		}
	})
}

// TestLongNote: a server can put as much as a message holds into a line.
func TestLongNote(t *testing.T) {
	note := func(id string) (got string) {
		n := Notes{Show: func(line string) { got = line }, Hide: func(line string) string { return strings.ReplaceAll(line, "hunter22", "***") }}
		n.Note(lostResponse(id))
		return got
	}
	for i := maxNote - 60; i < maxNote; i++ {
		if got := note(strings.Repeat("x", i) + "hunter22"); strings.Contains(got, "hu") || !strings.Contains(got, "xxx") {
			t.Fatalf("a part of a secret is in %s", got)
		}
	}
	got := note(strings.Repeat("\u00e9", 1<<20))
	if len(got) > maxNote+len("...") || !utf8.ValidString(got) || !strings.HasPrefix(got, "the server has sent a response with the id \u00e9") || !strings.HasSuffix(got, "...") {
		t.Errorf("%d bytes", len(got))
	}
}
