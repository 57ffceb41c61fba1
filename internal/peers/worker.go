package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/peers/sample"
)

// workerTimeout is how long a worker may take beyond what it was told to work.
const workerTimeout = 30 * time.Second

// A worker is a process that does the work of one cell.
type worker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

func startWorker(ctx context.Context, dir string, c cell) (*worker, error) {
	w := &worker{cmd: exec.CommandContext(ctx, filepath.Join(dir, "worker"),
		c.library, c.work, c.transport, c.era, filepath.Join(dir, "server"))}
	w.cmd.Stderr = &w.stderr
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	return w, w.cmd.Start()
}

// work has it work for d and returns what that cost.
func (w *worker) work(d time.Duration) (s sample.Sample, err error) {
	late := time.AfterFunc(d+workerTimeout, func() { w.cmd.Process.Kill() })
	defer late.Stop()
	if _, err := io.WriteString(w.in, d.String()+"\n"); err != nil {
		return s, w.failure(err)
	}
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		return s, w.failure(err)
	}
	return s, json.Unmarshal(line, &s)
}

// failure returns the last that the worker said, or else err.
func (w *worker) failure(err error) error {
	w.stop()
	lines := strings.Split(strings.TrimSpace(w.stderr.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return errors.New(last)
	}
	return err
}

func (w *worker) stop() {
	w.in.Close()
	late := time.AfterFunc(workerTimeout, func() { w.cmd.Process.Kill() })
	defer late.Stop()
	_ = w.cmd.Wait() // has nothing to say that work hasn't
}
