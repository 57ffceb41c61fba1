//go:build unix

package testserver

import (
	"os/exec"
	"syscall"
)

// escape makes a process leave the group that its ancestors are in.
func escape(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
