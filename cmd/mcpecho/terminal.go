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
	bold style = "\x1b[1m"
	dim  style = "\x1b[2m"
)

// styler returns a function that puts text, which must have been escaped, into
// a style where out shows styles.
func (c *invocation) styler(out io.Writer) func(style, string) string {
	if !c.styled(out) {
		return func(_ style, s string) string { return s }
	}
	return func(st style, s string) string { return string(st) + s + "\x1b[0m" }
}

// runeWidth returns how many columns a terminal gives to r, near enough.
func runeWidth(r rune) int {
	switch {
	case 0x300 <= r && r <= 0x36f, 0x200b <= r && r <= 0x200d, 0xfe00 <= r && r <= 0xfe0f:
		return 0 // accents, joiners and variation selectors
	case 0x1100 <= r && r <= 0x115f, 0x2e80 <= r && r <= 0xa4cf, 0xac00 <= r && r <= 0xd7a3, 0xf900 <= r && r <= 0xfaff,
		0xfe30 <= r && r <= 0xfe6f, 0xff00 <= r && r <= 0xff60, 0xffe0 <= r && r <= 0xffe6,
		0x1f300 <= r && r <= 0x1faff, 0x20000 <= r && r <= 0x3fffd:
		return 2 // East Asian scripts and pictures
	}
	return 1
}

func textWidth(s string) (width int) {
	for _, r := range s {
		width += runeWidth(r)
	}
	return width
}

// cut returns s, shortened to width columns.
func cut(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	used := 0
	for i, r := range s {
		if used += runeWidth(r); used > width-1 {
			return s[:i] + "…"
		}
	}
	return s
}
