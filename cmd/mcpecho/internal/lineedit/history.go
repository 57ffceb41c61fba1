package lineedit

import (
	"slices"
	"sync"
)

// A History holds the lines that the user entered, oldest first. The zero value is
// empty and ready for use.
type History struct {
	mu    sync.Mutex // guards lines
	lines []string
}

// maxHistory limits how many lines a History holds.
const maxHistory = 1000

// Add appends a line. It replaces an earlier one that is the same.
func (h *History) Add(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(slices.DeleteFunc(h.lines, func(s string) bool { return s == line }), line)
	if more := len(h.lines) - maxHistory; more > 0 {
		h.lines = slices.Delete(h.lines, 0, more)
	}
}

// Lines returns a copy of the lines.
func (h *History) Lines() []string {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.lines)
}
