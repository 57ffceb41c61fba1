package terminal

import (
	"bytes"
	"io"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
)

// A Console prints lines of several goroutines to standard error, with a progress
// bar below them. It holds lines back while a question is open.
type Console struct {
	Out io.Writer

	mu      lock.Mutex // guards what follows
	bar     string     // what the last line shows
	paused  bool
	held    strings.Builder // the lines since Pause
	lines   int             // in held
	omitted int             // lines after these
}

const (
	ClearLine = "\r\x1b[K"
	maxLines  = 1000    // that a Console holds
	maxHeld   = 1 << 20 // bytes of these
)

// Line escapes and prints a line.
func (c *Console) Line(s string) {
	c.Styled(s, Plain, func(_ Style, s string) string { return s })
}

// Styled is Line with a style.
func (c *Console) Styled(s string, as Style, st func(Style, string) string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := st(as, Escape(s)) + "\n"
	if c.paused {
		if c.omitted > 0 || c.lines == maxLines || c.held.Len()+len(text) > maxHeld {
			c.omitted++
		} else {
			c.lines++
			c.held.WriteString(text)
		}
		return
	}
	if c.bar != "" {
		text = ClearLine + text + c.bar
	}
	_, _ = io.WriteString(c.Out, text)
}

// Show replaces the progress bar; an empty bar removes it.
func (c *Console) Show(bar string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bar == c.bar {
		return
	}
	c.bar = bar
	if !c.paused {
		_, _ = io.WriteString(c.Out, ClearLine+bar)
	}
}

// Pause hides the bar and holds lines back for a question.
func (c *Console) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused = true; c.bar != "" {
		_, _ = io.WriteString(c.Out, ClearLine)
	}
}

// Resume prints the lines since Pause, and how many more there were.
func (c *Console) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.omitted > 0 {
		c.held.WriteString("… and " + Count(c.omitted, "more line") + ", not shown\n")
	}
	_, _ = io.WriteString(c.Out, c.held.String()+c.bar)
	c.held.Reset()
	c.paused, c.lines, c.omitted = false, 0, 0
}

// A Tail receives the server's standard error. It keeps the last lines, and
// prints all of them if print is set.
type Tail struct {
	Print func(line string)        // nil means that lines are not printed
	Hide  func(text string) string // masks secrets

	mu      lock.Mutex
	Shown   bool     // whether the lines have been printed; guarded by mu
	partial []byte   // the incomplete last line; guarded by mu
	lines   []string // guarded by mu
}

const (
	maxLastLines = 5
	maxLastLine  = 4 << 10 // a longer line is split at a blank or a quote, which are rarely inside of a secret
	maxLastWord  = 64 << 10
)

func (l *Tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := string(p); rest != ""; {
		line, after, ended := strings.Cut(rest, "\n")
		l.partial = append(l.partial, line...)
		if last := strings.LastIndexAny(line, " \t\"'"); ended || len(l.partial) > maxLastWord {
			l.endLineLocked(len(l.partial))
		} else if len(l.partial) > maxLastLine && last >= 0 {
			l.endLineLocked(len(l.partial) - len(line) + last + 1)
		}
		rest = after
	}
	return len(p), nil
}

// Follow prints the lines that are kept and all further ones; nil ends that.
func (l *Tail) Follow(print func(line string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Print = print; print != nil {
		l.Shown = true
		for _, line := range l.lines {
			print("server: " + line)
		}
	}
}

// endLineLocked ends a line after n bytes of l.partial.
func (l *Tail) endLineLocked(n int) {
	line := diag.HideUserinfo(strings.TrimRight(withoutStyles(string(l.partial[:n])), " \r\t"))
	l.partial = append(l.partial[:0], l.partial[n:]...)
	if line == "" {
		return
	}
	line = l.Hide(line)
	if l.Print != nil {
		l.Print("server: " + line)
	}
	if l.lines = append(l.lines, line); len(l.lines) > maxLastLines {
		l.lines = l.lines[1:]
	}
}

// End completes the incomplete last line.
func (l *Tail) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endLineLocked(len(l.partial))
}

// String returns the last lines, each after a line break and a tab.
func (l *Tail) String() string {
	l.End()
	l.mu.Lock()
	defer l.mu.Unlock()
	var b bytes.Buffer
	for _, line := range l.lines {
		b.WriteString("\n\t" + line)
	}
	return b.String()
}

// withoutStyles removes the color sequences in a server's logs.
func withoutStyles(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		rest, style := strings.CutPrefix(strings.TrimLeft(rest, "0123456789;"), "m")
		if !found || !style {
			return b.String() + s
		}
		b.WriteString(before)
		s = rest
	}
}
