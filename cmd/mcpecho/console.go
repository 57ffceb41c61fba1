package main

import (
	"io"
	"strings"
	"sync"
)

// A console is standard error while a server is in use: lines that come from
// several goroutines, and a progress bar below them. While the user is asked
// something it holds them back.
type console struct {
	w io.Writer

	mu     sync.Mutex // guards what follows
	bar    string     // what the last line shows
	paused bool
	held   []string // the lines since then
}

const (
	clearLine = "\r\x1b[K"
	maxHeld   = 1000 // lines; further ones are lost
)

// line prints a line, which is escaped here.
func (c *console) line(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := escape(s) + "\n"
	if c.paused {
		if len(c.held) < maxHeld {
			c.held = append(c.held, text)
		}
		return
	}
	if c.bar != "" {
		text = clearLine + text + c.bar
	}
	_, _ = io.WriteString(c.w, text)
}

// show replaces the progress bar; with nothing, it goes away.
func (c *console) show(bar string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bar == c.bar {
		return
	}
	c.bar = bar
	if !c.paused {
		_, _ = io.WriteString(c.w, clearLine+bar)
	}
}

// pause makes room for a question.
func (c *console) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused = true; c.bar != "" {
		_, _ = io.WriteString(c.w, clearLine)
	}
}

func (c *console) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.w, strings.Join(c.held, "")+c.bar)
	c.paused, c.held = false, nil
}

// lastWords takes the server's standard error: it keeps the last lines and
// prints all of them if asked to.
type stderrTail struct {
	print func(line string) // nil when nobody wants to see them

	mu      sync.Mutex
	partial []byte   // the line that has not ended; guarded by mu
	lines   []string // guarded by mu
}

const (
	maxLastLines = 5
	maxLastLine  = 4 << 10
)

func (l *stderrTail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := string(p); rest != ""; {
		line, after, ended := strings.Cut(rest, "\n")
		l.partial = append(l.partial, line...)
		if ended || len(l.partial) > maxLastLine {
			l.endLine()
		}
		rest = after
	}
	return len(p), nil
}

// endLine is called with mu held.
func (l *stderrTail) endLine() {
	line := strings.TrimRight(withoutStyles(string(l.partial)), " \r\t")
	l.partial = l.partial[:0]
	if line == "" {
		return
	}
	if l.print != nil {
		l.print("server: " + line)
	}
	if l.lines = append(l.lines, line); len(l.lines) > maxLastLines {
		l.lines = l.lines[1:]
	}
}

// end takes what has come since the last line break for a line.
func (l *stderrTail) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endLine()
}

// String returns the last lines, each with a line break and a tab before it.
func (l *stderrTail) String() string {
	l.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, line := range l.lines {
		b.WriteString("\n\t" + line)
	}
	return b.String()
}

// withoutStyles removes what servers colour their logs with.
func withoutStyles(s string) string {
	for {
		start := strings.Index(s, "\x1b[")
		if start < 0 {
			return s
		}
		rest := strings.TrimLeft(s[start+2:], "0123456789;")
		if !strings.HasPrefix(rest, "m") {
			return s
		}
		s = s[:start] + rest[1:]
	}
}
