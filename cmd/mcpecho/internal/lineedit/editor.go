// Package lineedit reads lines from a terminal and lets the user edit them, with
// history, completion, search, and text of several lines.
//
// It knows the control sequences that xterm, tmux, the Linux console, macOS and
// Windows Terminal share, and needs no description of the terminal.
package lineedit

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
)

// ErrInterrupted is the error of Editor.ReadLine after Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// maxLine limits a line, in runes. ReadLine discards what exceeds it, and says so.
const maxLine = 1 << 16

// Options describe a terminal. Both functions are required.
type Options struct {
	// Raw makes the terminal deliver each key at once, without echo and signals,
	// until restore is called.
	Raw func() (restore func(), err error)

	// Size returns the terminal's size. 0 means unknown.
	Size func() (columns, rows int)
}

// A Line describes how one line is read.
type Line struct {
	// Prompt is the text before the line, without control sequences.
	Prompt string

	// Style is a control sequence for the prompt; it may be empty.
	Style string

	// History is where the arrow keys and Ctrl-R look for earlier lines; nil
	// means that there are none. ReadLine does not add the line.
	History *History

	// Around makes the arrow keys go around: down leads from the new line to the
	// first line of the history.
	Around bool

	// More, if not nil, reports whether the text needs another line, so that
	// Enter begins one.
	More func(text string) bool

	// Complete, if not nil, completes the text before the cursor. It should
	// return soon, because keys wait for it.
	Complete func(before string) Completion

	// Secret reports that the text must not be shown.
	Secret bool
}

// An Editor edits lines on a terminal. Its methods may be called concurrently: of
// several calls of ReadLine, the last one receives the keys.
type Editor struct {
	in  io.Reader
	out io.Writer
	o   Options

	mu      sync.Mutex // guards what follows
	stack   []*edit    // the last one is shown
	restore func()     // ends raw mode; nil outside of it
	reading bool       // read is running
	input   decoder
	err     error  // of reading
	screen  frame  // what is shown of the last edit
	killed  []rune // what Ctrl-Y inserts
}

// New returns an Editor that reads keys from in and draws on out.
func New(in io.Reader, out io.Writer, o Options) *Editor {
	return &Editor{in: in, out: out, o: o}
}

// ReadLine reads a line, without the final line break. The error is io.EOF after
// Ctrl-D on an empty line or at the end of the input, ErrInterrupted after Ctrl-C,
// or the cause of the end of ctx. With ErrInterrupted it returns the text so far.
func (e *Editor) ReadLine(ctx context.Context, l *Line) (string, error) {
	s := &edit{Line: l, done: make(chan struct{})}
	e.mu.Lock()
	if len(e.stack) == 0 {
		restore, err := e.o.Raw()
		if err != nil {
			e.mu.Unlock()
			return "", err
		}
		e.restore = restore
		e.write("\x1b[?2004h") // mark pasted text
	} else {
		e.eraseLocked()
	}
	s.lines = l.History.Lines()
	s.at = len(s.lines)
	e.stack = append(e.stack, s)
	e.drawLocked()
	if !e.reading {
		e.reading = true
		go e.read() // ends when no line is read, or with the input
	}
	e.mu.Unlock()
	select {
	case <-s.done:
	case <-ctx.Done():
		e.mu.Lock()
		defer e.mu.Unlock()
		select {
		case <-s.done:
		default:
			e.endLocked(s, context.Cause(ctx))
		}
	}
	return string(s.text), s.err
}

// read passes keys to the edits until there are none.
func (e *Editor) read() {
	buf := make([]byte, 4096)
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() { e.reading = false }()
	for {
		changed := false
		for len(e.stack) > 0 {
			k, ok := e.input.next()
			if !ok {
				break
			}
			e.press(e.stack[len(e.stack)-1], k)
			changed = true
		}
		for len(e.stack) > 0 && e.err != nil {
			e.endLocked(e.stack[len(e.stack)-1], e.err)
		}
		if len(e.stack) == 0 {
			return
		}
		if changed {
			e.drawLocked()
		}
		e.mu.Unlock()
		n, err := e.in.Read(buf)
		e.mu.Lock()
		e.input.pending = append(e.input.pending, buf[:n]...)
		if err != nil && e.err == nil {
			e.err = err
		}
	}
}

// endLocked ends an edit, which leaves its text on the screen.
func (e *Editor) endLocked(s *edit, err error) {
	top := e.stack[len(e.stack)-1] == s
	if top {
		s.search = nil
		s.pos = len(s.text)
		e.drawLocked()
		e.write("\r\n")
		e.screen = frame{}
	}
	for i, other := range e.stack {
		if other == s {
			e.stack = append(e.stack[:i:i], e.stack[i+1:]...)
			break
		}
	}
	s.err = err
	close(s.done)
	switch {
	case len(e.stack) == 0:
		e.write("\x1b[?2004l")
		e.restore()
		e.restore = nil
	case top:
		e.drawLocked()
	}
}

// DiscardTyped discards the keys that the editor has read and that no line has received.
func (e *Editor) DiscardTyped() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.input = decoder{}
}

// Close ends the lines that are being read, with the error io.EOF, and restores the
// mode of the terminal. A program that ends calls it, because it does not wait for
// the goroutines that read lines.
func (e *Editor) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.stack) > 0 {
		e.endLocked(e.stack[len(e.stack)-1], io.EOF)
	}
}

// Print prints lines, which must not contain control sequences other than styles,
// above the line that is being edited.
func (e *Editor) Print(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.print(text)
}

func (e *Editor) print(text string) {
	if len(e.stack) == 0 {
		e.write(text)
		return
	}
	e.eraseLocked()
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	e.write(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n"))
	e.drawLocked()
}

// write writes to the terminal. An error of writing has no use here: the program
// finds it when it writes results.
func (e *Editor) write(s string) { _, _ = io.WriteString(e.out, s) }
