package lineedit

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// An edit is a line that is being read. The mu of its Editor guards it.
type edit struct {
	*Line
	text []rune
	pos  int // of the cursor, in text

	lines []string // the history
	at    int      // the shown line of the history; len(lines) is the new line
	typed string   // the new line, while another is shown
	full  bool     // text was discarded

	search *search // nil outside of a search
	err    error   // set before done is closed
	done   chan struct{}
}

// press handles a key. It is called with mu held, which it releases for
// completion only.
func (e *Editor) press(s *edit, k key) {
	if s.search != nil && e.pressInSearch(s, k) {
		return
	}
	switch k.code {
	case keyRune:
		e.insert(s, []rune{k.r})
	case keyPaste:
		e.insert(s, []rune(k.text))
	case keyNewline:
		s.insert([]rune{'\n'})
	case keyEnter:
		e.pressEnter(s)
	case keyTab:
		e.complete(s)
	case keyBackspace:
		s.remove(prev(s.text, s.pos), s.pos)
	case keyDelete:
		s.remove(s.pos, next(s.text, s.pos))
	case keyLeft:
		s.pos = prev(s.text, s.pos)
	case keyRight:
		s.pos = next(s.text, s.pos)
	case keyUp:
		s.vertical(-1)
	case keyDown:
		s.vertical(1)
	case keyHome:
		s.pos = lineStart(s.text, s.pos)
	case keyEnd:
		s.pos = lineEnd(s.text, s.pos)
	case keyWordLeft:
		s.pos = wordStart(s.text, s.pos)
	case keyWordRight:
		s.pos = wordEnd(s.text, s.pos)
	case keyDeleteWord:
		e.kill(s, s.pos, wordEnd(s.text, s.pos))
	case keyDeleteWordBackward:
		e.kill(s, wordStart(s.text, s.pos), s.pos)
	case keyCtrl:
		e.pressCtrl(s, k.r)
	}
}

func (e *Editor) pressCtrl(s *edit, letter rune) {
	switch letter {
	case 'a':
		s.pos = lineStart(s.text, s.pos)
	case 'b':
		s.pos = prev(s.text, s.pos)
	case 'c':
		e.endLocked(s, ErrInterrupted)
	case 'd':
		if len(s.text) == 0 {
			e.endLocked(s, io.EOF)
			return
		}
		s.remove(s.pos, next(s.text, s.pos))
	case 'e':
		s.pos = lineEnd(s.text, s.pos)
	case 'f':
		s.pos = next(s.text, s.pos)
	case 'k':
		end := lineEnd(s.text, s.pos)
		if end == s.pos {
			end = next(s.text, s.pos) // the line break
		}
		e.kill(s, s.pos, end)
	case 'l':
		e.write("\x1b[H\x1b[2J")
		e.screen = frame{}
	case 'n':
		s.vertical(1)
	case 'p':
		s.vertical(-1)
	case 'r':
		s.search = &search{at: len(s.lines), text: s.text, pos: s.pos}
	case 'u':
		e.kill(s, lineStart(s.text, s.pos), s.pos)
	case 'w':
		e.kill(s, blankStart(s.text, s.pos), s.pos)
	case 'y':
		e.insert(s, e.killed)
	}
}

// pressEnter ends the line, or begins another one of it.
func (e *Editor) pressEnter(s *edit) {
	if s.More != nil && s.More(string(s.text)) {
		s.pos = len(s.text)
		s.insert([]rune{'\n'})
		return
	}
	e.endLocked(s, nil)
}

// insert inserts what the user typed or pasted, as long as there is room.
func (e *Editor) insert(s *edit, text []rune) {
	if room := max(0, maxLine-len(s.text)); len(text) > room {
		if text = text[:room]; !s.full {
			e.print("The line is full: " + strconv.Itoa(maxLine) + " characters.\n")
		}
		s.full = true
	}
	s.insert(text)
}

func (s *edit) insert(text []rune) {
	s.text = slices.Insert(s.text, s.pos, text...)
	s.pos += len(text)
}

func (s *edit) remove(from, to int) {
	s.text = slices.Delete(s.text, from, to)
	s.pos = from
}

// kill removes text that Ctrl-Y inserts again.
func (e *Editor) kill(s *edit, from, to int) {
	if from == to {
		return
	}
	if !s.Secret {
		e.killed = slices.Clone(s.text[from:to])
	}
	s.remove(from, to)
}

// vertical moves the cursor to the line above or below, or shows the line of the
// history before or after.
func (s *edit) vertical(by int) {
	start := lineStart(s.text, s.pos)
	column := s.pos - start
	switch end := lineEnd(s.text, s.pos); {
	case by < 0 && start > 0:
		above := lineStart(s.text, start-1)
		s.pos = min(above+column, start-1)
	case by > 0 && end < len(s.text):
		s.pos = min(end+1+column, lineEnd(s.text, end+1))
	default:
		s.recall(s.at + by)
	}
}

// recall shows a line of the history.
func (s *edit) recall(at int) {
	if n := len(s.lines) + 1; s.Around {
		at = (at + n) % n
	}
	if at < 0 || at > len(s.lines) {
		return
	}
	if s.at == len(s.lines) {
		s.typed = string(s.text)
	}
	line := s.typed
	if s.at = at; at < len(s.lines) {
		line = s.lines[at]
	}
	s.set(line)
}

func (s *edit) set(line string) {
	s.text = []rune(line)
	s.pos = len(s.text)
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// wordStart returns the start of the word before text[i].
func wordStart(text []rune, i int) int {
	for i > 0 && !isWord(text[i-1]) {
		i--
	}
	for i > 0 && isWord(text[i-1]) {
		i--
	}
	return i
}

// wordEnd returns the end of the word after text[i].
func wordEnd(text []rune, i int) int {
	for i < len(text) && !isWord(text[i]) {
		i++
	}
	for i < len(text) && isWord(text[i]) {
		i++
	}
	return i
}

// blankStart is wordStart for words that blanks separate.
func blankStart(text []rune, i int) int {
	for i > 0 && unicode.IsSpace(text[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(text[i-1]) {
		i--
	}
	return i
}

// A search looks for a text in the history while the user types it (Ctrl-R).
type search struct {
	query  []rune
	at     int // the line that was found
	failed bool
	text   []rune // the line before the search
	pos    int
}

// pressInSearch handles a key during a search. It reports false if the key ends
// the search and has its usual meaning.
func (e *Editor) pressInSearch(s *edit, k key) bool {
	q := s.search
	switch {
	case k.code == keyRune:
		q.query = append(q.query, k.r)
		s.find(q.at)
	case k.code == keyPaste:
		q.query = append(q.query, []rune(strings.ReplaceAll(k.text, "\n", " "))...)
		s.find(q.at)
	case k.code == keyBackspace && len(q.query) > 0:
		q.query = q.query[:len(q.query)-1]
		s.find(len(s.lines) - 1)
	case k.code == keyCtrl && k.r == 'r':
		s.find(q.at - 1)
	case k.code == keyCtrl && (k.r == 'g' || k.r == 'c'):
		s.text, s.pos, s.search = q.text, q.pos, nil
	case k.code == keyUnknown, k.code == keyBackspace:
		s.search = nil
	default:
		s.search = nil
		return false
	}
	return true
}

// find shows the last line at or before line at that contains the query.
func (s *edit) find(at int) {
	q, query := s.search, string(s.search.query)
	for at = min(at, len(s.lines)-1); at >= 0; at-- {
		if i := strings.Index(s.lines[at], query); i >= 0 {
			q.at, q.failed = at, false
			if s.at == len(s.lines) {
				s.typed = string(q.text)
			}
			s.at, s.text = at, []rune(s.lines[at])
			s.pos = len([]rune(s.lines[at][:i]))
			return
		}
	}
	q.failed = true
}
