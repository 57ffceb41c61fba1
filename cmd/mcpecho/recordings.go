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
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/outfile"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/view"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A recorder records the connections of a command in a file. A nil recorder does
// nothing.
type recorder struct {
	file *os.File // nil for standard error
	w    *recording.Writer

	observe func(mcp.Transport) mcp.Transport // wraps the transports, in place of a file
}

// newRecorder creates the file, which only the user can read because masking may miss a
// secret.
func (c *invocation) newRecorder(ctx context.Context) (*recorder, error) {
	r := new(recorder)
	if c.flags.Record == "-" {
		p := &livePrinter{invocation: c}
		p.from = recording.NewReader(&p.unread)
		r.w = recording.NewWriter(p)
	} else {
		file, err := c.createRecording(ctx)
		if err != nil {
			return nil, failure.Local(err)
		}
		r.file, r.w = file, recording.NewWriter(file)
	}
	r.w.Hide = c.secrets().Hider()
	return r, nil
}

// createRecording creates the file of --record, and gives an existing one another name.
func (c *invocation) createRecording(ctx context.Context) (*os.File, error) {
	for {
		f, created, err := outfile.Open(ctx, c.flags.Record, 0)
		if err != nil || created {
			return f, err
		}
		kept, err := c.setAside(c.flags.Record)
		if !kept && err == nil {
			return f, nil
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// A livePrinter prints the entries of a recording on standard error as they are written, with
// their messages.
type livePrinter struct {
	*invocation
	view.Viewer
	unread bytes.Buffer
	from   *recording.Reader // of unread
}

func (p *livePrinter) Write(data []byte) (int, error) {
	p.unread.Write(data)
	for {
		e, err := p.from.Next()
		if err != nil {
			return len(data), nil // there is no further entry yet
		}
		for _, l := range p.Describe(&e) {
			p.console().Line(strings.TrimSuffix(p.viewed(l, io.Discard, true), "\n"))
		}
	}
}

// setAside gives a file that is not empty the next free name, such as session.1.rec in
// place of session.rec, and reports whether name is free. An editor that starts a proxy
// again, or starts two, does not ask whether the recording of a crash may go; a proxy
// that still writes it goes on under the new name.
func (c *invocation) setAside(name string) (bool, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false, nil
	}
	if err := outfile.Check(name); err != nil {
		return false, err
	}
	ext := filepath.Ext(name)
	for n := 1; ; n++ {
		kept := strings.TrimSuffix(name, ext) + "." + strconv.Itoa(n) + ext
		f, err := os.OpenFile(kept, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			_ = f.Close()
			if err = os.Rename(name, kept); err == nil {
				c.warn(filepath.Base(name) + " is kept as " + kept)
				return true, nil
			}
			_ = os.Remove(kept)
		}
		return errors.Is(err, fs.ErrNotExist), err // another program was faster
	}
}

// wrap returns a transport whose connections are recorded, and passes notifications to callers.
func (c *invocation) wrap(t mcp.Transport) mcp.Transport {
	switch r := c.recorder; {
	case r == nil:
	case r.observe != nil:
		t = r.observe(t)
	default:
		t = r.w.Wrap(t)
	}
	return c.hold.Wrap(t)
}

func (r *recorder) close() error {
	if r == nil || r.w == nil {
		return nil
	}
	err := r.w.Close()
	if r.file != nil {
		err = cmp.Or(err, r.file.Close())
	}
	return failure.Local(err)
}

// isRecording reports whether a regular file begins like a recording. A pipe, which may
// have no writer, is none that can be read again.
func isRecording(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return recording.IsRecording(f)
}

// readRecording reads a recording that the user names. The error names the file and the
// line. Of a recording without an end it returns the entries that are there, and says so.
func (c *invocation) readRecording(ctx context.Context, name string) ([]recording.Entry, error) {
	entries, err := input.Await(ctx, func() ([]recording.Entry, error) {
		f, err := input.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		entries, err := recording.Read(f)
		if err != nil {
			err = failure.Local(fmt.Errorf("%s: %w", name, err))
		}
		return entries, err
	})
	if len(entries) > 0 && errors.Is(err, recording.ErrTruncated) {
		c.warn(name + " has no end: the program that recorded it was killed, or still runs; entries that are used: " + strconv.Itoa(len(entries)))
		return entries, nil
	}
	return entries, err
}

// recordHint says how to record a server.
const recordHint = "--record FILE with a command records a server"

// explainRecording returns the failure for a file that cannot be used as a recording, with
// the one that the user may have meant.
func (c *invocation) explainRecording(err error, name string) error {
	f := *failure.Classify(err)
	switch near := nearest.Typo(name, recordingsLike(name)); {
	case !errors.Is(err, fs.ErrNotExist):
		f.Hint = recordHint
	case near != "":
		f.Message = "there is no file " + wire.Quote(name) + " (did you mean " + wire.Quote(near) + "?)"
		f.Hint = c.toType("", c.replaced(name, near))
	case c.command.name == "view" && c.isServer(name):
		return c.usage(wire.Quote(name) + " is a server, and not a recording")
	default:
		f.Message = "there is no file " + wire.Quote(name)
		f.Hint = recordHint
	}
	return &f
}

// maxNear limits the files whose names are compared.
const maxNear = 1000

// recordingsLike returns the recordings beside a file that does not exist, whose names are
// like its name.
func recordingsLike(word string) (known []string) {
	dir := filepath.Dir(word)
	files, _ := os.ReadDir(dir) // then there are none
	for _, f := range files[:min(len(files), maxNear)] {
		name := f.Name()
		if dir != "." || strings.HasPrefix(word, "./") {
			name = dir + string(filepath.Separator) + name
		}
		if nearest.Typo(word, []string{name}) != "" && isRecording(name) {
			known = append(known, name)
		}
	}
	return known
}

// refuseNull returns a failure if what a client or the user needs would go nowhere:
// standard output is closed, in place of which a Go program has the null device, or is
// that device.
func (c *invocation) refuseNull(what string) error {
	out, ok := c.stdout.(*os.File)
	if !ok {
		return nil
	}
	info, err := out.Stat()
	null, noDevice := os.Stat(os.DevNull)
	if err == nil && (noDevice != nil || !os.SameFile(info, null)) {
		return nil
	}
	return c.usageHint("standard output is closed or the null device, and "+what+" goes there", "connect it to the client, or to a file")
}

// warn prints a line that is not part of the result.
func (c *invocation) warn(line string) {
	if !c.flags.Quiet {
		_, _ = io.WriteString(c.stderr, "mcpecho: "+terminal.EscapeLine(c.hide(line))+"\n")
	}
}
