//go:build unix

package stdio

import (
	"os/exec"
	"syscall"
)

// escape makes cmd start in a session, and so a group, of its own.
func escape(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
