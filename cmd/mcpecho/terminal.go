package main

import (
	"io"
	"os"
	"runtime"
	"strconv"
)

// terminalWidth returns how many columns w has, or 0 when it is no terminal.
func (w *world) terminalWidth(out any) int {
	f, ok := out.(*os.File)
	if !ok {
		return 0
	}
	width, ok := windowWidth(f)
	if !ok {
		return 0
	}
	if width > 0 {
		return width
	}
	if width, err := strconv.Atoi(w.getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	return 80
}

func (w *world) isTerminal(out any) bool { return w.terminalWidth(out) > 0 }

// obeys reports whether out is a terminal that obeys control sequences.
func (w *world) obeys(out io.Writer) bool {
	return w.isTerminal(out) && w.getenv("TERM") != "dumb" && (runtime.GOOS != "windows" || w.getenv("WT_SESSION") != "")
}

// styled reports whether text on out is to be in bold and the like.
func (c *invocation) styled(out io.Writer) bool {
	return !c.flags.noColor && c.getenv("NO_COLOR") == "" && c.obeys(out)
}

// A style is a control sequence for text.
type style string

const (
	plain style = ""
	bold  style = "\x1b[1m"
	dim   style = "\x1b[2m"
)

// styler returns a function that puts text, which must have been escaped, into
// a style where out shows styles.
func (c *invocation) styler(out io.Writer) func(style, string) string {
	if !c.styled(out) {
		return func(_ style, s string) string { return s }
	}
	return func(st style, s string) string {
		if st == plain || s == "" {
			return s
		}
		return string(st) + s + "\x1b[0m"
	}
}
