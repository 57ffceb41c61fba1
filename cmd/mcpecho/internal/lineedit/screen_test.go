package lineedit

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"
)

// A screen is a terminal that understands what an Editor draws. An unknown
// control sequence fails the test.
type screen struct {
	t             *testing.T
	columns, rows int
	cells         [][]string
	row, column   int
	raw, pasting  bool
	scrolled      []string // rows that left the screen
}

func newScreen(t *testing.T, columns, rows int) *screen {
	s := &screen{t: t, columns: columns, rows: rows}
	s.clear(0)
	return s
}

func (s *screen) clear(from int) {
	for len(s.cells) < s.rows {
		s.cells = append(s.cells, nil)
	}
	for i := from; i < s.rows; i++ {
		s.cells[i] = nil
	}
}

func (s *screen) Write(p []byte) (int, error) {
	for text := string(p); text != ""; {
		if sequence, ok := strings.CutPrefix(text, "\x1b["); ok {
			i := strings.IndexFunc(sequence, func(r rune) bool { return r >= '@' && r <= '~' })
			if i < 0 {
				s.t.Errorf("incomplete sequence %q", text)
				return len(p), nil
			}
			s.control(sequence[:i+1])
			text = sequence[i+1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		text = text[n:]
		s.put(r)
	}
	return len(p), nil
}

func (s *screen) control(sequence string) {
	switch {
	case strings.HasSuffix(sequence, "A"):
		n := 0
		fmt.Sscanf(sequence, "%dA", &n)
		s.row = max(0, s.row-n)
	case sequence == "J":
		if s.column == 0 {
			s.clear(s.row)
		} else {
			s.cells[s.row] = s.cells[s.row][:min(s.column, len(s.cells[s.row]))]
			s.clear(s.row + 1)
		}
	case sequence == "H":
		s.row, s.column = 0, 0
	case sequence == "2J":
		s.clear(0)
	case strings.HasSuffix(sequence, "m"):
	case sequence == "?2004h", sequence == "?2004l":
		s.pasting = sequence == "?2004h"
	default:
		s.t.Errorf("unknown sequence %q", sequence)
	}
}

func (s *screen) put(r rune) {
	switch {
	case r == '\r':
		s.column = 0
		return
	case r == '\n':
		if !s.raw {
			s.column = 0
		}
		if s.row++; s.row == s.rows {
			s.scrolled = append(s.scrolled, strings.Join(s.cells[0], ""))
			s.cells = append(s.cells[1:], nil)
			s.row--
		}
		return
	case r < ' ' || 0x7f <= r && r <= 0x9f || 0x202a <= r && r <= 0x202e:
		s.t.Errorf("the terminal received %q", r)
		return
	}
	line := s.cells[s.row]
	switch width := RuneWidth(r); {
	case width == 0 && s.column > 0:
		i := s.column - 1
		if line[i] == "" && i > 0 {
			i-- // the second half of a wide character
		}
		line[i] += string(r)
	default:
		if s.column+width > s.columns {
			s.t.Errorf("the row is longer than %d columns: %q", s.columns, strings.Join(line, ""))
			return
		}
		for len(line) < s.column+width {
			line = append(line, " ")
		}
		line[s.column] = string(r)
		if width == 2 {
			line[s.column+1] = ""
		}
		s.column += width
	}
	s.cells[s.row] = line
}

// String returns the rows that are not empty, with a bar at the cursor.
func (s *screen) String() string {
	var b strings.Builder
	last := s.row
	for i, row := range s.cells {
		if len(row) > 0 {
			last = max(last, i)
		}
	}
	for i, row := range s.cells[:last+1] {
		if i == s.row {
			row = append(append([]string{}, row...), make([]string, s.columns)...)
			row[s.column] = "|" + row[s.column]
		}
		b.WriteString(strings.Join(row, "") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A session is an Editor on a screen, with keys to press.
type session struct {
	*testing.T
	*Editor
	screen *screen
	keys   *io.PipeWriter
	line   chan string // what ReadLine returned
}

// editOn runs f while l is read on a screen, in a bubble.
func editOn(t *testing.T, columns, rows int, l *Line, f func(s *session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		screen := newScreen(t, columns, rows)
		s := &session{T: t, screen: screen, keys: w, line: make(chan string, 10)}
		s.Editor = New(r, screen, Options{
			Raw:  func() (func(), error) { screen.raw = true; return func() { screen.raw = false }, nil },
			Size: func() (int, int) { return screen.columns, screen.rows },
		})
		s.read(l)
		f(s)
		w.Close()
		synctest.Wait()
		if screen.raw || screen.pasting {
			t.Errorf("the terminal is left raw: %v, with paste marks: %v", screen.raw, screen.pasting)
		}
	})
}

// read begins to read another line.
func (s *session) read(l *Line) {
	go func() {
		text, err := s.ReadLine(context.Background(), l)
		if err != nil {
			text += "<" + err.Error() + ">"
		}
		s.line <- text
	}()
	synctest.Wait()
}

func (s *session) press(keys ...string) {
	for _, k := range keys {
		if _, err := io.WriteString(s.keys, k); err != nil {
			s.Fatal(err)
		}
		synctest.Wait()
	}
}

// shows checks the screen, on which a bar is the cursor.
func (s *session) shows(want string) {
	s.Helper()
	synctest.Wait()
	if have := s.screen.String(); have != want {
		s.Errorf("the screen shows\n%s\nwant\n%s", have, want)
	}
}

// reads checks what ReadLine returned.
func (s *session) reads(want string) {
	s.Helper()
	synctest.Wait()
	select {
	case have := <-s.line:
		if have != want {
			s.Errorf("read %q, want %q", have, want)
		}
	default:
		s.Errorf("the line has not ended; want %q; the screen shows\n%s", want, s.screen)
	}
}
