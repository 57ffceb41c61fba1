package faulttest

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// figures is what this run has measured.
var figures figureList

// A figureList is a table of what was measured and what is demanded.
type figureList struct {
	mu    sync.Mutex
	lines []string
}

func (l *figureList) add(what, demanded, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf("| %s | %s | %s |", what, demanded, fmt.Sprintf(format, args...)))
}

// print writes the figures in Markdown, if that was asked for.
func (l *figureList) print(w io.Writer) {
	if os.Getenv("STDMCP_FIGURES") == "" || l.lines == nil {
		return
	}
	fmt.Fprint(w, "\n| what | demanded | measured |\n|---|---|---|\n")
	for _, line := range l.lines {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
}

// percentile returns the p-th percentile.
func percentile(list []time.Duration, p int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(len(list)-1, len(list)*p/100)]
}
