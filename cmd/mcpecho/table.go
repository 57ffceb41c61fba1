package main

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/lineedit"
)

// A row is an item of a list. name is what the user types to use it.
type row struct {
	name        string
	arguments   []string // those of a tool or prompt; nil for other items
	description string
	rest        string // further details
	whole       bool   // of a header: descriptions have several lines if they need them
}

// table returns rows as columns for a terminal, or as lines for a program.
func (c *invocation) table(header row, rows []row) string {
	escaped := make([]row, len(rows))
	for i, r := range rows {
		escaped[i] = row{name: escapeName(r.name), arguments: r.arguments, description: escapeLine(r.description), rest: escapeName(r.rest)}
	}
	switch {
	case !c.toTerminal():
		return lines(escaped)
	case len(rows) == 0:
		return ""
	}
	return columns(header, escaped, c.terminalWidth(c.stdout), c.flags.wide, c.styler(c.stdout))
}

func lines(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.name + "\t" + r.description + "\n")
	}
	return b.String()
}

// columns returns rows as columns of a terminal. Names are never cut, because the
// user types them. Arguments have the whole width if they need it, and descriptions
// give way: to a line of their own if there is little room. wide cuts nothing.
func columns(header row, rows []row, width int, wide bool, st func(style, string) string) string {
	const gap, narrow = 2, 24
	names, rests := textWidth(header.name), 0
	longest := names
	for _, r := range rows {
		names = max(names, textWidth(r.name))
		longest = max(longest, textWidth(r.name+r.argumentsIn(1<<20)))
		if r.rest != "" {
			rests = max(rests, textWidth(r.rest), textWidth(header.rest))
		}
	}
	first := longest
	if !wide {
		first = min(longest, max(names, width*2/5))
	}
	if rests > width/4 && !wide {
		rests = 0
	}
	description := width - first - gap
	if rests > 0 {
		description -= rests + gap
	}
	below := description < narrow && !wide
	if below && rests > 0 && (width-first-gap >= narrow || width-first-gap < rests) {
		rests, description = 0, width-first-gap
		below = description < narrow
	}
	var b strings.Builder
	write := func(r row, nameStyle, second style) {
		arguments := r.argumentsIn(width - textWidth(r.name))
		if wide {
			arguments = r.argumentsIn(longest)
		}
		shown := r.name + arguments
		line := st(nameStyle, r.name) + st(dim, arguments)
		if textWidth(shown) > first {
			b.WriteString(line + "\n")
			shown, line = "", ""
		}
		text := r.description
		if rests == 0 && strings.Contains(r.rest, "destructive") {
			text = "destructive: " + text // the one that matters
		}
		var more []string // further lines of the text
		if header.whole && !wide {
			text, more = splitLines(text, max(description, narrow))
		} else if !wide {
			text = cut(text, max(description, 1))
		}
		if below {
			text = ""
		}
		end := textWidth(shown)
		if text != "" {
			line += pad(shown, first+gap) + st(second, text)
			end = first + gap + textWidth(text)
		}
		if rests > 0 && r.rest != "" {
			at := first + gap + description + gap
			if below {
				at = first + gap
			}
			if wide {
				at = end + gap
			}
			line += strings.Repeat(" ", max(gap, at-end)) + st(markStyle(r.rest), r.rest)
		}
		if line != "" {
			b.WriteString(line + "\n")
		}
		for _, text := range more {
			b.WriteString(strings.Repeat(" ", first+gap) + st(second, text) + "\n")
		}
		if below && r.description != "" && second == noStyle {
			b.WriteString("    " + cut(r.description, width-4) + "\n")
		}
	}
	write(header, dim, dim)
	for _, r := range rows {
		write(r, bold, noStyle)
	}
	return b.String()
}

// splitLines breaks text into lines of at most width columns. What the user may type
// is a line of its own, which is never broken.
func splitLines(text string, width int) (first string, more []string) {
	if textWidth(text) <= width {
		return text, nil
	}
	text, line, typed := strings.Cut(text, "type: ")
	if typed {
		text += "type:"
	}
	all := strings.Split(wrap(text, width), "\n")
	if typed {
		all = append(all, line)
	}
	return all[0], all[1:]
}

// markStyle returns the style of a mark: what may destroy something stands out.
func markStyle(mark string) style {
	if strings.Contains(mark, "destructive") {
		return red
	}
	return dim
}

// argumentsIn returns the arguments in parentheses, as many as fit into width
// columns; "" if the row has none.
func (r row) argumentsIn(width int) string {
	if r.arguments == nil {
		return ""
	}
	for n := len(r.arguments); n >= 0; n-- {
		text := "(" + strings.Join(r.arguments[:n], ", ")
		switch {
		case n == len(r.arguments):
			text += ")"
		case n == 0:
			text += "…)"
		default:
			text += ", …)"
		}
		if textWidth(text) <= width {
			return text
		}
	}
	return ""
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
