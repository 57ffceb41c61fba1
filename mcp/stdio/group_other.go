//go:build !unix && !windows

package stdio

import (
	"os"
	"os/exec"
	"syscall"
)

// canStart is false on systems without processes or without a way to end a process
// together with its children.
const canStart = false

type group struct{}

func newGroup(*os.Process) group { return group{} }

func startSuspended(cmd *exec.Cmd) error { return cmd.Start() }

func (group) resume() error { return nil }
func (group) terminate()    {}
func (group) kill()         {}
func (group) close()        {}

func attributes() *syscall.SysProcAttr { return nil }
