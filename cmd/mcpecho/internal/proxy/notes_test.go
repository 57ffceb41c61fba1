package proxy

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestNotes: of 20,000 lines the user sees the first ones and a count, and later what is
// new.
func TestNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen notes
		n := Notes{Show: seen.add}
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
