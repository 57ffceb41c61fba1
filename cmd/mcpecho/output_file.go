package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"runtime"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/outfile"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/system"
)

// An output is the file of -o. It is open before the command runs, because the result
// of a call that cannot be written is lost.
type output struct {
	file    *os.File
	created bool // whether the file did not exist
	written bool
}

// runCommand runs the command with its output open, which keeps what it holds until there is a
// result.
func (c *invocation) runCommand(ctx context.Context) error {
	if err := c.unfilled(); err != nil {
		return err
	}
	if c.flags.Output == "" {
		if err := c.checkStdout(); err != nil {
			return err
		}
		return c.command.run(ctx, c)
	}
	f, created, err := outfile.Open(ctx, c.flags.Output, 0)
	if err != nil {
		return failure.Local(err)
	}
	c.output = &output{file: f, created: created}
	return cmp.Or(c.command.run(ctx, c), c.output.close())
}

// checkStdout returns the error of a standard output to which nothing can be written, such
// as one that is open for reading or a full device. A reader that is gone is none. Go
// replaces a standard output that is closed by os.DevNull before the program begins.
func (c *invocation) checkStdout() error {
	f, ok := c.stdout.(*os.File)
	if !ok || runtime.GOOS == "windows" { // where it would end the input of a reader
		return nil
	}
	if _, err := f.Write(nil); err != nil && !system.IsBrokenPipe(err) {
		return failure.Local(err)
	}
	return nil
}

// writeNew writes data to a file that does not exist yet.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return cmp.Or(err, f.Close())
}

// isFile reports whether the output is a file and not a device or a pipe.
func (o *output) isFile() bool {
	info, err := o.file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// replace writes data in place of what the file held.
func (o *output) replace(data []byte) error {
	o.written = true
	if o.isFile() {
		if _, err := o.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := o.file.Truncate(0); err != nil {
			return err
		}
	}
	_, err := o.file.Write(data)
	return err
}

// close removes the file if it was created for a result that did not come.
func (o *output) close() error {
	err := failure.Local(o.file.Close())
	if o.created && !o.written {
		_ = os.Remove(o.file.Name())
	}
	return err
}
