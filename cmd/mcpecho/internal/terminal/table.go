package terminal

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
)

// A Row is an item of a list. Name is what the user types to use it.
type Row struct {
	Name        string
	Arguments   []string // those of a tool or prompt; nil for other items
	Description string
	Rest        string // further details
	Whole       bool   // of a header: descriptions have several lines if they need them
}

func Lines(rows []Row) string {
	var b bytes.Buffer
	for _, r := range rows {
		b.WriteString(r.Name + "\t" + r.Description + "\n")
	}
	return b.String()
}

// MaxColumn limits the width of a column that is as wide as the longest name, which a server
// chooses, because each line has its blanks.
const MaxColumn = 200

// Columns returns rows as columns of a terminal. Names are never cut, because the
// user types them. Arguments have the whole width if they need it, and descriptions
// give way: to a line of their own if there is little room. wide cuts nothing.
func Columns(header Row, rows []Row, width int, wide bool, st func(Style, string) string) string {
	const gap, narrow = 2, 24
	names, rests := TextWidth(header.Name), 0
	longest := names
	for _, r := range rows {
		names = max(names, TextWidth(r.Name))
		longest = max(longest, TextWidth(r.Name+r.argumentsIn(1<<20)))
		if r.Rest != "" {
			rests = max(rests, TextWidth(r.Rest), TextWidth(header.Rest))
		}
	}
	first := min(longest, MaxColumn)
	if !wide {
		first = min(first, max(names, width*2/5))
	}
	if rests > width/4 && !wide {
		rests = 0
	}
	description := width - first - gap
	if rests > 0 {
		description -= rests + gap
	}
	below := description < narrow && !wide
	marks := rests
	if below && rests > 0 && (width-first-gap >= narrow || width-first-gap < rests) {
		rests, description = 0, width-first-gap
		below = description < narrow
	}
	if !wide && !header.Whole && longest > first { // of one row, and so of all
		below, rests = true, marks
	}
	var b bytes.Buffer
	write := func(r Row, nameStyle, second Style) {
		arguments := r.argumentsIn(width - TextWidth(r.Name))
		if below && rests > 0 && r.Rest != "" && r.Arguments != nil {
			arguments = r.argumentsIn(width - TextWidth(r.Name) - gap - TextWidth(r.Rest))
		}
		if wide {
			arguments = r.argumentsIn(longest)
		}
		shown := r.Name + arguments
		line := st(nameStyle, r.Name) + st(Dim, arguments)
		if TextWidth(shown) > first && (!below || r.Arguments == nil) {
			b.WriteString(line + "\n")
			shown, line = "", ""
		}
		text := r.Description
		if rests == 0 && strings.Contains(r.Rest, "destructive") {
			text = "destructive: " + text // the one that matters
		}
		var more []string // further lines of the text
		if header.Whole && !wide {
			text, more = splitLines(text, max(description, narrow))
		} else if !wide {
			text = Cut(text, max(description, 1))
		}
		under := text
		if below {
			text, under = "", Cut(r.Description, width-4)
			if rests == 0 && strings.Contains(r.Rest, "destructive") {
				under = Cut("destructive: "+r.Description, width-4)
			}
		}
		end := TextWidth(shown)
		if text != "" {
			line += Pad(shown, first+gap) + st(second, text)
			end = first + gap + TextWidth(text)
		}
		if rests > 0 && r.Rest != "" {
			at := first + gap + description + gap
			if below {
				at = max(first+gap, end+gap)
				if r.Arguments != nil || longest > first {
					at = max(width-rests, end+gap)
				}
			}
			if wide {
				at = end + gap
			}
			line += strings.Repeat(" ", max(gap, at-end)) + st(markStyle(r.Rest), r.Rest)
		}
		if line != "" {
			b.WriteString(line + "\n")
		}
		for _, text := range more {
			b.WriteString(strings.Repeat(" ", first+gap) + st(second, text) + "\n")
		}
		if below && r.Description != "" && second == Plain {
			b.WriteString("    " + under + "\n")
		}
	}
	write(header, Dim, Dim)
	for _, r := range rows {
		write(r, Bold, Plain)
	}
	return b.String()
}

// splitLines breaks text into lines of at most width columns. What the user may type
// is a line of its own, which is never broken.
func splitLines(text string, width int) (first string, more []string) {
	if TextWidth(text) <= width {
		return text, nil
	}
	text, line, typed := strings.Cut(text, "type: ")
	if typed {
		text += "type:"
	}
	all := strings.Split(Wrap(text, width), "\n")
	if typed {
		all = append(all, line)
	}
	return all[0], all[1:]
}

// markStyle returns the style of a mark: what may destroy something stands out.
func markStyle(mark string) Style {
	if strings.Contains(mark, "destructive") {
		return Red
	}
	return Dim
}

// argumentsIn returns the arguments in parentheses, as many as fit into width
// columns; "" if the row has none.
func (r Row) argumentsIn(width int) string {
	if r.Arguments == nil {
		return ""
	}
	b, used, kept := []byte("("), 1, 0 // kept are the bytes that have room for a mark after them
	for i, argument := range r.Arguments {
		mark := "…)"
		if i > 0 {
			mark, argument = ", …)", ", "+argument
		}
		if used+TextWidth(mark) <= width {
			kept = len(b)
		}
		if used += TextWidth(argument); used > width {
			break
		}
		b = append(b, argument...)
	}
	switch {
	case used < width:
		return string(b) + ")"
	case kept == 0:
		return ""
	case kept == 1:
		return "(…)"
	}
	return string(b[:kept]) + ", …)"
}

// Pad returns the spaces between s and the next column, which begins at width.
func Pad(s string, width int) string { return strings.Repeat(" ", max(0, width-TextWidth(s))) }

// Cut returns s, shortened to width columns.
func Cut(s string, width int) string {
	if TextWidth(s) <= width {
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

// Wrap breaks lines that are longer than width between words, and keeps their
// indentation. It does nothing if width is too small.
func Wrap(s string, width int) string {
	const narrow = 20
	if width < narrow {
		return s
	}
	var b bytes.Buffer
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

func TextWidth(s string) int { return lineedit.TextWidth(s) }

// ScreenLines returns the number of lines of a terminal that text takes.
func ScreenLines(text string, width int) (n int) {
	for line := range strings.Lines(text) {
		n += 1 + max(0, TextWidth(strings.TrimSuffix(withoutStyles(line), "\n"))-1)/max(1, width)
	}
	return n
}

func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

// Count returns a number of things: "1 tool", "2 tools".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// FirstOf returns the first of the texts that says something, in a line.
func FirstOf(texts ...string) string {
	for _, t := range texts {
		if t = FirstLine(t); t != "" {
			return t
		}
	}
	return ""
}
