package main

import (
	"io"
	"os"
	"runtime"
	"strconv"
)

// terminalWidth returns how many columns w has, or 0 when it is no terminal.
func (e *environment) terminalWidth(out any) int {
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
	if width, err := strconv.Atoi(e.getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	return 80
}

func (e *environment) isTerminal(out any) bool { return e.terminalWidth(out) > 0 }

// obeys reports whether out is a terminal that obeys control sequences.
func (e *environment) supportsStyles(out io.Writer) bool {
	return e.isTerminal(out) && e.getenv("TERM") != "dumb" && (runtime.GOOS != "windows" || e.getenv("WT_SESSION") != "")
}

// styled reports whether text on out is to be in bold and the like.
func (c *invocation) hasStyles(out io.Writer) bool {
	return !c.flags.noColor && c.getenv("NO_COLOR") == "" && c.supportsStyles(out)
}

// A style is a control sequence for text.
type style string

const (
	noStyle style = ""
	bold    style = "\x1b[1m"
	dim     style = "\x1b[2m"
)

// styler returns a function that puts text, which must have been escaped, into
// a style where out shows styles.
func (c *invocation) styler(out io.Writer) func(style, string) string {
	if !c.hasStyles(out) {
		return func(_ style, s string) string { return s }
	}
	return func(st style, s string) string {
		if st == noStyle || s == "" {
			return s
		}
		return string(st) + s + "\x1b[0m"
	}
}
