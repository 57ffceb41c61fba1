package lineedit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// A Completion is what the text before the cursor could become.
type Completion struct {
	Start      int // where what the candidates replace begins, in bytes
	Candidates []Candidate

	// Note is a line that is shown if there are no candidates; it may be empty.
	Note string
}

// A Candidate is a possible completion.
type Candidate struct {
	Text  string // replaces the text from Start on
	Label string // for the list of candidates; the default is Text
	Open  bool   // the word may continue, so that no space follows it
}

// maxLabel limits a label in the list, in columns.
const maxLabel = 60

// complete completes the text before the cursor as far as it is certain, and
// otherwise lists the candidates. mu is not held while the program completes.
func (e *Editor) complete(s *edit) {
	if s.Complete == nil {
		return
	}
	before := string(s.text[:s.pos])
	e.mu.Unlock()
	c := s.Complete(before)
	e.mu.Lock()
	select {
	case <-s.done: // its context ended meanwhile
		return
	default:
	}
	if e.stack[len(e.stack)-1] != s || string(s.text[:s.pos]) != before || c.Start > len(before) || c.Start < 0 {
		return
	}
	switch len(c.Candidates) {
	case 0:
		if c.Note != "" {
			e.print(clean(c.Note))
		}
	case 1:
		s.replace(before, c.Start, c.Candidates[0].Text, c.Candidates[0].Open)
	default:
		common := c.Candidates[0].Text
		for _, other := range c.Candidates[1:] {
			common = commonPrefix(common, other.Text)
		}
		if len(common) > len(before)-c.Start && strings.HasPrefix(common, before[c.Start:]) {
			s.replace(before, c.Start, common, true)
			return
		}
		columns, rows := e.size()
		e.print(candidateList(c.Candidates, columns, rows))
	}
}

// replace replaces the text between start and the cursor.
func (s *edit) replace(before string, start int, text string, open bool) {
	if !open && (s.pos == len(s.text) || s.text[s.pos] != ' ') {
		text += " "
	}
	s.remove(len([]rune(before[:start])), s.pos)
	s.insert([]rune(clean(text)))
}

// clean replaces what a terminal would not show as it is. Candidates may come from
// a server.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if shown(r) != string(r) {
			return '\ufffd'
		}
		return r
	}, s)
}

func commonPrefix(a, b string) string {
	n := 0
	for i, r := range a {
		size := len(string(r))
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			break
		}
		n = i + size
	}
	return a[:n]
}

// candidateList returns the candidates in columns, as many as fit on the screen.
func candidateList(all []Candidate, columns, rows int) string {
	shownRows := max(rows-3, 3)
	labels, width := []string{}, 0
	for _, c := range all {
		if len(labels) == shownRows*columns/3 {
			break
		}
		label := c.Label
		if label == "" {
			label = c.Text
		}
		label = cut(clean(label), min(maxLabel, columns-3))
		labels = append(labels, label)
		width = max(width, TextWidth(label)+2)
	}
	across := max(1, (columns-1)/width)
	down := (len(labels) + across - 1) / across
	if down > shownRows {
		down = shownRows
	}
	var b bytes.Buffer
	for r := range down {
		var line bytes.Buffer
		for i := r; i < min(len(labels), down*across); i += down {
			if line.Len() > 0 {
				line.WriteString(strings.Repeat(" ", width-TextWidth(labels[i-down])))
			}
			line.WriteString(labels[i])
		}
		b.WriteString(line.String() + "\n")
	}
	if more := len(all) - min(len(labels), down*across); more > 0 {
		b.WriteString("… and " + strconv.Itoa(more) + " more\n")
	}
	return b.String()
}

// cut shortens s to width columns.
func cut(s string, width int) string {
	if TextWidth(s) <= width {
		return s
	}
	runes, used := []rune(s), 0
	i := slices.IndexFunc(runes, func(r rune) bool { used += RuneWidth(r); return used > width-1 })
	return string(runes[:max(i, 0)]) + "…"
}
