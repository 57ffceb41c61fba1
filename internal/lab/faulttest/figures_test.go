package faulttest

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// figures are the measurements of this run.
var figures figureList

// A figureList is a table of measurements and their limits.
type figureList struct {
	mu    sync.Mutex
	lines []string
}

func (l *figureList) add(what, limit, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf("| %s | %s | %s |", what, limit, fmt.Sprintf(format, args...)))
}

// print writes the figures in Markdown if STDMCP_FIGURES is set.
func (l *figureList) print(w io.Writer) {
	if os.Getenv("STDMCP_FIGURES") == "" || l.lines == nil {
		return
	}
	fmt.Fprint(w, "\n| what | limit | measured |\n|---|---|---|\n")
	for _, line := range l.lines {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
}
