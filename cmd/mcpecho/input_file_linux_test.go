package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestFilesOfArguments: arguments come from regular files and pipes, up to the length of
// a message. A device is refused, and a pipe that nothing is written to ends with the
// command.
func TestFilesOfArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo, large, text := filepath.Join(dir, "fifo"), filepath.Join(dir, "large"), filepath.Join(dir, "text")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.WriteFile(large, nil, 0o600), os.Truncate(large, buffers.MaxMessage+1),
		os.WriteFile(text, []byte("hi\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]string{
		"message=@/dev/zero":  "/dev/zero is neither a regular file nor a pipe",
		"message=@" + dir:     dir + " is neither a regular file nor a pipe",
		"message=@" + large:   large + " is longer than a message may be (64 MiB)",
		"message:=@/dev/zero": "neither",
	} {
		if o := runCommand(t, "call", "http://127.0.0.1:1/", "echo", arg); o.status != failure.Usage || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v", arg, o)
		}
	}
	c := &invocation{environment: &environment{}}
	go func() {
		if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
			_, _ = io.WriteString(f, "hi")
			_ = f.Close()
		}
	}()
	if a, err := c.readArguments(t.Context(), []string{"message=@" + fifo}); err != nil || a.Each[0].Value != "hi" {
		t.Errorf("a pipe: %+v, %v", a, err)
	}
	if a, err := c.readArguments(t.Context(), []string{"message=@" + text}); err != nil || a.Each[0].Value != "hi\n" {
		t.Errorf("a file: %+v, %v", a, err)
	}
	signal := errors.New("a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(signal) })
	if _, err := c.readArguments(ctx, []string{"message=@" + fifo}); !errors.Is(err, signal) {
		t.Errorf("a pipe without a writer: %v", err)
	}
	if o := runCommand(t, "serve", "--replay", "/dev/zero"); o.status != failure.Usage || !strings.Contains(o.stderr, "neither a regular file nor a pipe") {
		t.Errorf("%+v", o)
	}
	// The reader above still waits for a writer. Until it does, opening the pipe fails.
	if !testutil.Eventually(func() bool {
		f, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			_ = f.Close()
		}
		return err == nil
	}) {
		t.Error("no reader waits for a writer")
	}
}

// zeros is input without end and without lines.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestEndlessInput(t *testing.T) {
	t.Parallel()
	c := &invocation{environment: &environment{stdin: zeros{}}}
	if _, err := c.readArguments(t.Context(), []string{"-"}); err == nil || !strings.Contains(err.Error(), "standard input is longer than a message may be") {
		t.Error(err)
	}
	if _, _, err := readCommand(t.Context(), bufio.NewReader(zeros{})); err == nil || !strings.Contains(err.Error(), "a command of the script is longer than") {
		t.Error(err)
	}
}
