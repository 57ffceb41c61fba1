package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/view"
	"github.com/stdmcp/stdmcp/internal/recording"
)

const (
	// followTime is how often view --follow looks whether the file has grown.
	followTime = 200 * time.Millisecond

	// viewChunk is how much view writes at a time, in bytes.
	viewChunk = 32 << 10
)

// runView prints the messages of a recording or a trace.
func runView(ctx context.Context, c *invocation) error {
	name := c.args[0]
	file, err := input.Await(ctx, func() (*os.File, error) { return input.Open(name) })
	if err != nil {
		return c.explainRecording(err, name)
	}
	defer file.Close()
	from, v := view.NewReader(file), &view.Viewer{Method: c.flags.Method}
	var b bytes.Buffer
	for {
		e, err := from.Next()
		switch {
		case err == nil:
			if l := v.Describe(e); l != nil {
				b.WriteString(c.viewed(l))
			}
			if b.Len() < viewChunk {
				continue
			}
			fallthrough
		default:
			if err := c.write(b.String()); err != nil {
				return err
			}
			b.Reset()
		}
		switch {
		case err == nil:
		case err == io.EOF:
			return nil
		case errors.Is(err, recording.ErrTruncated) && c.flags.Follow:
			select {
			case <-time.After(followTime):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		case errors.Is(err, recording.ErrTruncated):
			return nil // of a trace, which has no end, or of a program that was killed or still runs
		default:
			return c.explainRecording(&failure.Error{Status: failure.Usage, Kind: "file", Message: name + ": " + err.Error(), Err: err}, name)
		}
	}
}

// viewed returns the text for a line.
func (c *invocation) viewed(l *view.Line) string {
	if c.flags.JSON {
		return c.shown(string(l.JSON()))
	}
	text := l.Text()
	if c.flags.Verbose && text != "" && l.Entry.Kind == recording.Message && l.Entry.Text != "" {
		text += c.shown(terminal.EscapeLine(l.Entry.Text)) + "\n"
	}
	return text
}

// isViewable reports whether a file begins as a recording or a trace does.
func isViewable(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = view.NewReader(f).Next()
	return err == nil
}
