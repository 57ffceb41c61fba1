package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/sample"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// workerTimeout is how much longer than its work a worker may take.
const workerTimeout = 30 * time.Second

// A worker is a process that does the work of one cell.
type worker struct {
	*process.Process
	stderr *bytes.Buffer
}

// workerTags has the build tags of the libraries. The floors need none of them.
var workerTags = map[string]string{bare: "one", ours: "one,stdmcp", "go-sdk": "one,gosdk", "mcp-go": "one,mcpgo"}

// workerOf returns the program that measures a library.
func workerOf(dir, library string) string {
	if workerTags[library] == "" {
		library = bare
	}
	return filepath.Join(dir, "worker-"+library)
}

// buildWorkers builds a program for each library, because the garbage collector marks
// the variables of everything that a program links.
func buildWorkers(ctx context.Context, dir string) error {
	for library, tags := range workerTags {
		if err := build(ctx, "-tags", tags, "-o", workerOf(dir, library), "./worker"); err != nil {
			return err
		}
	}
	return nil
}

func (m *measuring) startWorker(ctx context.Context, c cell) (*worker, error) {
	command := []string{workerOf(m.dir, c.library), c.library, c.work, c.transport, c.era, filepath.Join(m.dir, "server")}
	if m.one {
		command = append([]string{"env", "GOMAXPROCS=1", "taskset", "-c", "0"}, command...)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	p, err := process.Start(cmd)
	return &worker{p, stderr}, err
}

// work lets the worker work for d and returns the cost.
func (w *worker) work(d time.Duration) (s sample.Sample, err error) {
	late := time.AfterFunc(d+workerTimeout, w.Kill)
	defer late.Stop()
	if _, err := io.WriteString(w.In, d.String()+"\n"); err != nil {
		return s, w.failure(err)
	}
	line, err := w.Out.ReadBytes('\n')
	if err != nil {
		return s, w.failure(err)
	}
	return s, json.Unmarshal(line, &s)
}

// failure returns the last line of the worker's standard error, or err.
func (w *worker) failure(err error) error {
	w.stop()
	lines := strings.Split(strings.TrimSpace(w.stderr.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return errors.New(last)
	}
	return err
}

func (w *worker) stop() {
	late := time.AfterFunc(workerTimeout, w.Kill)
	defer late.Stop()
	_ = w.Close() // work has returned the worker's error
}
