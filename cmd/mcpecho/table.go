package main

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/lineedit"
)

// A row is an item of a list. name is what the user types to use it.
type row struct{ name, description, rest string }

// table returns rows as columns for a terminal, or as lines for a program.
func (c *invocation) table(header row, rows []row) string {
	escaped := make([]row, len(rows))
	for i, r := range rows {
		escaped[i] = row{escapeName(r.name), escapeLine(r.description), escapeName(r.rest)}
	}
	switch {
	case !c.toTerminal():
		return lines(escaped)
	case len(rows) == 0:
		return ""
	}
	return columns(header, escaped, c.terminalWidth(c.stdout), c.styler(c.stdout))
}

func lines(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.name + "\t" + r.description + "\n")
	}
	return b.String()
}

func columns(header row, rows []row, width int, st func(style, string) string) string {
	const gap, narrow = 2, 20
	names, rests := textWidth(header.name), 0
	for _, r := range rows {
		names = max(names, textWidth(r.name))
		if r.rest != "" {
			rests = max(rests, textWidth(r.rest), textWidth(header.rest))
		}
	}
	// Names get as much room as possible, because the user types them.
	names, rests = min(names, width/2), min(rests, width/4)
	description := width - names - gap
	if rests > 0 && description-rests-gap >= narrow {
		description -= rests + gap
	} else {
		rests = 0
	}
	var b strings.Builder
	write := func(r row, first, second style) {
		name, text, rest := cut(r.name, names), cut(r.description, description), cut(r.rest, rests)
		line := st(first, name) + pad(name, names+gap) + st(second, text)
		if rest != "" {
			line += pad(text, description+gap) + st(dim, rest)
		}
		b.WriteString(line + "\n")
	}
	write(header, dim, dim)
	for _, r := range rows {
		write(r, bold, noStyle)
	}
	return b.String()
}

// pad returns the spaces between s and the next column, which begins at width.
func pad(s string, width int) string { return strings.Repeat(" ", max(0, width-textWidth(s))) }

// cut returns s, shortened to width columns.
func cut(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	used := 0
	for i, r := range s {
		if used += lineedit.RuneWidth(r); used > width-1 {
			if width <= 0 {
				return ""
			}
			return s[:i] + "…"
		}
	}
	return s
}

// wrap breaks lines that are longer than width between words, and keeps their
// indentation. It does nothing if width is too small.
func wrap(s string, width int) string {
	const narrow = 20
	if width < narrow {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		text := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(text)]
		for {
			i := breakAt(text, width-len(indent))
			if i < 0 {
				break
			}
			b.WriteString(indent + strings.TrimRight(text[:i], " ") + "\n")
			text = strings.TrimLeft(text[i:], " ")
		}
		b.WriteString(indent + text)
	}
	return b.String()
}

// breakAt returns where to break the line: at the last space within width, or
// else at the first one after it. It returns -1 if the line needs no break.
func breakAt(line string, width int) int {
	blank, used := -1, 0
	for i, r := range line {
		if r == ' ' {
			if used > width {
				return i
			}
			blank = i
		}
		if used += lineedit.RuneWidth(r); used > width && r != ' ' && r != '\n' && blank >= 0 {
			return blank
		}
	}
	return -1
}

func textWidth(s string) int { return lineedit.TextWidth(s) }
