package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/view"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

const (
	// followTime is how often view --follow looks whether the file is there and has grown.
	followTime = 200 * time.Millisecond

	// viewChunk is how much view writes at a time, and maxLast how much it keeps for
	// --last, in bytes.
	viewChunk, maxLast = 32 << 10, 64 << 20
)

// A viewing prints a file, and with --follow those that replace it.
type viewing struct {
	*invocation
	view.Viewer
	name     string
	file     *os.File
	replaced bool // whether another file now has the name

	b        bytes.Buffer // the text to print
	failed   error        // the error of printing
	last     []string     // the lines of --last, of lastSize bytes
	lastSize int
	isLast   bool // whether add stores lines in last
}

// runView prints the messages of a recording.
func runView(ctx context.Context, c *invocation) (err error) {
	f := &c.flags
	p := &viewing{invocation: c, name: c.args[0], isLast: f.Last >= 0}
	p.Filter = view.Filter{Method: f.Method, Tool: f.Tool, ID: f.ID, Conn: f.Connection, Sender: f.Sender, Grep: f.Grep, Errors: f.Errors}
	for waits := false; ; waits = true {
		if p.file, err = input.Await(ctx, func() (*os.File, error) { return input.Open(p.name) }); err == nil {
			break
		}
		if !f.Follow || !errors.Is(err, fs.ErrNotExist) || c.isServer(p.name) {
			return c.explainRecording(err, p.name)
		}
		if !waits {
			c.warn("waiting for " + p.name)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	defer func() { _ = p.file.Close() }()
	if at, err := p.file.Seek(0, io.SeekCurrent); err == nil && !f.Follow { // no pipe
		p.Open = view.Open(p.file)
		if _, err := p.file.Seek(at, io.SeekStart); err != nil {
			return failure.Local(err)
		}
	}
	missing, err := p.read(ctx)
	if err == nil || ctx.Err() != nil {
		p.add(p.End(missing)...)
		if unmatched := p.explainUnmatched(); unmatched != nil && err == nil {
			err = unmatched
		} else {
			p.b.WriteString(p.endLast() + p.Summary(f.JSON))
		}
	}
	p.flush()
	return cmp.Or(p.failed, err)
}

// read adds the lines of all entries, and returns what the file lacks at its end.
func (p *viewing) read(ctx context.Context) (missing string, err error) {
	from, ended := recording.NewReader(p.file), false
	for {
		e, err := recording.Entry{}, io.EOF
		if !ended {
			e, err = from.Next()
		}
		switch ended = err == io.EOF; {
		case err == nil:
			p.add(p.Describe(&e)...)
			if p.b.Len() >= viewChunk && !p.flush() {
				return "", nil
			}
			continue
		case !ended && !errors.Is(err, recording.ErrTruncated):
			return "", p.explainRecording(failure.Local(fmt.Errorf("%s: %w", p.name, err)), p.name)
		case !ended:
			missing = "the recording has no end: the program that wrote it was killed, or still runs"
		}
		if !p.flags.Follow {
			return missing, nil
		}
		p.b.WriteString(p.endLast())
		if !p.flush() {
			return "", nil
		}
		change, err := p.wait(ctx)
		if err != nil {
			return "", err
		}
		if change != "" {
			p.add(p.End("")...)
			p.add(p.Remark(change, ""))
			from, ended = recording.NewReader(p.file), false
		}
	}
}

// wait waits until there may be more to read. It returns a remark if another file has the
// name, or the file begins again.
func (p *viewing) wait(ctx context.Context) (change string, err error) {
	now, err := p.file.Stat()
	if err != nil {
		return "", failure.Local(err)
	}
	at, _ := p.file.Seek(0, io.SeekCurrent) // 0 for a pipe
	named, err := os.Stat(p.name)
	switch {
	case err == nil && named.Mode().IsRegular() && !os.SameFile(now, named):
		if !p.replaced { // the old file may have grown meanwhile
			p.replaced = true
			return "", nil
		}
		if f, err := input.Open(p.name); err == nil {
			_ = p.file.Close()
			p.file, p.replaced = f, false
			return "the file was replaced by the one that follows", nil
		}
	case now.Mode().IsRegular() && now.Size() < at:
		if _, err := p.file.Seek(0, io.SeekStart); err != nil {
			return "", failure.Local(err)
		}
		return "the file was truncated, and begins again", nil
	}
	return "", pause(ctx)
}

// pause waits until view --follow looks again.
func pause(ctx context.Context) error {
	select {
	case <-time.After(followTime):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// add adds lines to the text to print.
func (p *viewing) add(lines ...*view.Line) {
	for _, l := range lines {
		text := p.viewed(l, p.stdout, p.flags.Verbose)
		if !p.isLast {
			p.b.WriteString(text)
			continue
		}
		if text != "" {
			p.last = append(p.last, text)
			p.lastSize += len(text)
		}
		for len(p.last) > p.flags.Last || p.lastSize > maxLast && len(p.last) > 1 {
			p.lastSize -= len(p.last[0])
			p.last[0], p.last = "", p.last[1:]
		}
	}
}

// endLast returns the lines of --last. Further lines are printed as they come.
func (p *viewing) endLast() string {
	text := strings.Join(p.last, "")
	p.last, p.isLast = nil, false
	return text
}

// flush prints the added lines, and reports whether it could print all of them.
func (p *viewing) flush() bool {
	if p.failed == nil {
		p.failed = p.write(p.b.String())
	}
	p.b.Reset()
	return p.failed == nil
}

// explainUnmatched returns the failure for a filter that matches nothing, with the values
// in the file. It returns nil if the filter matches something.
func (p *viewing) explainUnmatched() error {
	flag, pattern, names := p.Unmatched()
	if flag == "" || len(names) == 0 && flag == "id" {
		return nil
	}
	const most = 10
	message, hint := p.name+" has no message for --"+flag+" "+wire.Quote(pattern), ""
	if near := nearest.Typo(pattern, names); flag != "id" && near != "" {
		message += " (did you mean " + wire.Quote(near) + "?)"
		hint = p.toType("", append(append(p.without(flag), cmdline.Own("--"+flag)...), cmdline.Word{Text: near}))
	}
	more := len(names) - most
	if more > 0 {
		names = append(names[:most], "and "+strconv.Itoa(more)+" more")
	}
	return p.usageHint(message+"; it has "+cmp.Or(strings.Join(names, ", "), "none"), hint)
}

// viewed returns the text for a line, and with messages that of the message.
func (c *invocation) viewed(l *view.Line, to io.Writer, messages bool) string {
	if c.flags.JSON {
		return c.shown(string(l.JSON()))
	}
	l.All = messages
	text := l.Text(c.terminalWidth(to), c.styler(to))
	if message := l.Message(); messages && text != "" && message != "" {
		text += message + "\n"
	}
	return text
}
