package main

import (
	"io"
	"os"
	"runtime"
	"strconv"
)

// terminalFile returns the terminal that out is, or nil.
func terminalFile(out any) *os.File {
	if p, ok := out.(*promptWriter); ok {
		out = p.file
	}
	if f, ok := out.(*os.File); ok {
		if _, _, ok := windowSize(f); ok {
			return f
		}
	}
	return nil
}

// terminalWidth returns the number of columns of out, or 0 if it is not a
// terminal.
func (e *environment) terminalWidth(out any) int {
	f := terminalFile(out)
	if f == nil {
		return 0
	}
	if width, _, _ := windowSize(f); width > 0 {
		return width
	}
	if width, err := strconv.Atoi(e.getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	return 80
}

func (e *environment) isTerminal(out any) bool { return e.terminalWidth(out) > 0 }

// supportsStyles reports whether out is a terminal with control sequences.
func (e *environment) supportsStyles(out io.Writer) bool {
	return e.isTerminal(out) && e.getenv("TERM") != "dumb" && (runtime.GOOS != "windows" || e.getenv("WT_SESSION") != "")
}

// hasStyles reports whether text on out may have styles.
func (c *invocation) hasStyles(out io.Writer) bool {
	return !c.flags.noColor && c.getenv("NO_COLOR") == "" && c.supportsStyles(out)
}

// A style is a control sequence for text.
type style string

const (
	noStyle style = ""
	bold    style = "\x1b[1m"
	dim     style = "\x1b[2m"
	red     style = "\x1b[31m"
	green   style = "\x1b[32m"
	magenta style = "\x1b[35m"
	cyan    style = "\x1b[36m"
)

// styler returns a function that applies a style to escaped text, if out supports
// styles.
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
