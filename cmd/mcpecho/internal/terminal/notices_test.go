package terminal

import (
	"fmt"
	"testing"
	"time"
)

func TestNoticesAreLimited(t *testing.T) {
	t.Parallel()
	lines := []string{}
	n := NewNotices(func(line string) { lines = append(lines, line) })
	n.begun = time.Now().Add(time.Hour) // the same second throughout
	for i := range 10_000 {
		n.Add(fmt.Sprint(i))
	}
	n.Summarize()
	if len(lines) != maxNotices+1 || lines[maxNotices] != "… and 9950 more notifications" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}
