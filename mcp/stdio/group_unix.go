//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"syscall"
)

const canStart = true

// A group is the process group of a child. Its id is the pid of the child.
type group int

func newGroup(child *os.Process) group { return group(child.Pid) }

// startSuspended starts the child, which need not be suspended: its children are in
// its group, too.
func startSuspended(cmd *exec.Cmd) error { return cmd.Start() }

func (g group) resume() error { return nil }
func (g group) terminate()    { _ = syscall.Kill(-int(g), syscall.SIGTERM) }
func (g group) kill()         { _ = syscall.Kill(-int(g), syscall.SIGKILL) }
func (g group) close()        {}
