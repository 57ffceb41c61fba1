package lineedit

import (
	"bytes"
	"strconv"
	"strings"
)

// A frame is what the screen shows of an edit: rows that begin in the first
// column. The cursor is in the row cursor, after the text before.
type frame struct {
	rows   []string
	cursor int
	before string
	styled int // bytes of the first row that are the prompt
}

// indent begins the lines of a text after the first.
const indent = "  "

const fallbackColumns, fallbackRows = 80, 24

func (e *Editor) size() (columns, rows int) {
	columns, rows = e.o.Size()
	if columns <= 0 {
		columns = fallbackColumns
	}
	if rows <= 0 {
		rows = fallbackRows
	}
	return columns, rows
}

// layout breaks prompt and text into rows that are shorter than columns, so that
// the terminal never wraps them. Of more than rows, it keeps those around the
// cursor.
func layout(prompt string, text []rune, pos, columns, rows int) frame {
	var f frame
	var row bytes.Buffer
	width, limit, found := 0, max(columns-1, 2), false
	end := func() {
		f.rows = append(f.rows, row.String())
		row.Reset()
		width = 0
	}
	add := func(s string) {
		w := 0
		for _, r := range s {
			w += RuneWidth(r)
		}
		if strings.HasSuffix(s, "\ufe0f") && w == 1 {
			w = 2 // a character that the selector makes a picture
		}
		if w > limit {
			s, w = "?", 1
		}
		if width+w > limit {
			end()
		}
		row.WriteString(s)
		width += w
	}
	for _, r := range prompt {
		add(shown(r))
	}
	f.styled = row.Len()
	for i := 0; i <= len(text); {
		if i >= pos && !found {
			f.cursor, f.before, found = len(f.rows), row.String(), true
		}
		if i == len(text) {
			break
		}
		if text[i] == '\n' {
			end()
			add(indent)
			i++
			continue
		}
		after := next(text, i)
		var cell strings.Builder // with all accents that a server's name has
		for _, r := range text[i:after] {
			cell.WriteString(shown(r))
		}
		add(cell.String())
		i = after
	}
	end()
	if len(f.rows) > rows {
		top := min(max(0, f.cursor-rows/2), len(f.rows)-rows)
		f.rows = f.rows[top : top+rows]
		f.cursor -= top
		if top > 0 {
			f.styled = 0
		}
	}
	return f
}

// drawLocked replaces what the screen shows by the last edit.
func (e *Editor) drawLocked() {
	if len(e.stack) == 0 {
		return
	}
	s := e.stack[len(e.stack)-1]
	columns, rows := e.size()
	prompt, text, pos := s.Prompt, s.text, s.pos
	if s.Secret {
		text, pos = nil, 0
	}
	if q := s.search; q != nil {
		prompt = "search " + strconv.Quote(string(q.query)) + ": "
		if q.failed {
			prompt = "not found " + strconv.Quote(string(q.query)) + ": "
		}
	}
	f := layout(prompt, text, pos, columns, rows)
	var b bytes.Buffer
	b.WriteString(e.screen.clear(0))
	for i, row := range f.rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(f.style(s.Style, i, row))
	}
	// The terminal counts the columns: it and RuneWidth may not agree.
	b.WriteString(up(len(f.rows)-1-f.cursor) + "\r" + f.style(s.Style, f.cursor, f.before))
	e.write(b.String())
	e.screen = f
}

// style returns a row, or its beginning, with the style of the prompt.
func (f *frame) style(style string, i int, row string) string {
	if i > 0 || style == "" || f.styled == 0 || len(row) < f.styled {
		return row
	}
	return style + row[:f.styled] + "\x1b[0m" + row[f.styled:]
}

// clear returns what clears the frame, from a cursor that is further rows below
// where it was.
func (f *frame) clear(further int) string {
	if f.rows == nil {
		return ""
	}
	return up(f.cursor+further) + "\r\x1b[J"
}

func up(rows int) string {
	if rows <= 0 {
		return ""
	}
	return "\x1b[" + strconv.Itoa(rows) + "A"
}

// eraseLocked removes the edit from the screen.
func (e *Editor) eraseLocked() {
	e.write(e.screen.clear(0))
	e.screen = frame{}
}

// Resize draws the line again. The program calls it when the terminal has a new
// size.
func (e *Editor) Resize() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.stack) == 0 || e.screen.rows == nil {
		return
	}
	columns, _ := e.size()
	// A terminal that became narrower has wrapped the rows.
	further := max(0, TextWidth(e.screen.before)-1) / columns
	for _, row := range e.screen.rows[:e.screen.cursor] {
		further += max(0, TextWidth(row)-1) / columns
	}
	e.write(e.screen.clear(further))
	e.screen = frame{}
	e.drawLocked()
}
