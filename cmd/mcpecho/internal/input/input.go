// Package input reads files, pipes and lines of bounded length, and stops waiting for
// one without end.
package input

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/mcp"
)

// Await returns the results of f, which may wait for a file without end. It returns
// earlier if ctx is done, as after a signal.
func Await[T any](ctx context.Context, f func() (T, error)) (result T, err error) {
	done := make(chan struct{})
	var r T
	var e error
	go func() { // ends with f, or the program
		defer close(done)
		r, e = f()
	}()
	select {
	case <-done:
		return r, e
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
}

// Open opens a file that the user names: a regular one or a pipe, as a device may
// have no end. A pipe without a writer blocks.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, failure.Local(err)
	}
	if mode := info.Mode(); !mode.IsRegular() && mode&os.ModeNamedPipe == 0 {
		return nil, failure.Local(errors.New(name + " is neither a regular file nor a pipe"))
	}
	f, err := os.Open(name)
	return f, failure.Local(err)
}

// ReadFile reads arguments from a file that the user names.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, name)
}

// Read reads arguments. what names the source in errors.
func Read(r io.Reader, what string) ([]byte, error) {
	data, err := buffers.ReadUpTo(r, buffers.MaxMessage+1)
	if err == nil && len(data) > buffers.MaxMessage {
		err = errors.New(what + " is longer than a message may be (" + strconv.Itoa(buffers.MaxMessage>>20) + " MiB)")
	}
	return data, failure.Local(err)
}

// ReadLine reads a line of at most max bytes, with its line break.
func ReadLine(in *bufio.Reader, max int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > max {
			return nil, mcp.ErrTooLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
