// Package process runs programs for tests and measurements.
package process

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A Process is a program that ends when its standard input is closed.
type Process struct {
	*exec.Cmd
	In  io.WriteCloser
	Out *bufio.Reader
}

// Start starts cmd with pipes for its standard input and output.
func Start(cmd *exec.Cmd) (*Process, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Process{cmd, in, bufio.NewReaderSize(out, 64<<10)}, cmd.Start()
}

// Line returns the next line of standard output, without its end.
func (p *Process) Line() (string, error) {
	line, err := p.Out.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

// Close closes standard input, discards what standard output still has and
// waits until the process has ended.
func (p *Process) Close() error {
	_ = p.In.Close()
	_, _ = io.Copy(io.Discard, p.Out)
	return p.Wait()
}

// Kill kills the process.
func (p *Process) Kill() { _ = p.Cmd.Process.Kill() }

// Memory returns a field of /proc/PID/status, such as VmRSS, in bytes; 0 where
// the system does not have it.
func Memory(pid int, field string) (bytes int64) {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			_, _ = fmt.Sscanf(value, "%d kB", &bytes)
		}
	}
	return bytes << 10
}

// Marked returns the ids of the processes that were started with the variable
// mark, NAME=VALUE, in their environment; none where the system has no /proc.
func Marked(mark string) (pids []int) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range list {
		environ, _ := os.ReadFile(name)
		if bytes.Contains(environ, []byte(mark+"\x00")) {
			pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// Children returns the ids of this process's children, where the system lists
// them.
func Children() (pids []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		for _, s := range strings.Fields(string(list)) {
			if pid, err := strconv.Atoi(s); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
